package synthetic

import (
	"math"
)

// model returns the function that generates the rows of a batch.
func (s *Spec) model() func(*batch) {
	draws := func(purpose string) stream { return newStream(s.Seed, purpose) }
	logit := s.ScoreType == Logit
	switch s.Task {
	case Multiclass:
		// The maximum of n samples of the noise grows like the square root of n. With this bonus,
		// the accuracy hardly depends on the number of classes.
		bonus := 2 * math.Sqrt(float64(s.Labels))
		return (&classes{class: draws("class"), noise: draws("noise"), bonus: bonus, logit: logit}).fill
	case Regression:
		return (&numbers{value: draws("value"), noise: draws("error")}).fill
	case Preference:
		return s.battles().fill
	case Grade:
		return (&tries{chance: draws("chance"), luck: draws("luck")}).fill
	case Agreement:
		return func(*batch) {} // a rating is drawn when it is written
	case Ranking:
		return (&rankings{relevance: draws("relevance"), noise: draws("noise")}).fill
	}
	odds := []float64{binaryOdds}
	if s.Task == Multilabel {
		odds = labelOdds(s.Labels)
	}
	return (&labels{signal: draws("signal"), answer: draws("answer"), odds: odds, logit: logit, broken: s.brokenScores(), other: draws("other signal")}).fill
}

// classes is the model of task multiclass: the logit of each class is noise, and the true class
// gets a bonus.
type classes struct {
	class, noise stream
	bonus        float64 // factor of the odds
	logit        bool
}

func (m *classes) fill(b *batch) {
	for i, row := range b.rows {
		class := skewed(m.class.uniform(row), b.width)
		b.truth.class[i] = int32(class)
		m.draw(row, class, b.scores[i*b.width:][:b.width])
	}
	b.round(b.scores)
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
			odds = float64(odds * m.bonus) // the conversion prevents fusing with the sum
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

// rankings is the model of task ranking: an item has a grade of relevance from 0 to 3, and a score
// of 0.7 times the grade plus logistic noise.
type rankings struct {
	relevance, noise stream
}

func (m *rankings) fill(b *batch) {
	k := 0
	for _, row := range b.rows {
		for item := range int64(b.width) {
			cell := row*int64(b.width) + item
			u := m.noise.uniform(cell)
			grade := gradeOf(m.relevance.uniform(cell))
			b.truth.grade[k] = grade
			// The standard deviation of the noise is about 1. The conversions prevent fused
			// operations.
			b.scores[k] = float64(0.7*float64(grade)) + float64(0.55*ln(u/(1-u)))
			k++
		}
	}
	b.round(b.scores)
}

// gradeOf gives 10 of 100 items the grade 1, 4 the grade 2, and one the grade 3.
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

// numbers is the model of task regression. Labels are positive, because some metrics take
// logarithms. Their median is 100.
type numbers struct {
	value, noise stream
}

func (m *numbers) fill(b *batch) {
	for i, row := range b.rows {
		u, v := m.value.uniform(row), m.noise.uniform(row)
		spread := math.Sqrt(math.Sqrt(math.Sqrt(u / (1 - u))))
		wrong := math.Sqrt(math.Sqrt(math.Sqrt(math.Sqrt(v / (1 - v)))))
		b.truth.number[i] = 100 * spread
		b.predicted.number[i] = 100 * spread * wrong
	}
	b.round(b.truth.number)
	b.round(b.predicted.number)
}

// labels is the model of tasks binary and multilabel: it decides independently for each row and
// label whether the label is positive.
type labels struct {
	signal, answer stream
	odds           []float64 // by label: the median of the true odds
	logit          bool

	broken func(row int64) bool // which rows have a score that tells nothing; may be nil
	other  stream               // the signal of these scores
}

// binaryOdds makes one row in ten positive.
const binaryOdds = 0.042

// labelOdds makes the first label positive in 0.44 of the rows, the 20th in 0.03 and the 1000th in
// 0.0002, so that a row has two or three labels however many there are.
func labelOdds(labels int) []float64 {
	odds := make([]float64, labels)
	for i := range odds {
		r := float64(i + 1)
		odds[i] = 0.7 / (r * math.Sqrt(r))
	}
	return odds
}

func (m *labels) fill(b *batch) {
	threshold := 0.5
	if m.logit {
		threshold = 0
	}
	i := 0
	for _, row := range b.rows {
		for k := range int64(b.width) {
			// The order of samples is the same in both layouts: by example, then by label.
			draw := row*int64(b.width) + k
			odds := m.odds[draw%int64(len(m.odds))]
			b.truth.positive[i], b.scores[i] = m.draw(m.signal, draw, odds)
			if m.broken != nil && m.broken(row) {
				_, b.scores[i] = m.draw(m.other, draw, odds)
			}
			i++
		}
	}
	b.round(b.scores)
	for i, score := range b.scores {
		b.predicted.positive[i] = score >= threshold
	}
}

// draw samples a label and its score. If u is uniform, u/(1-u) is the exponential of a logistic
// variable, and its square root the exponential of a variable half as wide. No logarithm is
// therefore needed unless logits are written. The conversions prevent fused operations, which only
// some machines have.
func (m *labels) draw(signal stream, i int64, odds float64) (positive bool, score float64) {
	u, v := signal.pair(i)
	yes, no := float64(odds*u), 1-u // the true odds
	positive = m.answer.uniform(i)*(yes+no) < yes
	seenYes, seenNo := float64(yes*math.Sqrt(v)), float64(no*math.Sqrt(1-v))
	if m.logit {
		return positive, ln(seenYes / seenNo)
	}
	return positive, seenYes / (seenYes + seenNo)
}
