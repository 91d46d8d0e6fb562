// Package comparison is the model of comparisons of two reports. It also writes and reads their
// files.
package comparison

import (
	"cmp"
	"slices"

	"github.com/beameval/beameval/internal/numbers"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
)

// Comparison describes how the metrics of report B differ from those of report A.
type Comparison struct {
	Task string
	A, B Compared
	// Level is the confidence level of the intervals. A difference is shown if its adjusted p-value
	// is at most 1 − Level.
	Level    float64
	Adjust   Adjustment
	Pairing  Pairing
	Gates    []report.GateResult
	Warnings []string
	Changes  []Change
	// Headline lists the metrics to show first; see [report.Settings.Asked].
	Headline []string
	// Queries are the differences of single queries; nil unless both reports have them.
	Queries *QueryChanges
	// Options are the differences between the configurations, sorted by key.
	Options []OptionChange
}

// Compared describes one of the two reports.
type Compared struct {
	Name string `json:"report"` // its location
	// Model, Data and Date are what its configuration says in report.
	Model    string `json:"model,omitempty"`
	Data     string `json:"data,omitempty"`
	Date     string `json:"date,omitempty"`
	Examples int64  `json:"examples"`
	Groups   int    `json:"groups,omitempty"` // 0 if it has no replicates
	// Curves are the curves of all examples that comparison.html draws next to those of the other
	// report.
	Curves []report.Curve `json:"-"`
}

// Adjustment is the method by which p-values are adjusted for the number of slices and labels of a
// metric.
type Adjustment string

// The adjustments.
const (
	BenjaminiHochberg Adjustment = "bh"   // controls the false discovery rate: few of the differences shown are chance
	Holm              Adjustment = "holm" // controls the family-wise error rate: hardly ever is any difference shown chance
	Unadjusted        Adjustment = "none"
)

// Adjustments returns every adjustment.
func Adjustments() []Adjustment { return []Adjustment{BenjaminiHochberg, Holm, Unadjusted} }

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

// Shown reports whether the difference is statistically significant.
func (c *Comparison) Shown(d *Change) bool { return d.PAdjusted <= 1-c.Level }

// Sort sorts the changes by verdict, then by p-value. Changes with equal p-values, or without one,
// keep their order.
func (c *Comparison) Sort() {
	verdicts := Verdicts()
	slices.SortStableFunc(c.Changes, func(a, b Change) int {
		return cmp.Or(
			cmp.Compare(slices.Index(verdicts, a.Verdict), slices.Index(verdicts, b.Verdict)),
			numbers.CompareLast(a.PAdjusted, b.PAdjusted),
			numbers.CompareLast(a.PValue, b.PValue),
		)
	})
}

// Failed returns the number of failed gates in all slices.
func (c *Comparison) Failed() int { return report.CountVerdicts(c.Gates)[report.Fail] }

// count returns the number of changes with a verdict.
func (c *Comparison) count(v Verdict) int64 { return int64(len(c.of(v))) }
