// Package ingest converts columns of predictions into batches of examples that statistics can fold,
// and finds the rows that cannot be evaluated. It alone knows what labels, scores and predictions
// may look like. It neither reads files nor joins rows into examples: its input has one row for
// each example.
package ingest

import (
	"cmp"
	"fmt"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
)

// bounded reports whether scores, as they are in columns, are probabilities.
func bounded(s *input.Spec) bool {
	if s.Recalibration != nil {
		return s.Recalibration.ScoreType == metrics.Probability.String()
	}
	return s.Params.ScoreType == metrics.Probability
}

// anyOrder reports whether the elements of lists are in no meaningful order, because each was a
// row. Then the reason for which an example is bad does not depend on the order either.
func anyOrder(s *input.Spec) bool { return s.Long || s.Truth.Long() }

// Columns are columns by role.
type Columns = [roles.Count]*columns.Column

// Input is a batch of columns by role, with one row for each example. Columns that do not exist are
// nil. The items of a query are listed in one column, with their scores, relevances, categories and
// frequencies in others.
type Input struct {
	Rows int
	Of   Columns
	// LabelClass and PredictionClass, if not nil, are lists of labels, for which the lists Label
	// and Prediction have a 0 or 1 each.
	LabelClass, PredictionClass *columns.Column
	// LabelItem, if not nil, lists the items that the label of a query belongs to, with the same
	// dictionary as its items.
	LabelItem *columns.Column
	// Clusterless says, for each row, whether it has no value in the column that determines folds;
	// nil if all rows have one.
	Clusterless []bool
}

// Converter converts batches whose string columns share dictionaries. It reuses its memory, and
// must be used by a single goroutine.
type Converter struct {
	spec     *input.Spec
	decision *input.Decision
	found    *Findings

	by              [roles.Count]source
	truthLabel      source // the labels for which the label has a 0 or 1
	truthItem       source // the items that the label belongs to
	predictionLabel source // the labels for which the prediction has a 0 or 1
	group           source
	positive        slice.Constant // the positive label, if it has a name
	median          int            // see medianOf
	leastAttempts   int            // of an example that is graded

	batch      metrics.Batch
	ofBaseline metrics.Batch
	rows       []int32 // the good rows
	bad        []Bad
	badAt      []int // by row: the index of its Bad + 1; 0 if it is good
	unlabelled
	estimates

	scores, weights         []float64
	strata                  []uint64  // see weighDrawn
	bothScores              []float64 // see positiveScores
	complete                []float64 // see completeScores
	baselineScores          []float64
	thresholds              thresholds
	trueSets, predictedSets setBuilder
	baselineSets            setBuilder
	candidates              setBuilder
	labelled                labelled  // of a row
	rowScores               []float64 // in the order of its elements
	order                   []int32
	rated                   []rated // of an example
	queries                 queries
	items                   *input.ItemFrequencies
}

// NewConverter returns a converter for the labels of the vocabulary, which must be
// input.BinaryLabels of the PositiveLabel in a binary task. The converter adds to found.
func NewConverter(spec *input.Spec, vocab *input.Vocabulary, found *Findings) *Converter {
	by, decision := cmp.Or(spec.Confidence, new(input.Confidence)).By, cmp.Or(spec.Decision, new(input.Decision))
	truth, divides := spec.ColumnsOf(input.OfTruth), input.OfPredictions
	if spec.Confidence.OfTruth(spec.Truth) {
		divides = input.OfTruth
	}
	column := func(role, name string, side input.Side, null Reason) source {
		return source{role: role, name: name, side: side, null: null, width: vocab.Len(), lookup: lookup{vocab: vocab}}
	}
	c := &Converter{
		spec: spec, decision: decision, found: found, items: &vocab.Items, thresholds: newThresholds(decision, vocab),
		positive:        slice.Written(spec.PositiveLabel),
		truthLabel:      column("label", truth.Class, input.OfTruth, nullClass),
		truthItem:       column("item", truth.Item, input.OfTruth, nullItem),
		predictionLabel: column("prediction", spec.Columns.Class, input.OfPredictions, nullClass),
		group:           column("group", by, divides, nullCluster),
	}
	for r := range roles.All() {
		side := input.OfPredictions
		switch {
		case r == roles.Label || r == roles.SamplingStratum && spec.Sampling.OfTruth(spec.Truth):
			side = input.OfTruth
		case r == roles.BaselinePrediction || r == roles.BaselineScore:
			side = input.OfBaseline
		}
		if name := spec.ColumnsOf(side).Of(r); name != nil {
			c.by[r] = column(r.String(), *name, side, nullOf(r))
		}
	}
	if scoreLabel := &c.by[roles.ScoreLabel]; !spec.Params.Sparse && !spec.CompleteScores { // there is one row for each label
		scoreLabel.name, scoreLabel.null = spec.Columns.Class, nullClass
	} else if spec.Long {
		scoreLabel.name = spec.Columns.Class
	}
	if spec.Params.Task == metrics.Binary {
		c.by[roles.Score].width, c.by[roles.BaselineScore].width = 1, 1
	}
	if spec.Sampling != nil {
		c.by[roles.Weight] = c.probabilities()
	}
	c.by[roles.Quantiles].width, c.median = len(spec.Params.QuantileLevels), medianOf(spec)
	c.leastAttempts = spec.Params.LeastAttempts()
	return c
}

// Convert returns the batch, its good rows with a label, and its bad rows. All are valid until the
// next call.
func (c *Converter) Convert(in *Input) (*metrics.Batch, []int32, []Bad) {
	c.setColumns(in)
	c.bad = c.bad[:0]
	c.badAt = collections.Resize(c.badAt, in.Rows)
	clear(c.badAt)
	c.unlabelled.reset(c.spec.KeepsUnlabelled(), in.Rows)
	for r, without := range in.Clusterless {
		if without {
			c.reject(&c.group, r, "null", nullCluster)
		}
	}
	b := &c.batch
	b.Rows, b.Labels = in.Rows, c.by[roles.Score].width
	b.Weight, b.Stratum, b.Logit, b.Candidates = nil, nil, nil, metrics.Sets{}
	c.truth(b)
	if c.spec.Params.Task != metrics.Ranking { // whose scores are sorted with their items
		c.labelScores(b)
	}
	c.decisions(b)
	for r := range roles.Numbers() {
		if c.spec.Params.Has.Has(r) {
			to := b.Number(r)
			*to = c.numbersInRange(*to, r, b.Rows)
		}
	}
	if in.Of[roles.Weight] != nil {
		c.weigh(b)
	}
	b.Complete(c.spec.Params.Task)
	c.rows = c.rows[:0]
	for r, bad := range c.badAt {
		switch {
		case bad != 0:
		case c.withoutLabel != nil && c.withoutLabel[r]:
			c.unlabelled.rows = append(c.unlabelled.rows, int32(r))
		default:
			c.rows = append(c.rows, int32(r))
		}
	}
	c.spread(b)
	c.found.Unlabelled += int64(len(c.Unlabelled()))
	if p := &c.spec.Params; p.Decisions && in.Of[roles.Prediction] != nil && in.Of[roles.Score] != nil && !p.Sparse {
		c.compare(b)
	}
	return b, c.rows, c.bad
}

// setColumns takes the columns to read from a batch.
func (c *Converter) setColumns(in *Input) {
	for r, column := range in.Of {
		c.by[r].Column = column
	}
	c.truthLabel.Column, c.truthItem.Column, c.predictionLabel.Column = in.LabelClass, in.LabelItem, in.PredictionClass
}

// reject marks row r as bad because of its values in s, unless it is bad already.
func (c *Converter) reject(s *source, r int, value string, why Reason) {
	c.rejectElement(s, r, -1, value, why)
}

// rejectValue is reject for value v of s.
func (c *Converter) rejectValue(s *source, r, v int, why Reason) {
	c.rejectElement(s, r, s.element(r, v), s.text(v), why)
}

// rejectElement is reject for element i of a list. If the order of elements is meaningless, a lower
// reason replaces the reason of another element.
func (c *Converter) rejectElement(s *source, r, i int, value string, why Reason) {
	bad := Bad{r, i, s.side, s.name, value, why, s.width}
	if c.badAt[r] == 0 {
		c.bad = append(c.bad, bad)
		c.badAt[r] = len(c.bad)
		return
	}
	if old := &c.bad[c.badAt[r]-1]; anyOrder(c.spec) && i >= 0 && old.Element >= 0 && why < old.Reason {
		*old = bad
	}
}

// list returns where the list of row r begins, which must have n elements. It rejects the row if the list is null or has
// another number of elements, of what is named.
func (c *Converter) list(s *source, r, n int, what string, why Reason) (from int, ok bool) {
	from, to := s.span(r)
	switch {
	case s.IsNullList(r):
		c.reject(s, r, "null", s.null)
	case to-from != n:
		c.reject(s, r, fmt.Sprintf("%d %s", to-from, what), why)
	default:
		return from, true
	}
	return from, false
}

// truth sets what is true or, if nothing is predicted, the results.
func (c *Converter) truth(b *metrics.Batch) {
	switch c.spec.Params.Task {
	case metrics.Binary:
		b.Class = collections.Resize(b.Class, b.Rows)
		b.Truth = collections.Resize(b.Truth, b.Rows)
		c.positives(b.Class, &c.by[roles.Label], &c.found.Positives)
		for r, y := range b.Class {
			b.Truth[r] = y == 1
		}
	case metrics.Multiclass:
		b.Class = collections.Resize(b.Class, b.Rows)
		if c.spec.Encoding == input.Distribution {
			c.distributions(b)
		} else {
			c.classes(b.Class, &c.by[roles.Label])
		}
	case metrics.Multilabel:
		b.True = c.sets(&c.trueSets, &c.by[roles.Label], &c.truthLabel, b.Rows)
	case metrics.Ranking:
		c.ranking(b)
	case metrics.Regression:
		c.regression(b)
	case metrics.Preference:
		c.preferences(b)
	case metrics.Grading:
		c.grades(b)
	case metrics.Agreement:
		c.ratings(b)
	}
}

// decisions sets what is predicted of labels, if they are predicted.
func (c *Converter) decisions(b *metrics.Batch) {
	switch c.spec.Params.Task {
	case metrics.Binary:
		c.binary(b)
	case metrics.Multiclass:
		c.multiclass(b)
	case metrics.Multilabel:
		c.multilabel(b)
	}
}

func (c *Converter) binary(b *metrics.Batch) {
	c.compareWithBaseline(b)
	if !c.spec.Params.Decisions {
		return
	}
	b.Predicted = collections.Resize(b.Predicted, b.Rows)
	if c.by[roles.Prediction].Column != nil {
		c.positives(b.Predicted, &c.by[roles.Prediction], &c.found.Predicted)
		return
	}
	c.above(b.Predicted, c.scores)
}

// above sets out to 1 for each row whose score is at least the threshold of a binary task, and to 0 for
// all others.
func (c *Converter) above(out []int32, scores []float64) {
	for r := range out {
		out[r] = 0
		if scores[r] >= c.decision.Threshold {
			out[r] = 1
		}
	}
}

func (c *Converter) multiclass(b *metrics.Batch) {
	c.compareWithBaseline(b)
	if c.spec.Params.Has.Has(roles.Judged) {
		b.JudgedClass = collections.Resize(b.JudgedClass, b.Rows)
		c.classes(b.JudgedClass, &c.by[roles.Judged])
	}
	if c.spec.Params.Has.Has(roles.PredictionSet) {
		b.PredictedSet = c.sets(&c.predictedSets, &c.by[roles.PredictionSet], new(source), b.Rows)
	}
	if !c.spec.Params.Decisions {
		return
	}
	b.Predicted = collections.Resize(b.Predicted, b.Rows)
	if c.by[roles.Prediction].Column != nil {
		c.classes(b.Predicted, &c.by[roles.Prediction])
		return
	}
	for r := range b.Predicted {
		scores, labels := b.Scored(int32(r))
		if b.Predicted[r] = 0; len(scores) == 0 {
			c.reject(&c.by[roles.Score], r, "an empty list", noScores)
			continue
		}
		b.Predicted[r] = labelAt(labels, metrics.TopLabel(scores))
	}
}

func (c *Converter) multilabel(b *metrics.Batch) {
	if c.by[roles.Score].Column != nil {
		setTruthOfScores(b)
	}
	switch {
	case !c.spec.Params.Decisions:
	case c.by[roles.Prediction].Column != nil:
		b.PredictedSet = c.sets(&c.predictedSets, &c.by[roles.Prediction], &c.predictionLabel, b.Rows)
	default:
		b.PredictedSet = c.decide(&c.predictedSets, b)
	}
	c.compareWithBaseline(b)
}

// finiteNumbers returns a column of finite numbers.
func (c *Converter) finiteNumbers(out []float64, s *source, rows int) []float64 {
	out = collections.Resize(out, rows)
	s.copyFloats(out, 0)
	for r, x := range out {
		if c.rejectUnfit(s, r, x) {
			out[r] = 0
		}
	}
	return out
}

// rejectUnfit rejects row r if its number x is not a finite one that float64 holds.
func (c *Converter) rejectUnfit(s *source, r int, x float64) bool {
	why, unfit := s.unfit(r, x)
	switch {
	case !unfit:
	case s.IsNull(r):
		c.rejectNull(s, r, r)
	default:
		c.rejectValue(s, r, r, why)
	}
	return unfit
}

// numbersInRange returns the column of a role with numbers in its range.
func (c *Converter) numbersInRange(out []float64, of roles.Role, rows int) []float64 {
	s, within := &c.by[of], &of.Of().Range
	out = c.finiteNumbers(out, s, rows)
	for r, x := range out {
		if !within.Has(x) {
			c.rejectValue(s, r, r, outsideOf(of))
		}
	}
	return out
}

func (c *Converter) weigh(b *metrics.Batch) {
	if c.spec.Sampling != nil {
		c.weighDrawn(b)
		return
	}
	c.weights = c.numbersInRange(c.weights, roles.Weight, b.Rows)
	b.Weight = c.weights
}
