// Package differences is the model of the differences between the metrics of two systems, and of
// their tables. Package comparison holds the differences between two reports, a report the
// differences between its model and a baseline.
package differences

import (
	"cmp"
	"fmt"

	"github.com/beameval/beameval/internal/lists"
	"github.com/beameval/beameval/internal/numbers"
	"github.com/beameval/beameval/io/quote"
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

// ChangeJSON is a difference in comparison.json and metrics.json. Unknown numbers are null.
type ChangeJSON struct {
	Name       string    `json:"name"`
	Slice      slice.Key `json:"slice"`
	Label      *string   `json:"label"`
	A          *float64  `json:"a"`
	B          *float64  `json:"b"`
	Difference *float64  `json:"difference"`
	StdError   *float64  `json:"std_error"`
	Low        *float64  `json:"ci_low"`
	High       *float64  `json:"ci_high"`
	DOF        *float64  `json:"dof"`
	Groups     int       `json:"groups"`
	PValue     *float64  `json:"p_value"`
	PAdjusted  *float64  `json:"p_adjusted"`
	Pairing    Pairing   `json:"pairing"`
	Verdict    Verdict   `json:"verdict"`
	Reason     string    `json:"reason,omitempty"`
}

// JSON returns differences as files have them.
func JSON(list []Change) []ChangeJSON {
	return lists.Map(list, func(d Change) ChangeJSON {
		return ChangeJSON{
			quote.Valid(d.Name), d.Slice, tabular.LabelText(d.Label), numbers.OrNil(d.A), numbers.OrNil(d.B), numbers.OrNil(d.Difference),
			numbers.OrNil(d.StdError), numbers.OrNil(d.Low), numbers.OrNil(d.High), numbers.OrNil(d.DOF), d.Groups,
			numbers.OrNil(d.PValue), numbers.OrNil(d.PAdjusted), d.Pairing, d.Verdict, quote.Valid(d.Reason),
		}
	})
}

// Check returns an error if a pairing or a verdict is invalid: a file may have been edited.
func Check(list []ChangeJSON) error {
	for i, d := range list {
		if err := check(d.Pairing, d.Verdict); err != nil {
			return fmt.Errorf("difference %d: %w", i+1, err)
		}
	}
	return nil
}

func check(p Pairing, v Verdict) error {
	return cmp.Or(quote.OneOf("pairing", p, Pairings()), quote.OneOf("verdict", v, Verdicts()))
}

// Changes returns the differences that files have.
func Changes(list []ChangeJSON) []Change { return lists.Map(list, ChangeJSON.change) }

func (c ChangeJSON) change() Change {
	d := Change{
		Name: c.Name, Slice: c.Slice, A: numbers.OrNaN(c.A), B: numbers.OrNaN(c.B), Difference: numbers.OrNaN(c.Difference),
		StdError: numbers.OrNaN(c.StdError), DOF: numbers.OrNaN(c.DOF), Low: numbers.OrNaN(c.Low), High: numbers.OrNaN(c.High), Groups: c.Groups,
		PValue: numbers.OrNaN(c.PValue), PAdjusted: numbers.OrNaN(c.PAdjusted), Pairing: c.Pairing, Verdict: c.Verdict, Reason: c.Reason,
	}
	if c.Label != nil {
		d.Label = new(quote.Unescape(*c.Label))
	}
	return d
}

// Table returns the columns of tables of differences.
func Table(list []Change) []tabular.Column[Change] {
	return tabular.Placed(func(d *Change) (string, slice.Key, *string) { return d.Name, d.Slice, d.Label },
		tabular.SliceColumns(nil, list, func(d *Change) slice.Key { return d.Slice }),
		tabular.Number("a", func(d *Change) float64 { return d.A }),
		tabular.Number("b", func(d *Change) float64 { return d.B }),
		tabular.Number("difference", func(d *Change) float64 { return d.Difference }),
		tabular.Number("std_error", func(d *Change) float64 { return d.StdError }),
		tabular.Number("ci_low", func(d *Change) float64 { return d.Low }),
		tabular.Number("ci_high", func(d *Change) float64 { return d.High }),
		tabular.Number("dof", func(d *Change) float64 { return d.DOF }),
		tabular.Count("groups", func(d *Change) int { return d.Groups }),
		tabular.Number("p_value", func(d *Change) float64 { return d.PValue }),
		tabular.Number("p_adjusted", func(d *Change) float64 { return d.PAdjusted }),
		tabular.Text("pairing", func(d *Change) string { return string(d.Pairing) }),
		tabular.Text("verdict", func(d *Change) string { return string(d.Verdict) }),
		tabular.Note("reason", func(d *Change) string { return quote.Valid(d.Reason) }),
	)
}
