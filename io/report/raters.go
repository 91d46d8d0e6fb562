package report

import "github.com/beameval/beameval/io/report/tabular"

// RaterPair says how two raters agree in all examples. Numbers that are unknown are NaN.
type RaterPair struct {
	A, B      string
	Examples  int64 // that both rate
	Agreement float64
	Kappa     float64
	Low, High float64 // the confidence interval of Kappa
	Undefined string  // why Kappa is
}

// raterPairTable has the pairs.
var raterPairTable = tabular.Table[RaterPair]{Name: "rater_pairs", Row: "pair of raters", Columns: columnsOfRaterPairs}

func columnsOfRaterPairs([]string) []tabular.Column[RaterPair] {
	return []tabular.Column[RaterPair]{
		tabular.Name("a", func(p *RaterPair) *string { return &p.A }),
		tabular.Name("b", func(p *RaterPair) *string { return &p.B }),
		tabular.Whole("examples", func(p *RaterPair) *int64 { return &p.Examples }),
		tabular.Number("agreement", func(p *RaterPair) *float64 { return &p.Agreement }),
		tabular.Number("cohen_kappa", func(p *RaterPair) *float64 { return &p.Kappa }),
		tabular.Number("ci_low", func(p *RaterPair) *float64 { return &p.Low }),
		tabular.Number("ci_high", func(p *RaterPair) *float64 { return &p.High }),
		tabular.Note("undefined", func(p *RaterPair) *string { return &p.Undefined }),
	}
}
