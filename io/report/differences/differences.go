// Package differences is the model of the differences between the metrics of two systems, and of
// their tables. Package comparison holds the differences between two reports, a report the
// differences between its model and a baseline.
package differences

import (
	"slices"

	"github.com/beameval/beameval/io/report/tabular"
	"github.com/beameval/beameval/io/slice"
)

// Pairing says how a difference was tested.
type Pairing string

// The pairings.
const (
	Paired   Pairing = "paired"   // both values are of the same examples in the same groups
	Unpaired Pairing = "unpaired" // as if the examples were different ones
	Untested Pairing = "none"     // not tested
)

// Pairings returns every pairing.
func Pairings() []Pairing { return []Pairing{Paired, Unpaired, Untested} }

// Change is the difference between two values of a metric for one slice and label. Unknown numbers
// are NaN.
type Change struct {
	Name          string
	Slice         slice.Key
	Label         *string
	A, B          float64
	Difference    float64 // B − A
	StdError, DOF float64
	Low, High     float64 // of the interval of Difference
	Groups        int
	PValue        float64 // for the hypothesis that there is no difference
	PAdjusted     float64 // PValue, adjusted for the number of tests
	Pairing       Pairing
	Verdict       Verdict
	Reason        string // why the verdict is unknown
}

// Verdict is the meaning of a difference.
type Verdict string

// The verdicts, in the order of importance.
const (
	Worse               Verdict = "worse"
	Better              Verdict = "better"
	NoSignificantChange Verdict = "no significant change" // chance alone explains the difference
	Unsure              Verdict = "unknown"
)

// Verdicts returns every verdict, the most important first.
func Verdicts() []Verdict { return []Verdict{Worse, Better, NoSignificantChange, Unsure} }

// Table has the differences, also those between two reports.
var Table = tabular.Table[Change]{Name: "differences", Row: "difference", CSV: true, Parquet: true, Columns: columns, OwnSlices: true, Empty: true}

func columns(ofSlices []string) []tabular.Column[Change] {
	return tabular.Placed(tabular.Text("name", func(d *Change) *string { return &d.Name }),
		func(d *Change) *slice.Key { return &d.Slice }, func(d *Change) **string { return &d.Label },
		ofSlices,
		slices.Concat([]tabular.Column[Change]{
			tabular.Number("a", func(d *Change) *float64 { return &d.A }),
			tabular.Number("b", func(d *Change) *float64 { return &d.B }),
		}, Tested(), Judged())...)
}

// Tested returns the columns of the numbers that a test has found.
func Tested() []tabular.Column[Change] {
	return []tabular.Column[Change]{
		tabular.Number("difference", func(d *Change) *float64 { return &d.Difference }),
		tabular.Number("std_error", func(d *Change) *float64 { return &d.StdError }),
		tabular.Number("ci_low", func(d *Change) *float64 { return &d.Low }),
		tabular.Number("ci_high", func(d *Change) *float64 { return &d.High }),
		tabular.Number("dof", func(d *Change) *float64 { return &d.DOF }),
		tabular.Count("groups", func(d *Change) *int { return &d.Groups }),
		tabular.Number("p_value", func(d *Change) *float64 { return &d.PValue }),
		tabular.Number("p_adjusted", func(d *Change) *float64 { return &d.PAdjusted }),
	}
}

// Judged returns the columns of what a test means.
func Judged() []tabular.Column[Change] {
	return []tabular.Column[Change]{
		tabular.Word("pairing", func(d *Change) *Pairing { return &d.Pairing }, Pairings()),
		tabular.Word("verdict", func(d *Change) *Verdict { return &d.Verdict }, Verdicts()),
		tabular.Note("reason", func(d *Change) *string { return &d.Reason }),
	}
}
