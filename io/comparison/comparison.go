// Package comparison is the model of comparisons of two reports, and writes and reads their files.
package comparison

import (
	"cmp"
	"slices"

	"github.com/beameval/beameval/internal/numbers"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
)

// Comparison says how the metrics of report B differ from those of report A.
type Comparison struct {
	Task string
	A, B Compared
	// Level is that of the intervals. A difference is shown if its adjusted p-value is at
	// most 1 − Level.
	Level    float64
	Adjust   Adjustment
	Pairing  Pairing
	Gates    []report.GateResult
	Warnings []string
	Changes  []Change
	// Queries are differences of single queries; nil if a report has none.
	Queries *QueryChanges
	// Options are those of the configurations that differ, sorted by key.
	Options []OptionChange
}

// Compared is one of two reports that are compared.
type Compared struct {
	Name     string // where it is
	Examples int64
	Groups   int // 0 without replicates
	// Curves are those of all examples that comparison.html shows beside those of the other
	// report.
	Curves []report.Curve
}

// Adjustment says how p-values are adjusted for the number of slices and labels of a metric.
type Adjustment string

// The adjustments.
const (
	BenjaminiHochberg Adjustment = "bh"   // of the differences shown, few are chance
	Holm              Adjustment = "holm" // hardly ever is any of the differences shown chance
	Unadjusted        Adjustment = "none"
)

// Adjustments returns every adjustment.
func Adjustments() []Adjustment { return []Adjustment{BenjaminiHochberg, Holm, Unadjusted} }

// Pairing says how a difference was tested.
type Pairing string

// The pairings.
const (
	Paired   Pairing = "paired"   // both values are of the same examples, in the same groups
	Unpaired Pairing = "unpaired" // as if the examples were others
	Untested Pairing = "none"     // not at all
)

var pairings = []Pairing{Paired, Unpaired, Untested}

// Change is the difference between two values of one metric, slice and label. Numbers are
// NaN where they are unknown.
type Change struct {
	Name          string
	Slice         slice.Key
	Label         *string
	A, B          float64
	Difference    float64 // B − A
	StdError, DOF float64
	Low, High     float64 // of the interval of Difference
	Groups        int
	PValue        float64 // of the hypothesis that there is no difference
	PAdjusted     float64 // PValue, adjusted for how many there are
	Pairing       Pairing
	Verdict       Verdict
	Reason        string // why the verdict is unknown
}

// Verdict says what a difference means.
type Verdict string

// The verdicts, in the order in which they matter.
const (
	Worse               Verdict = "worse"
	Better              Verdict = "better"
	NoSignificantChange Verdict = "no significant change" // chance alone explains the difference
	Unsure              Verdict = "unknown"
)

var verdicts = []Verdict{Worse, Better, NoSignificantChange, Unsure}

// Shown says whether it is sure that there is a difference.
func (c *Comparison) Shown(d *Change) bool { return d.PAdjusted <= 1-c.Level }

// Sort sorts the changes by verdict, then by p-value. Changes of one p-value, or without one,
// keep their order.
func (c *Comparison) Sort() {
	slices.SortStableFunc(c.Changes, func(a, b Change) int {
		return cmp.Or(
			cmp.Compare(slices.Index(verdicts, a.Verdict), slices.Index(verdicts, b.Verdict)),
			numbers.CompareLast(a.PAdjusted, b.PAdjusted),
			numbers.CompareLast(a.PValue, b.PValue),
		)
	})
}

// Failed returns how many gates failed, in all slices.
func (c *Comparison) Failed() int { return report.CountFailed(c.Gates) }

// count returns how many changes have a verdict.
func (c *Comparison) count(v Verdict) (n int64) {
	for i := range c.Changes {
		if c.Changes[i].Verdict == v {
			n++
		}
	}
	return n
}
