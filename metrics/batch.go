package metrics

import (
	"math"
	"reflect"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/elementary"
	"github.com/beameval/beameval/internal/roles"
)

// Batch holds some examples in columns. A row is an example; in ranking tasks it is a query. The
// task and what is known about the examples determine which columns are set. A column has a value
// for each row, unless its comment says otherwise.
//
// Statistics do not validate a Batch: classes and labels must be in range, probabilities within [0,
// 1], weights finite and not negative, and items as described below.
type Batch struct {
	Rows   int
	Labels int // multilabel: the number of labels; multiclass: of classes; preference: of systems; binary: 1

	Weight []float64 // nil: every example weighs 1
	Key    []uint64  // identifies each example; only for Params.Digest
	// Stratum identifies the stratum that each example with a label was drawn from, for Params.Drawn; nil means that there is one.
	Stratum []uint64

	// Binary (0 or 1) and multiclass: the true class and the predicted one.
	Class, Predicted []int32
	// Multiclass: the class that another model judges to be the true one, for Params.JudgedClass.
	JudgedClass []int32
	// What a baseline predicts for the same examples: the class or the label set, and its scores, Rows x
	// Labels; the number in a regression.
	Baseline                        []int32
	BaselineSet                     Sets
	BaselineScore, BaselineEstimate []float64
	// Binary: the cost of predicting the example positive if it is negative, and of predicting it
	// negative if it is positive, each within [0, HighestCost]; only for Params.ErrorCosts.
	CostFP, CostFN []float64
	// Multiclass with soft labels: the true distribution over the classes, Rows x Labels. Its
	// numbers are not negative and add up to about 1; Class is the first of the most probable
	// classes. If it is nil, the whole distribution is on Class.
	Distribution []float64

	// Multilabel: the true labels of each example and the predicted ones. Multiclass: PredictedSet is the
	// prediction set, only for HasPredictionSets.
	True, PredictedSet Sets

	// Candidates are the labels that have scores, if scores are sparse; without offsets, every
	// label has a score. Labels without a score are tied and rank below all others. "A value per
	// score" means Rows x Labels values, row by row, or one for each of Candidates.Label if scores
	// are sparse.
	Candidates Sets
	// Binary and multilabel, a value per score: whether the label is true.
	Truth []bool
	// The scores, of any type, a value per score; see Complete.
	Score []float64
	// Probabilities, given or computed from logits. Rows x Labels.
	Probability []float64
	// The logits, if scores are logits. Rows x Labels.
	Logit []float64

	// Multiclass: the highest probability of each example, and whether its class (the first, if
	// there are several) is the true one.
	Confidence []float64
	Correct    []bool

	// Regression: the true value and the predicted one; a forecast of each quantile of
	// Params.QuantileLevels, not decreasing, Rows x levels; and a positive number that divides
	// errors.
	Target, Estimate []float64
	Quantile         []float64
	Scale            []float64
	// Regression: the members of the ensemble that forecasts row r are
	// Member[MemberOffset[r]:MemberOffset[r+1]], at least one.
	Member       []float64
	MemberOffset []int32

	// Preference: two different systems, and the outcome of their comparison.
	First, Second []int32
	Outcome       []Outcome

	// Grading: the grades of the attempts at row r, which are finite, are Grade[GradeOffset[r]:GradeOffset[r+1]], at least one. Their
	// order must not depend on chance; sorted, they are the same whatever order the attempts came in.
	Grade       []float64
	GradeOffset []int32
	// FurtherGrade holds each of Params.FurtherGrades like Grade: with the same offsets, and by itself sorted.
	FurtherGrade [][]float64
	// Majority, for Params.Has with HasAnswers, is 1 if the most frequent answer of the attempts at each row is right, and 1/n if it is one of
	// n equally frequent ones that is; otherwise 0.
	Majority []float64

	// Agreement: the ratings of row r, which are finite, are Rating[RatingOffset[r]:RatingOffset[r+1]], and their raters, which increase,
	// Rater[RatingOffset[r]:RatingOffset[r+1]].
	Rating       []float64
	Rater        []int32
	RatingOffset []int32

	// Ranking: the items retrieved for row r have the indices ItemOffset[r] to ItemOffset[r+1] - 1.
	// Score, Relevance and Judged have a value for each item; scores are not NaN. Under ItemTies,
	// items with equal scores rank in this order.
	ItemOffset []int32
	Relevance  []float64 // finite and not negative; 0 if an item was not judged
	Judged     []bool    // whether each item was judged; nil if all were
	// The relevances of items that were judged but not retrieved: row r has
	// Missed[MissedOffset[r]:MissedOffset[r+1]]. There are none if MissedOffset is nil.
	MissedOffset []int32
	Missed       []float64
	// Numbers that identify each retrieved and each missed item and the category of each retrieved
	// one, for Params.Items and Params.Categories. ItemFrequency is how frequent each retrieved item is,
	// finite and not negative; nil if only judgements tell.
	ItemKey, MissedKey, Category []uint64
	ItemFrequency                []float64
}

// Sets holds the label sets of a batch. The set of row i is Label[Offset[i]:Offset[i+1]], in
// increasing order, without duplicates.
type Sets struct {
	Offset []int32
	Label  []int32
}

// Row returns the label set of row i.
func (s *Sets) Row(i int32) []int32 { return s.Label[s.Offset[i]:s.Offset[i+1]] }

// Number returns where the column of a role of [roles.Numbers] is.
func (b *Batch) Number(r roles.Role) *[]float64 {
	return reflect.ValueOf(b).Elem().FieldByName(r.Of().Batch).Addr().Interface().(*[]float64)
}

// gather fills s with the given rows of another; it reuses s's memory.
func (s *Sets) gather(from *Sets, rows []int32) {
	if from.Offset == nil {
		*s = Sets{}
		return
	}
	s.Offset, s.Label = append(s.Offset[:0], 0), s.Label[:0]
	for _, r := range rows {
		s.Label = append(s.Label, from.Row(r)...)
		s.Offset = append(s.Offset, int32(len(s.Label)))
	}
}

// Scored returns the scores of row r and their labels, in increasing order of the labels. labels is
// nil if every label has a score.
func (b *Batch) Scored(r int32) (scores []float64, labels []int32) {
	if b.Candidates.Offset == nil {
		return b.Score[int(r)*b.Labels:][:b.Labels], nil
	}
	from, to := b.Candidates.Offset[r], b.Candidates.Offset[r+1]
	if from == to {
		return nil, []int32{} // not nil: no label has a score
	}
	return b.Score[from:to], b.Candidates.Label[from:to]
}

// CurveScores returns the scores by which curves order examples. In multiclass tasks these are
// probabilities, if there are any: the logit of one class means little without the other logits.
func (b *Batch) CurveScores(task Task) []float64 {
	if task == Multiclass && b.Probability != nil {
		return b.Probability
	}
	return b.Score
}

// truthOf returns, for each score of row r, whether its label is true.
func (b *Batch) truthOf(r int32) []bool {
	if b.Candidates.Offset == nil {
		return b.Truth[int(r)*b.Labels:][:b.Labels]
	}
	return b.Truth[b.Candidates.Offset[r]:b.Candidates.Offset[r+1]]
}

// isTrue reports whether a label is true of row r. The label must have a score in every row.
func (b *Batch) isTrue(r int32, label int) bool {
	if b.Truth == nil {
		return int(b.Class[r]) == label
	}
	return b.Truth[int(r)*b.Labels+label]
}

// weight returns the weight of row i.
func (b *Batch) weight(i int32) float64 {
	if b.Weight == nil {
		return 1
	}
	return b.Weight[i]
}

// stratum returns the stratum that row i was drawn from.
func (b *Batch) stratum(i int32) uint64 {
	if b.Stratum == nil {
		return 0
	}
	return b.Stratum[i]
}

// withWeight returns the given rows without rows of weight 0. If there are none, it returns the
// given list itself.
func (b *Batch) withWeight(rows []int32) []int32 {
	if b.Weight == nil {
		return rows
	}
	without := func(r int32) bool { return b.Weight[r] == 0 }
	if !slices.ContainsFunc(rows, without) {
		return rows
	}
	return slices.DeleteFunc(slices.Clone(rows), without)
}

// Gather fills b with the given rows of a binary or multiclass batch; a row may be listed several
// times. It reuses b's memory, and always sets the weights.
func (b *Batch) Gather(from *Batch, rows []int32) {
	b.Rows, b.Labels = len(rows), from.Labels
	b.Key, b.Stratum = gather(b.Key, from.Key, rows, 1), gather(b.Stratum, from.Stratum, rows, 1)
	b.Class, b.Predicted = gather(b.Class, from.Class, rows, 1), gather(b.Predicted, from.Predicted, rows, 1)
	b.Baseline, b.BaselineScore = gather(b.Baseline, from.Baseline, rows, 1), gather(b.BaselineScore, from.BaselineScore, rows, from.Labels)
	b.JudgedClass = gather(b.JudgedClass, from.JudgedClass, rows, 1)
	b.PredictedSet.gather(&from.PredictedSet, rows)
	for r := range roles.Numbers() {
		to := b.Number(r)
		*to = gather(*to, *from.Number(r), rows, 1)
	}
	b.Truth = gather(b.Truth, from.Truth, rows, 1)
	b.Score = gather(b.Score, from.Score, rows, from.Labels)
	b.Probability = gather(b.Probability, from.Probability, rows, from.Labels)
	b.Logit = gather(b.Logit, from.Logit, rows, from.Labels)
	b.Confidence, b.Correct = gather(b.Confidence, from.Confidence, rows, 1), gather(b.Correct, from.Correct, rows, 1)
	b.Weight = collections.Resize(b.Weight, len(rows))
	for i, r := range rows {
		b.Weight[i] = from.weight(r)
	}
}

// CostWeights returns the weight of each example of a batch with costs of errors, multiplied by what it
// costs to predict the example wrongly. It reuses the memory of into.
func (b *Batch) CostWeights(into []float64) []float64 {
	into = collections.Resize(into, b.Rows)
	for r, truth := range b.Class {
		cost := b.CostFP[r]
		if truth == 1 {
			cost = b.CostFN[r]
		}
		into[r] = min(float64(b.weight(int32(r))*cost), math.MaxFloat64)
	}
	return into
}

// gather returns rows of a column with width values a row, or nil if there is no such column.
func gather[T any](into, column []T, rows []int32, width int) []T {
	if column == nil {
		return nil
	}
	into = collections.Resize(into, len(rows)*width)
	for i, r := range rows {
		copy(into[i*width:][:width], column[int(r)*width:])
	}
	return into
}

// SetBaseline makes b a copy of from in which the baseline's predictions replace the model's,
// except for forecasts of quantiles and ensembles. The columns of b share from's memory; columns
// that SetBaseline computes reuse b's.
func (b *Batch) SetBaseline(from *Batch, task Task, scores ScoreType) {
	own := *b
	*b = *from
	b.Predicted, b.Baseline, b.Score, b.BaselineScore = from.Baseline, nil, from.BaselineScore, nil
	b.PredictedSet, b.BaselineSet, b.Estimate, b.BaselineEstimate = from.BaselineSet, Sets{}, from.BaselineEstimate, nil
	b.Candidates, b.Probability, b.Logit, b.Confidence, b.Correct = Sets{}, nil, nil, nil, nil
	if b.Score == nil {
		return
	}
	b.Confidence, b.Correct = own.Confidence, own.Correct
	switch scores {
	case Probability:
		b.Probability = b.Score
	case Logit:
		b.Logit, b.Probability = b.Score, own.Probability
	}
	b.Complete(task)
}

// only returns row r of a binary or multiclass batch without its weight; of the predictions it
// keeps only the baseline's. The result shares b's memory.
func (b *Batch) only(r int32) Batch {
	return Batch{
		Rows: 1, Labels: b.Labels, Class: part(b.Class, r, 1), Truth: part(b.Truth, r, 1), Distribution: part(b.Distribution, r, b.Labels),
		Baseline: part(b.Baseline, r, 1), BaselineScore: part(b.BaselineScore, r, b.Labels),
	}
}

// part returns row r of a column with width values a row, or nil if there is no such column.
func part[T any](column []T, r int32, width int) []T {
	if column == nil {
		return nil
	}
	return column[int(r)*width:][:width]
}

// SetClass sets the true class of a row of a binary or multiclass batch with weights, and multiplies
// its weight.
func (b *Batch) SetClass(row int, class int32, weight float64) {
	b.Class[row] = class
	b.Weight[row] *= weight
	if b.Truth != nil {
		b.Truth[row] = class == 1
	}
	if b.Correct != nil {
		top := TopLabel(b.Probability[row*b.Labels:][:b.Labels])
		b.Correct[row] = int32(top) == class
	}
}

// AllRows returns the rows 0…n−1, for folding a whole batch. It reuses buf.
func AllRows(buf []int32, n int) []int32 {
	for i := len(buf); i < n; i++ {
		buf = append(buf, int32(i))
	}
	return buf[:n]
}

// Complete fills in the columns that follow from others: Score from probabilities or logits,
// probabilities from logits, and in multiclass tasks Confidence and Correct. It reuses the memory
// of these columns.
func (b *Batch) Complete(task Task) {
	if b.Probability != nil && b.Logit == nil {
		b.Score = b.Probability
	}
	if b.Logit != nil {
		b.Score = b.Logit
		b.Probability = collections.Resize(b.Probability, len(b.Logit))
		if task == Multiclass {
			for r := range b.Rows {
				softmax(b.Probability[r*b.Labels:][:b.Labels], b.Logit[r*b.Labels:][:b.Labels])
			}
		} else {
			for i, z := range b.Logit {
				b.Probability[i] = sigmoid(z)
			}
		}
	}
	if task == Multiclass && b.Probability != nil {
		b.Confidence, b.Correct = collections.Resize(b.Confidence, b.Rows), collections.Resize(b.Correct, b.Rows)
		for r := range b.Rows {
			top := TopLabel(b.Probability[r*b.Labels:][:b.Labels])
			b.Confidence[r] = b.Probability[r*b.Labels+top]
			b.Correct[r] = int32(top) == b.Class[r]
		}
	}
}

// TopLabel returns the label with the highest score, the first if there are several.
func TopLabel(scores []float64) int {
	top := 0
	for i, s := range scores {
		if s > scores[top] {
			top = i
		}
	}
	return top
}

// sigmoid returns 1/(1 + e^-z), computed without overflow.
func sigmoid(z float64) float64 {
	if z >= 0 {
		return 1 / (1 + elementary.Exp(-z))
	}
	e := elementary.Exp(z)
	return e / (1 + e)
}

// softmax sets p to e^z / Σ e^z. Logits of +Inf share the whole probability. If all are -Inf, all
// classes get the same.
func softmax(p, logits []float64) {
	top := logits[TopLabel(logits)]
	total := 0.0
	for i, z := range logits {
		p[i] = expBelow(top, z)
		total += p[i]
	}
	for i := range p {
		p[i] /= total
	}
}

// expBelow returns e^(z-top) for z up to top. It is 1 for equal infinities.
func expBelow(top, z float64) float64 {
	if z == top {
		return 1
	}
	return elementary.Exp(z - top)
}

// logTotal is log Σ e^z = top + rest, where top is the highest z. In a single number, top would
// absorb the digits of rest, and the loss of a nearly certain label consists only of rest.
type logTotal struct{ top, rest float64 }

// logSumExp returns log Σ e^z, without overflow.
func logSumExp(logits []float64) logTotal {
	at := TopLabel(logits)
	top, others := logits[at], 0.0
	for i, z := range logits {
		if i != at {
			others += expBelow(top, z)
		}
	}
	return logTotal{top, elementary.Log1p(others)}
}

// loss returns -log softmax of a logit z.
func (l logTotal) loss(z float64) float64 {
	if z == l.top {
		return l.rest
	}
	return l.top - z + l.rest
}
