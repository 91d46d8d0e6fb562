package synthetic

import "math"

// numbers is the model of task regression. Labels are positive, as metrics with
// logarithms need; their median is 100.
type numbers struct {
	value, noise stream
	float        int
}

func newNumbers(s *Spec) *numbers {
	return &numbers{value: newStream(s.Seed, "value"), noise: newStream(s.Seed, "error"), float: s.Float}
}

func (m *numbers) fill(b *batch) {
	for i, row := range b.rows {
		u, v := m.value.uniform(row), m.noise.uniform(row)
		spread := math.Sqrt(math.Sqrt(math.Sqrt(u / (1 - u))))
		wrong := math.Sqrt(math.Sqrt(math.Sqrt(math.Sqrt(v / (1 - v)))))
		b.truth.number[i] = 100 * spread
		b.predicted.number[i] = 100 * spread * wrong
	}
	roundTo(m.float, b.truth.number)
	roundTo(m.float, b.predicted.number)
}
