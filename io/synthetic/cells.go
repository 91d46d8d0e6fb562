package synthetic

import "math"

// cells is the model of tasks binary and multilabel: one yes or no for each row and
// label, drawn independently.
type cells struct {
	signal, answer stream
	odds           []float64 // by label: the median of the true odds
	logit          bool
	float          int
}

// binaryOdds makes one row in ten positive.
const binaryOdds = 0.042

func newCells(s *Spec) *cells {
	m := &cells{
		signal: newStream(s.Seed, "signal"),
		answer: newStream(s.Seed, "answer"),
		logit:  s.ScoreType == Logit,
		float:  s.Float,
		odds:   []float64{binaryOdds},
	}
	if s.Task == Multilabel {
		m.odds = labelOdds(s.Labels)
	}
	return m
}

// labelOdds makes the first label true in 0.44 of all rows, the 20th in 0.03, the 1000th
// in 0.0002, so that a row has two or three labels however many there are.
func labelOdds(labels int) []float64 {
	odds := make([]float64, labels)
	for i := range odds {
		r := float64(i + 1)
		odds[i] = 0.7 / (r * math.Sqrt(r))
	}
	return odds
}

func (m *cells) fill(b *batch) {
	threshold := 0.5
	if m.logit {
		threshold = 0
	}
	i := 0
	for _, row := range b.rows {
		for k := range int64(b.width) {
			// Example by example and label by label, whatever the layout.
			cell := row*int64(b.width) + k
			b.truth.positive[i], b.scores[i] = m.draw(cell, m.odds[cell%int64(len(m.odds))])
			i++
		}
	}
	roundTo(m.float, b.scores)
	for i, score := range b.scores {
		b.predicted.positive[i] = score >= threshold
	}
}

// draw uses that u/(1-u) is the exponential of a logistic variable, and its square root
// that of one half as wide: no logarithm is needed unless logits are to be written. The
// conversions forbid fused operations, which only some machines have.
func (m *cells) draw(cell int64, odds float64) (positive bool, score float64) {
	u, v := m.signal.pair(cell)
	yes, no := float64(odds*u), 1-u // the true odds
	positive = m.answer.uniform(cell)*(yes+no) < yes
	seenYes, seenNo := float64(yes*math.Sqrt(v)), float64(no*math.Sqrt(1-v))
	if m.logit {
		return positive, ln(seenYes / seenNo)
	}
	return positive, seenYes / (seenYes + seenNo)
}
