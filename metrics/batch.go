package metrics

import "math"

// Batch is a run of examples in columns, as statistics fold them; of ranking
// tasks, each row is a query. Which columns
// are set depends on the task and on what is known of the examples; all have a
// value for each of Rows rows (times Labels where said).
//
// A Batch is taken to be valid: classes and labels in range, probabilities in
// [0, 1], weights finite and not negative, items as said.
type Batch struct {
	Rows   int
	Labels int // multilabel: labels; multiclass: classes; binary: 1

	Weight []float64 // nil: every example weighs 1

	// Binary (0 or 1) and multiclass: the true class and the predicted one.
	Class, Predicted []int32
	// Multiclass, where labels are soft: the true distribution over the classes,
	// of which Class is the first of the most probable. Its numbers are not
	// negative and add up to about 1. nil: all of it is on Class. Rows x Labels.
	Distribution []float64

	// Multilabel: the true labels of each example and the predicted ones.
	True, PredictedSet Sets

	// Candidates are the labels that have scores, where those are sparse; without
	// offsets, every label has one. Labels without a score rank after those that
	// have one, and are tied. "Each score" means each of Rows x Labels, row by
	// row or, where scores are sparse, of each of Candidates.Label.
	Candidates Sets
	// Binary and multilabel, of each score: whether the label is true.
	Truth []bool
	// The scores as they are, whatever their type; see Complete.
	Score []float64
	// Probabilities, given or computed from logits. Rows x Labels.
	Probability []float64
	// The logits, where scores are logits. Rows x Labels.
	Logit []float64

	// Multiclass: the highest probability of each example, and whether its class
	// (of equals, the first) is the true one.
	Confidence []float64
	Correct    []bool

	// Regression: the true value and the predicted one.
	Target, Estimate []float64

	// Ranking: the items that were retrieved for row r are those from
	// ItemOffset[r] to ItemOffset[r+1]; Score, which is not NaN, Relevance and
	// Judged have a value for each. Under ItemTies, items of equal scores rank in
	// the order in which they are here.
	ItemOffset []int32
	Relevance  []float64 // 0 or more, finite; 0 where an item was not judged
	Judged     []bool    // whether an item was judged; nil: all were
	// The relevances of the items that were judged and not retrieved, likewise; no
	// offsets: there are none.
	MissedOffset []int32
	Missed       []float64
}

// Sets are the label sets of a batch: row i holds the labels
// Label[Offset[i]:Offset[i+1]], in increasing order, without duplicates.
type Sets struct {
	Offset []int32
	Label  []int32
}

// Row returns the labels of row i.
func (s *Sets) Row(i int32) []int32 { return s.Label[s.Offset[i]:s.Offset[i+1]] }

// Scored returns the scores of row r and the labels that they are of, in
// increasing order; nil labels are all of them.
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

// CurveScores returns the scores, of each row and label, that curves order
// examples by: in multiclass tasks probabilities, if there are any, as a logit
// says little without those of the other classes.
func (b *Batch) CurveScores(task Task) []float64 {
	if task == Multiclass && b.Probability != nil {
		return b.Probability
	}
	return b.Score
}

// truthOf returns which of the scores of row r are of true labels.
func (b *Batch) truthOf(r int32) []bool {
	if b.Candidates.Offset == nil {
		return b.Truth[int(r)*b.Labels:][:b.Labels]
	}
	return b.Truth[b.Candidates.Offset[r]:b.Candidates.Offset[r+1]]
}

// weight returns the weight of row i.
func (b *Batch) weight(i int32) float64 {
	if b.Weight == nil {
		return 1
	}
	return b.Weight[i]
}

// AllRows returns the indices 0…n−1, for folding a whole batch. It reuses buf.
func AllRows(buf []int32, n int) []int32 {
	for i := len(buf); i < n; i++ {
		buf = append(buf, int32(i))
	}
	return buf[:n]
}

// Complete fills the columns that follow from others: scores that are
// probabilities or logits, probabilities from logits, and in multiclass tasks
// the top class. Buffers already in the batch
// are reused.
func (b *Batch) Complete(task Task) {
	if b.Probability != nil && b.Logit == nil {
		b.Score = b.Probability
	}
	if b.Logit != nil {
		b.Score = b.Logit
		b.Probability = resize(b.Probability, len(b.Logit))
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
		b.Confidence, b.Correct = resize(b.Confidence, b.Rows), resize(b.Correct, b.Rows)
		for r := range b.Rows {
			top := TopLabel(b.Probability[r*b.Labels:][:b.Labels])
			b.Confidence[r] = b.Probability[r*b.Labels+top]
			b.Correct[r] = int32(top) == b.Class[r]
		}
	}
}

// TopLabel returns the label of the highest score; of equals, the first.
func TopLabel(scores []float64) int {
	top := 0
	for i, s := range scores {
		if s > scores[top] {
			top = i
		}
	}
	return top
}

func resize[T any](buf []T, n int) []T {
	if cap(buf) < n {
		return make([]T, n)
	}
	return buf[:n]
}

// sigmoid is 1/(1 + e^-z), computed so that e^… never overflows.
func sigmoid(z float64) float64 {
	if z >= 0 {
		return 1 / (1 + math.Exp(-z))
	}
	e := math.Exp(z)
	return e / (1 + e)
}

// softmax sets p to e^z / Σ e^z. Infinite logits share all of the probability;
// where all are -Inf, every class gets the same.
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

// expBelow is e^(z-top), for z up to top; infinities of one sign are equal.
func expBelow(top, z float64) float64 {
	if z == top {
		return 1
	}
	return math.Exp(z - top)
}

// logTotal is log Σ e^z = top + rest, top being the highest z. In one number,
// top would swallow the digits of rest, which are all there is to the loss of a
// label that is nearly certain.
type logTotal struct{ top, rest float64 }

// logSumExp returns log Σ e^z; nothing overflows.
func logSumExp(logits []float64) logTotal {
	at := TopLabel(logits)
	top, others := logits[at], 0.0
	for i, z := range logits {
		if i != at {
			others += expBelow(top, z)
		}
	}
	return logTotal{top, math.Log1p(others)}
}

// loss is -log softmax of a logit z.
func (l logTotal) loss(z float64) float64 {
	if z == l.top {
		return l.rest
	}
	return l.top - z + l.rest
}
