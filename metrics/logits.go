package metrics

import "math"

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
