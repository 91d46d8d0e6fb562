package synthetic

// rankings is the model of task ranking: an item has a grade of relevance from 0 to 3,
// and a score that is 0.7 for each grade behind logistic noise.
type rankings struct {
	relevance, noise stream
	float            int
}

func newRankings(s *Spec) *rankings {
	return &rankings{relevance: newStream(s.Seed, "relevance"), noise: newStream(s.Seed, "noise"), float: s.Float}
}

func (m *rankings) fill(b *batch) {
	k := 0
	for _, row := range b.rows {
		for item := range int64(b.width) {
			cell := row*int64(b.width) + item
			u := m.noise.uniform(cell)
			grade := gradeOf(m.relevance.uniform(cell))
			b.truth.grade[k] = grade
			// The standard deviation of the noise is about 1. The conversions forbid fused
			// operations.
			b.scores[k] = float64(0.7*float64(grade)) + float64(0.55*ln(u/(1-u)))
			k++
		}
	}
	roundTo(m.float, b.scores)
}

// gradeOf makes 15 items in 100 relevant, 4 of them very and one perfectly so.
func gradeOf(u float64) int32 {
	switch {
	case u < 0.85:
		return 0
	case u < 0.95:
		return 1
	case u < 0.99:
		return 2
	}
	return 3
}
