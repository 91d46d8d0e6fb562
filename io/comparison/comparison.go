// Package comparison is the model of comparisons of two reports, and of leaderboards of several
// systems. It also writes and reads their files.
package comparison

import (
	"cmp"
	"io"
	"slices"

	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/differences"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/report/export"
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
	Visible  []Visible // what could have been shown of headline metrics without a significant change
	Why      []Why     // of headline metrics, and of columns by which both reports have slices
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
	// MaxT is the adjustment of Westfall and Young by the joint distribution of the largest of all
	// test statistics, of leaderboards alone. It controls the family-wise error rate.
	MaxT Adjustment = "maxt"
)

// Adjustments returns every adjustment of a comparison of two reports.
func Adjustments() []Adjustment { return []Adjustment{BenjaminiHochberg, Holm, Unadjusted} }

// LeaderboardAdjustments returns every adjustment of a leaderboard.
func LeaderboardAdjustments() []Adjustment { return append(Adjustments(), MaxT) }

// What a comparison has of each difference; see package differences.
type (
	Pairing = differences.Pairing
	Change  = differences.Change
	Verdict = differences.Verdict
)

// The pairings.
const (
	Paired   = differences.Paired
	Unpaired = differences.Unpaired
	Untested = differences.Untested
)

// The verdicts, in the order of importance.
const (
	Worse               = differences.Worse
	Better              = differences.Better
	NoSignificantChange = differences.NoSignificantChange
	Unsure              = differences.Unsure
)

// Shown reports whether the difference is statistically significant.
func (c *Comparison) Shown(d *Change) bool { return d.PAdjusted <= 1-c.Level }

// Sort sorts the changes by importance. Changes of equal importance keep their order.
func (c *Comparison) Sort() {
	slices.SortStableFunc(c.Changes, func(a, b Change) int { return ByImportance(&a, &b) })
}

// ByImportance compares changes by verdict, then by p-value; those without one come last.
func ByImportance(a, b *Change) int {
	return cmp.Or(
		cmp.Compare(slices.Index(verdicts, a.Verdict), slices.Index(verdicts, b.Verdict)),
		floats.CompareLast(a.PAdjusted, b.PAdjusted),
		floats.CompareLast(a.PValue, b.PValue),
	)
}

var verdicts = differences.Verdicts()

// Result is what was compared: a [Comparison] of two reports, or a [Leaderboard] of several systems.
type Result interface {
	// GateResults returns the results of gates, as people see them.
	GateResults() []report.GateResult
	// WriteJSON writes comparison.json as [Write] does.
	WriteJSON(w io.Writer) error
	// document returns the document for an output. The changes of a comparison must be sorted.
	document(of document.Output) *document.Document
	// files returns the files in the order in which they are written. It sorts the changes of a comparison.
	files() []export.File
	// kind names the result in errors.
	kind() string
}

// GateResults returns the results of gates.
func (c *Comparison) GateResults() []report.GateResult { return c.Gates }

func (c *Comparison) kind() string { return "comparison" }

// count returns the number of changes with a verdict.
func (c *Comparison) count(v Verdict) int64 { return int64(len(c.of(v))) }
