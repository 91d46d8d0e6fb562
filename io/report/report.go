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
	"cmp"
	"encoding/json"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/recalibration"
	"github.com/beameval/beameval/io/report/checks"
	"github.com/beameval/beameval/io/report/differences"
	"github.com/beameval/beameval/io/report/findings"
	"github.com/beameval/beameval/io/report/foundslices"
	"github.com/beameval/beameval/io/report/moves"
	"github.com/beameval/beameval/io/report/raters"
	"github.com/beameval/beameval/io/report/systems"
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
	Gates      []GateResult // see Judge
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
	Moves      []moves.Move
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
	Ranks   []systems.Rank
	Matches []systems.Match
	// RaterPairs say how each two raters agree, if the metrics need that.
	RaterPairs []raters.Pair
	Search     *foundslices.Search // nil unless the worst slices were searched
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
	// Replicates are the values without the examples of each of Groups, which are in ascending
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

// Sort puts r into canonical order:
//
//	metrics     by slice (see [slice.Key.Compare]), name and label
//	confusion   by slice, label and classes
//	moves       by slice, label and classes
//	curves      by slice, label and name
//	histograms  of scores: by slice, name and label
//	thresholds  by label
//	queries     by ID
//	worst       by slice, label and rank
//	changed     by slice, label, name from the last, and rank
//	label pairs as they are
//
// Labels have the order of r.Labels; no label comes first. Labels, checks, findings, other histograms, the
// points of a curve and the values of a query keep their order.
func (r *Report) Sort() {
	rank := newRanks(r)
	sortBy(r.Metrics, func(row *Row) (int, int) { return rank.slice(row.Slice), rank.label(row.Label) }, compareRows)
	sortBy(r.Confusion, func(c *ConfusionCell) (int, int) { return rank.slice(c.Slice), rank.label(c.Label) }, compareCells)
	sortBy(r.Moves, func(m *moves.Move) (int, int) { return rank.slice(m.Slice), rank.label(m.Label) }, compareMoves)
	sortBy(r.Curves, func(c *Curve) (int, int) { return rank.slice(c.Slice), rank.label(c.Label) }, compareCurves)
	sortBy(r.ScoreHistograms, func(h *ScoreHistogram) (int, int) { return rank.slice(h.Slice), rank.label(h.Label) }, compareScoreHistograms)
	sortBy(r.Worst, func(e *WorstExample) (int, int) { return rank.slice(e.Slice), rank.label(e.Label) }, compareWorst)
	sortBy(r.Changed, func(e *ChangedExample) (int, int) { return rank.slice(e.Slice), rank.label(e.Label) }, compareChanged)
	if r.Thresholds != nil {
		r.Thresholds.sort(rank)
	}
	if r.Queries != nil {
		r.Queries.sort()
	}
}

func compareRows(a, b *ranked[Row]) int {
	x, y := a.item, b.item
	if c := cmp.Or(cmp.Compare(a.slice, b.slice), strings.Compare(x.Name, y.Name), cmp.Compare(a.label, b.label)); c != 0 {
		return c
	}
	// No two rows should be equal up to this point. If two are, their order must not depend on the
	// order of arrival.
	return cmp.Or(
		cmp.Compare(x.Value, y.Value),
		compareIntervals(x.Bounds, y.Bounds),
		strings.Compare(x.Undefined, y.Undefined),
		cmp.Compare(x.Support, y.Support),
	)
}

func compareMoves(a, b *ranked[moves.Move]) int {
	return cmp.Or(cmp.Compare(a.slice, b.slice), cmp.Compare(a.label, b.label),
		cmp.Compare(a.item.BaselineIndex, b.item.BaselineIndex), cmp.Compare(a.item.PredictedIndex, b.item.PredictedIndex))
}

func compareCells(a, b *ranked[ConfusionCell]) int {
	x, y := a.item, b.item
	if c := cmp.Or(cmp.Compare(a.slice, b.slice), cmp.Compare(a.label, b.label)); c != 0 {
		return c
	}
	return cmp.Or(
		cmp.Compare(x.TrueIndex, y.TrueIndex),
		cmp.Compare(x.PredictedIndex, y.PredictedIndex),
		strings.Compare(x.True, y.True),
		strings.Compare(x.Predicted, y.Predicted),
		cmp.Compare(x.Count, y.Count),
		cmp.Compare(x.Weight, y.Weight),
	)
}

// ranked is an item with the ranks of its slice and label. Comparing ranks is many times faster
// than comparing slices.
type ranked[T any] struct {
	slice, label int
	item         *T
}

// sortBy sorts items in place, because there may be millions of large items. If slices are in order
// already, as in computed reports, the items of each are sorted by themselves, which takes little memory.
func sortBy[T any](items []T, ranks func(*T) (slice, label int), compare func(a, b *ranked[T]) int) {
	var all []ranked[T]
	var order []int
	sort := func(items []T) {
		slices.SortFunc(order, func(i, j int) int { return compare(&all[i], &all[j]) })
		rearrange(items, order)
		all, order = all[:0], order[:0]
	}
	from, inOrder := 0, slicesInOrder(items, ranks)
	for i := range items {
		slice, label := ranks(&items[i])
		if inOrder && i > from && slice != all[0].slice {
			sort(items[from:i])
			from = i
		}
		all, order = append(all, ranked[T]{slice, label, &items[i]}), append(order, i-from)
	}
	sort(items[from:])
}

func slicesInOrder[T any](items []T, ranks func(*T) (slice, label int)) bool {
	last := -1
	for i := range items {
		slice, _ := ranks(&items[i])
		if slice < last {
			return false
		}
		last = slice
	}
	return true
}

// rearrange moves item order[i] to index i, for each i. It destroys order.
func rearrange[T any](items []T, order []int) {
	const done = -1
	for i, from := range order {
		if from == done {
			continue
		}
		first, to := items[i], i // follow the cycle of items that replace each other
		for ; from != i; from = order[to] {
			items[to], order[to] = items[from], done
			to = from
		}
		items[to], order[to] = first, done
	}
}

// ranks holds the ranks of all slices and labels of a report.
type ranks struct {
	slices map[string]int
	labels map[string]int
	key    []byte
	last   slice.Key // the previous slice and its rank, because adjacent items usually have the same slice
	rank   int
}

func newRanks(r *Report) *ranks {
	k := &ranks{slices: map[string]int{}, labels: map[string]int{}}
	var found []slice.Key
	unlisted := map[string]bool{}
	see := func(s slice.Key, label *string, _ int) {
		if label != nil {
			unlisted[*label] = true
		}
		if len(found) > 0 && slices.Equal(s, found[len(found)-1]) {
			return
		}
		k.key = s.AppendBinary(k.key[:0])
		if _, seen := k.slices[string(k.key)]; !seen {
			k.slices[string(k.key)] = 0
			found = append(found, s)
		}
	}
	r.eachPlace(see)
	if r.Thresholds != nil {
		for i := range r.Thresholds.PerLabel {
			unlisted[r.Thresholds.PerLabel[i].Label] = true
		}
	}
	slices.SortFunc(found, slice.Key.Compare)
	for i, s := range found {
		k.slices[s.Encoded()] = i
	}
	for i, label := range LabelOrder(r.Labels, unlisted) {
		k.labels[label] = i
	}
	return k
}

func (k *ranks) slice(s slice.Key) int {
	if k.last == nil || !slices.Equal(s, k.last) {
		k.key = s.AppendBinary(k.key[:0])
		k.last, k.rank = s, k.slices[string(k.key)]
	}
	return k.rank
}

func (k *ranks) label(label *string) int {
	if label == nil {
		return -1
	}
	return k.labels[*label]
}

// LabelOrder returns the listed labels without duplicates, followed by the unlisted labels in use,
// sorted by name. It empties inUse.
func LabelOrder(listed []string, inUse map[string]bool) []string {
	order := make([]string, 0, len(listed))
	seen := make(map[string]bool, len(listed))
	for _, label := range listed {
		if !seen[label] {
			seen[label] = true
			order = append(order, label)
		}
		delete(inUse, label)
	}
	first := len(order)
	for label := range inUse {
		order = append(order, label)
	}
	slices.Sort(order[first:])
	return order
}

// Key identifies the row within its report.
func (r *Row) Key() []byte {
	key := append(r.Slice.AppendBinary(nil), r.Name...)
	if r.Label != nil {
		key = append(append(key, 0), *r.Label...)
	}
	return key
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
