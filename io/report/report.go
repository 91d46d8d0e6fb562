// Package report is the model of reports: their contents and the files that hold them.
//
// A [Report] holds everything that follows from the data and the configuration; a [Run] holds what
// differs from one run to the next. Package export writes them to separate files: two runs with
// equal reports write the same bytes, except in run.json.
//
// The package does not compute metrics. It only knows which of them to show first to people; see
// headlines.
package report

import (
	"encoding/json"
	"io"
	"math"
	"slices"

	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/recalibration"
	"github.com/beameval/beameval/io/report/checks"
	"github.com/beameval/beameval/io/report/differences"
	"github.com/beameval/beameval/io/report/findings"
	"github.com/beameval/beameval/io/slice"
)

// Report holds everything that is the same in all runs over the same data.
type Report struct {
	Task      string
	Rows      RowCounts
	Examples  int64           // number of evaluated examples; of queries, for ranking
	Labels    []string        // names of the labels, in their order
	NumLabels int             // number of labels, if Labels does not list them all
	Config    json.RawMessage // effective configuration in canonical form
	// Confidence describes how the examples were divided into groups for the confidence intervals
	// of Metrics; nil if there are none.
	Confidence *Folding
	Gates      []GateResult // see package comparison
	Baseline   *Baseline    // nil unless gates compare with other reports
	// SliceColumns lists the columns for which metrics.csv and metrics.parquet have a column of
	// values, in addition to the columns of the slices in Metrics.
	SliceColumns []string
	Metrics      []Row
	// JSONRows is the number of metric rows above which metrics.json has only the rows of all examples
	// and, if these are still too many, only the rows without a label; 0 means any number.
	// metrics.parquet has all rows, so JSONRows has no effect on reports without it.
	JSONRows  int
	Confusion []ConfusionCell // of all slices; cells that are zero may be missing
	// Moves says, with a baseline, who moved from which predicted class to which, of all slices.
	Moves      []Move
	Curves     []Curve     // with points, in the order along the curve
	Histograms []Histogram // of all examples
	// ScoreHistograms show how scores, targets and predictions are distributed; nil writes no file.
	ScoreHistograms []ScoreHistogram
	Thresholds      *Thresholds        // nil if none were tuned
	Recalibration   *recalibration.Map // nil if no isotonic fit was computed
	Queries         *Queries           // for ranking, the metrics of each query; nil writes no file
	// LabelPairs are labels that were missed, with those predicted in their place, in all examples,
	// heaviest first; nil writes no file.
	LabelPairs []LabelPair
	// Worst lists the examples with the highest losses; nil writes no file.
	Worst []WorstExample
	// Changed lists the examples that a baseline predicts right and that are now predicted wrong, or the
	// reverse; nil writes no file.
	Changed []ChangedExample
	// Ranks, of preferences with intervals, has the systems of each slice, the strongest first, and
	// Matches the outcomes for each two systems in all examples.
	Ranks   []Rank
	Matches []Match
	// RaterPairs say how each two raters agree, if the metrics need that.
	RaterPairs []RaterPair
	Search     *Search // nil unless the worst slices were searched
	// Differences compare the metrics of the model, B, with the metrics of a baseline, A, that has
	// predicted the same examples, in the order of Metrics; nil without a baseline.
	Differences []differences.Change
	// Checks say what is odd in the data, those that matter most first.
	Checks []checks.Check
	// Findings say what stands out, what matters most first; nil if nothing has looked for it.
	Findings []findings.Finding
	// Statistics writes statistics.bin, from which reports are merged; nil writes no file.
	Statistics func(io.Writer) error
	// Meanings describes the metrics by name, for report.html; metrics.json includes those that the
	// program added.
	Meanings map[string]Meaning
}

// tables lists the tables of a report. The members of metrics.json have this order.
var tables = []table{
	metricsTable(),
	differencesTable(),
	confusionTable(),
	foundSlicesTable(),
	in(&rankTable, func(r *Report) *[]Rank { return &r.Ranks }),
	in(&matchTable, func(r *Report) *[]Match { return &r.Matches }),
	in(&raterPairTable, func(r *Report) *[]RaterPair { return &r.RaterPairs }),
	in(&moveTable, func(r *Report) *[]Move { return &r.Moves }),
	in(&labelPairTable, func(r *Report) *[]LabelPair { return &r.LabelPairs }),
	in(&worstTable, func(r *Report) *[]WorstExample { return &r.Worst }),
	in(&changedTable, func(r *Report) *[]ChangedExample { return &r.Changed }),
	curvesTable(),
	histogramsTable(),
	scoreHistogramsTable(),
	replicatesTable(),
	queriesTable(),
}

// RowCounts describes what happened to the input rows.
type RowCounts struct {
	Read      int64            `json:"read"`
	Evaluated int64            `json:"evaluated"`
	Skipped   map[string]int64 `json:"skipped"`           // by reason
	Truth     *TruthCounts     `json:"truth,omitempty"`   // nil if the truth is in the input rows
	Clipped   *ClippedCounts   `json:"clipped,omitempty"` // nil if no probability was clipped
	// Estimated is the number of rows without a label whose metrics are estimated.
	Estimated int64 `json:"estimated,omitempty"`
	// Unlabelled is the number of rows without a label that count in judged and prediction-powered
	// means only.
	Unlabelled int64 `json:"unlabelled,omitempty"`
	// NegativeAsZero is the number of negative relevances that were taken as 0.
	NegativeAsZero int64 `json:"negative_as_zero,omitempty"`
	// Predictions is nil unless the input has both predictions and scores.
	Predictions *PredictionCounts `json:"predictions,omitempty"`
}

// ClippedCounts is the number of probabilities clipped to [0, 1], and the largest change.
type ClippedCounts struct {
	Probabilities int64   `json:"probabilities"`
	Excess        float64 `json:"excess"`
}

// PredictionCounts describes how far predictions in the input agree with the scores next to them.
type PredictionCounts struct {
	Compared  int64   `json:"compared"`  // rows
	Disagree  int64   `json:"disagree"`  // rows whose prediction differs from the one that the scores imply
	Explained int64   `json:"explained"` // disagreeing rows that ties and rounding explain
	Share     float64 `json:"share"`     // Disagree / Compared
}

// TruthCounts describes what happened to truth in separate files.
type TruthCounts struct {
	Examples  int64 `json:"examples"`           // number of examples in the truth; of queries, for ranking
	Unmatched int64 `json:"without_prediction"` // examples in the truth that have no prediction
}

// Row is one metric of one slice.
type Row struct {
	Name  string
	Slice slice.Key
	Label *string // nil for a metric of all labels together
	// Value is written as null if it is not finite.
	Value float64
	// Bounds is nil if Value is exact.
	Bounds *Bounds
	// Undefined says why the data do not define the metric. Value may then be the finite number
	// that the configuration sets for such cases. A value that is not finite and has no reason gets
	// one when it is written.
	Undefined string
	Support   int64
	// Confidence describes the uncertainty of Value; nil if it was not requested.
	Confidence *Confidence
	// Replicates are the values without the examples of each of Folds, which are in ascending
	// order; NaN means undefined. Value does not depend on examples of other groups. Both are
	// written to replicates.parquet.
	Replicates []float64
	Folds      []int32
	// Weights are the total weights of the examples of each of Folds. One metric of a slice has them, the
	// others have nil.
	Weights []float64
}

// Without returns the value of the row without a fold. Without a fold that has no examples, it does not change.
func (r *Row) Without(fold int32) float64 {
	if i, found := slices.BinarySearch(r.Folds, fold); found {
		return r.Replicates[i]
	}
	return r.Value
}

// Estimated is the column that the keys of slices have in addition if their metrics are estimated.
const Estimated = "estimated"

// OfEstimates reports whether the metrics of a slice are estimated. Its examples are not among all examples.
func OfEstimates(key slice.Key) bool { return len(key) > 0 && key[len(key)-1].Column == Estimated }

// ConfusionCell is one cell of a confusion matrix. For binary and multiclass tasks, Label is nil, and True
// and Predicted are classes. For multilabel tasks, each label has its own matrix, and True and
// Predicted are "0" or "1".
type ConfusionCell struct {
	Slice           slice.Key
	Label           *string
	True, Predicted string
	// TrueIndex and PredictedIndex are the positions of True and Predicted in the order of classes.
	// They serve to sort cells and are not written.
	TrueIndex, PredictedIndex int
	Count                     int64
	Weight                    float64 // sum of weights; equal to Count if rows have no weights
}

// Reasons for values that have none.
const (
	reasonInfinite = "infinite"
	reasonNaN      = "not a number"
)

// Reason returns the reason to write for r, or "".
func (r *Row) Reason() string {
	switch {
	case r.Undefined != "" || floats.Finite(r.Value):
		return r.Undefined
	case math.IsNaN(r.Value):
		return reasonNaN
	}
	return reasonInfinite
}

// Warnings returns the messages of the checks.
func (r *Report) Warnings() []string { return checks.Messages(r.Checks) }

// Key identifies the row within its report.
func (r *Row) Key() []byte {
	key := append(r.Slice.AppendBinary(nil), r.Name...)
	if r.Label != nil {
		key = append(append(key, 0), *r.Label...)
	}
	return key
}

// KeyOf is the [Row.Key] of a metric, slice and label, as a string.
func KeyOf(name string, of slice.Key, label *string) string {
	return string((&Row{Name: name, Slice: of, Label: label}).Key())
}

// Place describes the slice and label of the row.
func (r *Row) Place() string {
	switch {
	case r.Label == nil:
		return r.Slice.String()
	case len(r.Slice) == 0:
		return "label " + quote.Visible(*r.Label)
	}
	return r.Slice.String() + ", label " + quote.Visible(*r.Label)
}

// Meaning describes a metric.
type Meaning struct {
	Definition string `json:"definition"` // in one line
	Better     string `json:"better"`     // "higher", "lower", or "" if neither is better
	Own        bool   `json:"-"`          // added by the program that wrote the report; metrics.json describes it
}
