package synthetic

import "math"

// classes is the model of task multiclass: every class gets a logit of noise, and the
// true one a bonus.
type classes struct {
	class, noise stream
	bonus        float64 // a factor of the odds
	logit        bool
	float        int
}

func newClasses(s *Spec) *classes {
	return &classes{
		class: newStream(s.Seed, "class"),
		noise: newStream(s.Seed, "noise"),
		// The largest of n draws of noise grows like the root of n, so the share of
		// right predictions hardly depends on the number of classes.
		bonus: 2 * math.Sqrt(float64(s.Labels)),
		logit: s.ScoreType == Logit,
		float: s.Float,
	}
}

func (m *classes) fill(b *batch) {
	for i, row := range b.rows {
		class := skewed(m.class.uniform(row), b.width)
		b.truth.class[i] = int32(class)
		m.draw(row, class, b.scores[i*b.width:][:b.width])
	}
	roundTo(m.float, b.scores)
	for i := range b.rows {
		b.predicted.class[i] = best(b.scores[i*b.width:][:b.width])
	}
}

func (m *classes) draw(row int64, class int, scores []float64) {
	sum := 0.0
	for k := range scores {
		u := m.noise.uniform(row*int64(len(scores)) + int64(k))
		odds := math.Sqrt(u / (1 - u))
		if k == class {
			odds = float64(odds * m.bonus) // never fused with the sum
		}
		sum += odds
		scores[k] = odds
	}
	for k, odds := range scores {
		if m.logit {
			scores[k] = ln(odds)
		} else {
			scores[k] = odds / sum // the softmax of the logits
		}
	}
}

// best returns the first of the classes with the highest score.
func best(scores []float64) int32 {
	at := 0
	for k, score := range scores {
		if score > scores[at] {
			at = k
		}
	}
	return int32(at)
}
