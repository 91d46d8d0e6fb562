// Package ingest turns columns of predictions into batches of examples that
// statistics can fold, and finds the rows that cannot be evaluated. It is the
// one place that knows what a label, a score and a prediction may look like.
package ingest

import (
	"fmt"
	"math"
	"strconv"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
)

// Encoding says how true labels are written, where that is a list.
type Encoding string

// The encodings of label lists: of multilabel examples, and the distribution of
// multiclass ones, whose labels are one value otherwise.
const (
	Indices      Encoding = "indices"      // label numbers, from 0
	Names        Encoding = "names"        // label names
	Indicator    Encoding = "indicator"    // a 0 or 1 for every label
	Distribution Encoding = "distribution" // the probability of every class
)

// Spec says what the columns mean.
type Spec struct {
	Params        metrics.Params
	Encoding      Encoding // of labels that are lists
	PositiveLabel string   // binary: the label that counts as positive; "": 1
	// ProbabilityTolerance is how far outside [0, 1] a probability is clipped rather
	// than bad.
	ProbabilityTolerance float64
	// NegativeIsZero says that a negative relevance is not bad: the item counts as
	// not relevant and not judged.
	NegativeIsZero bool
	Decision       Decision
	// Columns are the names of the columns, for messages, and Truth those of the
	// true labels, where they come from other files.
	Columns Roles
	Truth   Roles
	// AnyOrder says that the elements of lists are rows in an order that means
	// nothing, not even which of them is why an example is bad.
	AnyOrder bool
}

// truth are the names of the columns of true labels.
func (s *Spec) truth() *Roles {
	if s.Truth.Label != "" {
		return &s.Truth
	}
	return &s.Columns
}

// Roles are the names of the columns with each role; "" where there is none.
// ScoreLabel is the column that says which labels the scores are of, if they are
// sparse. Example is the column whose value rows of one example (of a ranking: of
// one query) share, where examples are put together of several rows; Class then
// says which label a row is about, and Item which item of a ranking.
//
// Wide has, by the name of a column of lists that the files have not, the columns of
// one value a row that it is made of: one for each label, in their order.
type Roles struct {
	Label, Score, ScoreLabel, Prediction, Weight, Example, Class, Item string
	Wide                                                               map[string][]string `json:",omitempty"`
}

// Input is a batch of columns by role, a row for each example; nil where there is
// none.
type Input struct {
	Rows                                         int
	Label, Score, ScoreLabel, Prediction, Weight *columns.Column
	// LabelClass and PredictionClass, if there, are lists of the labels that the
	// lists Label and Prediction have a 0 or 1 for.
	LabelClass, PredictionClass *columns.Column
	// Item is the list of a ranking's items, of which Score has the scores and Label
	// the relevance; or LabelItem is the list of those of which Label has it, with
	// the same dictionary.
	Item, LabelItem *columns.Column
}

// Bad is a row that cannot be evaluated.
type Bad struct {
	Row     int    // within the batch
	Element int    // of the list of the row; -1 if that is not about one
	OfLabel bool   // in the columns of the true labels, which may be those of other files
	Column  string // of the input
	Value   string // as found
	Reason  Reason
}

// Where returns the value and, of a list, its place.
func (b *Bad) Where() string {
	if b.Element < 0 {
		return b.Value
	}
	return fmt.Sprintf("%s (element %d)", b.Value, b.Element)
}

// Converter converts the batches of one goroutine, whose string columns share
// tables of strings. It reuses its memory.
type Converter struct {
	spec        *Spec
	found       *Findings
	labels      *lookup // of the label column
	preds       *lookup // of the prediction column
	scoreLabels *lookup // of the column of the scores' labels

	batch metrics.Batch
	rows  []int32 // those that are good
	bad   []Bad
	isBad []int // the number of its Bad, from 1 on; 0: it is good
	// labelling says that what is rejected is a true label.
	labelling bool

	scores, weight   []float64
	thresholds       thresholds
	candidates       setBuilder
	truth, predicted setBuilder
	order            []int32

	// of a row of sparse scores
	met       []uint64
	unordered []float64

	seen    labelSet // the labels of a row
	queries queries
}

// NewConverter returns a converter for labels of the vocabulary, which adds to found.
func NewConverter(spec *Spec, vocab *Vocabulary, found *Findings) *Converter {
	if spec.Params.Task == metrics.Binary {
		labels := BinaryLabels(spec.PositiveLabel)
		vocab = &labels
	}
	return &Converter{
		spec: spec, found: found, labels: newLookup(vocab), preds: newLookup(vocab), scoreLabels: newLookup(vocab),
		thresholds: newThresholds(&spec.Decision, vocab),
	}
}

// Convert returns the batch, the rows of it that are good and the others, each
// with the first thing wrong with it. All are valid until the next call.
func (c *Converter) Convert(in *Input) (*metrics.Batch, []int32, []Bad) {
	c.bad = c.bad[:0]
	c.isBad = resize(c.isBad, in.Rows)
	clear(c.isBad)
	b := &c.batch
	b.Rows, b.Labels = in.Rows, c.spec.Params.Labels
	b.Weight, b.Logit, b.Candidates = nil, nil, metrics.Sets{}
	switch c.spec.Params.Task {
	case metrics.Binary:
		c.binary(b, in)
	case metrics.Multiclass:
		c.multiclass(b, in)
	case metrics.Multilabel:
		c.multilabel(b, in)
	case metrics.Ranking:
		c.ranking(b, in)
	case metrics.Regression:
		c.labelling = true
		b.Target = c.numbers(b.Target, in.Label, in.Rows, c.spec.truth().Label, nullLabel)
		c.labelling = false
		b.Estimate = c.numbers(b.Estimate, in.Prediction, in.Rows, c.spec.Columns.Prediction, nullPrediction)
	}
	if in.Weight != nil {
		b.Weight = c.weights(in.Weight, in.Rows)
	}
	b.Complete(c.spec.Params.Task)
	c.rows = c.rows[:0]
	for r, bad := range c.isBad {
		if bad == 0 {
			c.rows = append(c.rows, int32(r))
		}
	}
	if p := &c.spec.Params; p.Decisions && in.Prediction != nil && in.Score != nil && !p.Sparse {
		c.compare(b)
	}
	return b, c.rows, c.bad
}

// reject marks a row as bad, unless it is already.
func (c *Converter) reject(row int, column, value string, reason Reason) {
	c.rejectAt(row, -1, column, value, reason)
}

// rejectAt is reject for element i of a list. Of elements in any order, the first of
// the reasons counts.
func (c *Converter) rejectAt(row, i int, column, value string, reason Reason) {
	bad := Bad{row, i, c.labelling, column, value, reason}
	if c.isBad[row] == 0 {
		c.bad = append(c.bad, bad)
		c.isBad[row] = len(c.bad)
		return
	}
	if is := &c.bad[c.isBad[row]-1]; c.spec.AnyOrder && i >= 0 && is.Element >= 0 && reason.kind < is.Reason.kind {
		*is = bad
	}
}

func (c *Converter) binary(b *metrics.Batch, in *Input) {
	b.Labels = 1
	b.Class = resize(b.Class, in.Rows)
	b.Truth = resize(b.Truth, in.Rows)
	c.labelling = true
	c.labels.binary(c, b.Class, in.Label, c.spec.truth().Label, nullLabel)
	c.labelling = false
	for r, y := range b.Class {
		b.Truth[r] = y == 1
	}
	if in.Score != nil {
		c.scored(b, c.dense(in.Score, in.Rows, 1))
	}
	if !c.spec.Params.Decisions {
		return
	}
	b.Predicted = resize(b.Predicted, in.Rows)
	if in.Prediction != nil {
		c.preds.binary(c, b.Predicted, in.Prediction, c.spec.Columns.Prediction, nullPrediction)
		return
	}
	for r, s := range c.scores[:in.Rows] {
		b.Predicted[r] = 0
		if s >= c.spec.Decision.Threshold {
			b.Predicted[r] = 1
		}
	}
}

func (c *Converter) multiclass(b *metrics.Batch, in *Input) {
	b.Class = resize(b.Class, in.Rows)
	c.labelling = true
	if c.spec.Encoding == Distribution {
		c.distributions(b, in.Label)
	} else {
		c.labels.classes(c, b.Class, in.Label, c.spec.truth().Label, nullLabel)
	}
	c.labelling = false
	c.scoresOfLabels(b, in)
	if !c.spec.Params.Decisions {
		return
	}
	b.Predicted = resize(b.Predicted, in.Rows)
	if in.Prediction != nil {
		c.preds.classes(c, b.Predicted, in.Prediction, c.spec.Columns.Prediction, nullPrediction)
		return
	}
	for r := range b.Predicted {
		scores, labels := b.Scored(int32(r))
		if b.Predicted[r] = 0; len(scores) == 0 {
			c.reject(r, c.spec.Columns.Score, "an empty list", Reason{kind: noScores})
			continue
		}
		b.Predicted[r] = labelAt(labels, metrics.TopLabel(scores))
	}
}

func (c *Converter) multilabel(b *metrics.Batch, in *Input) {
	c.labelling = true
	if truth := c.spec.truth(); in.LabelClass != nil {
		c.setsByClass(&c.truth, in.LabelClass, in.Label, c.labels, truth.Class, truth.Label, nullLabel)
	} else {
		c.labels.sets(c, &c.truth, in.Label, in.Rows, truth.Label, nullLabel)
	}
	c.labelling = false
	b.True = c.truth.sets
	c.scoresOfLabels(b, in)
	if in.Score != nil {
		c.truthOfScores(b)
	}
	if !c.spec.Params.Decisions {
		return
	}
	switch {
	case in.PredictionClass != nil:
		c.setsByClass(&c.predicted, in.PredictionClass, in.Prediction, c.preds, c.spec.Columns.Class, c.spec.Columns.Prediction, nullPrediction)
	case in.Prediction != nil:
		c.preds.sets(c, &c.predicted, in.Prediction, in.Rows, c.spec.Columns.Prediction, nullPrediction)
	default:
		c.decide(b)
	}
	b.PredictedSet = c.predicted.sets
}

// scoresOfLabels sets the scores of a batch, if there are any.
func (c *Converter) scoresOfLabels(b *metrics.Batch, in *Input) {
	switch {
	case in.Score == nil:
	case in.ScoreLabel != nil && c.spec.Params.Sparse:
		c.sparse(b, in)
	case in.ScoreLabel != nil:
		c.scored(b, c.labelled(in, b.Labels))
	default:
		c.scored(b, c.dense(in.Score, in.Rows, b.Labels))
	}
}

// truthOfScores marks the scores whose labels are true.
func (c *Converter) truthOfScores(b *metrics.Batch) {
	b.Truth = resize(b.Truth, len(b.Score))
	clear(b.Truth)
	for r := range b.Rows {
		truth := b.True.Row(int32(r))
		if b.Candidates.Offset == nil {
			for _, label := range truth {
				b.Truth[r*b.Labels+int(label)] = true
			}
			continue
		}
		from := b.Candidates.Offset[r]
		for i, label := range b.Candidates.Row(int32(r)) {
			for len(truth) > 0 && truth[0] < label {
				truth = truth[1:]
			}
			b.Truth[int(from)+i] = len(truth) > 0 && truth[0] == label
		}
	}
}

// scored puts scores where their type belongs.
func (c *Converter) scored(b *metrics.Batch, scores []float64) {
	b.Score = scores
	switch c.spec.Params.ScoreType {
	case metrics.Probability:
		b.Probability = scores
	case metrics.Logit:
		b.Logit = scores
	}
}

// dense returns the scores as a matrix of the given width, and rejects rows
// whose list is null or of another length, and scores that are null, NaN or no
// probability where that is asked for.
func (c *Converter) dense(col *columns.Column, rows, width int) []float64 {
	name := c.spec.Columns.Score
	c.scores = resize(c.scores, rows*width)
	out := c.scores
	for r := range rows {
		row := out[r*width:][:width]
		from, ok := c.vector(row, col, r, name, "scores", nullScore)
		if ok && col.Null != nil {
			for i := range row {
				if col.Null[from+i] {
					c.rejectAt(r, element(col, i), name, "null", nullScore)
				}
			}
		}
	}
	bounded := c.spec.Params.ScoreType == metrics.Probability
	for i, s := range out {
		if s >= 0 && s <= 1 || !bounded && s == s {
			continue // as nearly all do
		}
		out[i], _ = c.legal(s, i/width, element(col, i%width))
	}
	return out
}

// vector copies the list of row r, of numbers that are called what, and returns
// where it begins in the column. It rejects the row if the list is null or of
// another length, and clears the copy.
func (c *Converter) vector(out []float64, col *columns.Column, r int, name, what string, null Reason) (from int, ok bool) {
	from, to := span(col, r)
	switch {
	case nullList(col, r):
		c.reject(r, name, "null", null)
	case to-from != len(out):
		c.reject(r, name, fmt.Sprintf("%d %s", to-from, what), Reason{kind: wrongLength, want: len(out)})
	default:
		copyFloats(out, col, from)
		return from, true
	}
	clear(out)
	return from, false
}

// legal returns the score s, which is element i of row r: of a probability that is
// outside [0, 1] by the tolerance or less, the nearest that is within. It rejects what
// is no score.
func (c *Converter) legal(s float64, r, i int) (float64, bool) {
	reason := notProbability
	switch excess := max(-s, s-1); {
	case s >= 0 && s <= 1:
		return s, true
	case math.IsNaN(s):
		reason = nanScore
	case c.spec.Params.ScoreType != metrics.Probability:
		return s, true
	case excess <= c.spec.ProbabilityTolerance:
		c.found.clip(excess)
		return min(max(s, 0), 1), true
	}
	c.rejectAt(r, i, c.spec.Columns.Score, number(s), reason)
	return s, false
}

// numbers returns a column of finite numbers.
func (c *Converter) numbers(out []float64, col *columns.Column, rows int, name string, null Reason) []float64 {
	out = resize(out, rows)
	copyFloats(out, col, 0)
	for r, x := range out {
		switch {
		case col.Null != nil && col.Null[r]:
			c.reject(r, name, "null", null)
			out[r] = 0
		case math.IsNaN(x) || math.IsInf(x, 0):
			c.reject(r, name, number(x), notFinite)
			out[r] = 0
		}
	}
	return out
}

func (c *Converter) weights(col *columns.Column, rows int) []float64 {
	name := c.spec.Columns.Weight
	c.weight = c.numbers(c.weight, col, rows, name, nullWeight)
	out := c.weight
	for r, w := range out {
		if w < 0 {
			c.reject(r, name, number(w), negativeWeight)
		}
	}
	return out
}

// span returns the range of a row's values within a column.
func span(col *columns.Column, r int) (from, to int) {
	if col.Offsets == nil {
		return r, r + 1
	}
	return int(col.Offsets[r]), int(col.Offsets[r+1])
}

func nullList(col *columns.Column, r int) bool { return col.RowNull != nil && col.RowNull[r] }

// copyFloats copies len(dst) numbers of a column from index from on.
func copyFloats(dst []float64, col *columns.Column, from int) {
	if col.Type == columns.Float {
		copy(dst, col.Floats[from:])
		return
	}
	for i := range dst {
		dst[i] = float64(col.Ints[from+i])
	}
}

// element is i if a column has lists.
func element(col *columns.Column, i int) int {
	if col.Offsets == nil {
		return -1
	}
	return i
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

func resize[T any](buf []T, n int) []T {
	if cap(buf) < n {
		return make([]T, n)
	}
	return buf[:n]
}
