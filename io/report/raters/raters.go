// Package raters is the part of a report about raters who rated the same examples.
package raters

import "github.com/beameval/beameval/io/report/tabular"

// Pair says how two raters agree in all examples. Numbers that are unknown are NaN.
type Pair struct {
	A, B      string
	Examples  int64 // that both rate
	Agreement float64
	Kappa     float64
	Low, High float64 // the confidence interval of Kappa
	Undefined string  // why Kappa is
}

// Table has the pairs.
var Table = tabular.Table[Pair]{Name: "rater_pairs", Row: "pair of raters", Columns: columns}

func columns([]string) []tabular.Column[Pair] {
	return []tabular.Column[Pair]{
		tabular.Name("a", func(p *Pair) *string { return &p.A }),
		tabular.Name("b", func(p *Pair) *string { return &p.B }),
		tabular.Whole("examples", func(p *Pair) *int64 { return &p.Examples }),
		tabular.Number("agreement", func(p *Pair) *float64 { return &p.Agreement }),
		tabular.Number("cohen_kappa", func(p *Pair) *float64 { return &p.Kappa }),
		tabular.Number("ci_low", func(p *Pair) *float64 { return &p.Low }),
		tabular.Number("ci_high", func(p *Pair) *float64 { return &p.High }),
		tabular.Note("undefined", func(p *Pair) *string { return &p.Undefined }),
	}
}
