package metrics

import (
	"math"
	"slices"

	"github.com/beameval/beameval/metrics/internal/discount"
)

// ranking is how the scores of an example rank its true labels among all, best
// first. Where labels of equal scores need an order, lower ones come first.
// Labels without a score come after those that have one, tied.
type ranking struct {
	labels    int   // all labels
	positives int   // of them true
	groups    []tie // the true labels by score, best first
	// Of each true label: itself, its place, from 1, and its group.
	trueLabels []int32
	places     []int
	groupOf    []int

	// The inverse propensity of a label, nil where no measure needs it, and those
	// of the true labels, as they come and highest first.
	inverseOf       func(label int32) float64
	inverse, ranked []float64

	scores    []float64 // see read
	discounts discount.Table
}

// tie is a group of labels with equal scores, of which some are true.
type tie struct{ above, size, positives int } // above: labels with higher scores

// read reads row r of a batch. It sorts the scores of the true labels only, and
// counts the other labels between them: usually few labels are true. No branch
// depends on how two scores compare, as the processor could not predict it; but
// for one on whether they are equal.
func (v *ranking) read(b *Batch, r int32) {
	scores, candidates := b.Scored(r)
	truth := b.truthOf(r)
	v.labels, v.positives = b.Labels, 0
	v.scores = resize(v.scores, len(scores)+1)
	for i, s := range scores {
		v.scores[v.positives] = s
		v.positives += number(truth[i])
	}
	v.scores = v.scores[:v.positives]
	slices.Sort(v.scores)
	slices.Reverse(v.scores)
	v.scores = slices.Compact(v.scores) // those of the groups

	// Labels below all groups are counted in one more, of no score.
	n := len(v.scores)
	v.scores = append(v.scores, math.NaN())
	v.groups = resize(v.groups, n+1)
	clear(v.groups)
	v.trueLabels, v.places, v.groupOf = v.trueLabels[:0], v.places[:0], v.groupOf[:0]
	for i, s := range scores {
		group := higher(v.scores[:n], s)
		g := &v.groups[group]
		if v.scores[group] != s {
			g.above++ // and below the group before it, for now
			continue
		}
		g.size++
		if truth[i] {
			g.positives++
			label := int32(i)
			if candidates != nil {
				label = candidates[i]
			}
			v.trueLabels = append(v.trueLabels, label)
			v.places = append(v.places, g.size) // in the group, for now
			v.groupOf = append(v.groupOf, group)
		}
	}
	v.groups = v.groups[:n]
	above := 0
	for i := range v.groups {
		g := &v.groups[i]
		g.above += above
		above = g.above + g.size
	}
	for i, group := range v.groupOf {
		v.places[i] += v.groups[group].above
	}
	if len(scores) < v.labels {
		v.readAbsent(b.True.Row(r), candidates)
	}
	if v.inverseOf != nil {
		v.readPropensities()
	}
}

func (v *ranking) readPropensities() {
	v.inverse = v.inverse[:0]
	for _, label := range v.trueLabels {
		v.inverse = append(v.inverse, v.inverseOf(label))
	}
	v.ranked = append(v.ranked[:0], v.inverse...)
	slices.Sort(v.ranked)
	slices.Reverse(v.ranked)
}

// readAbsent adds the true labels that have no score. Both lists increase.
func (v *ranking) readAbsent(truth, candidates []int32) {
	n, lower := len(candidates), 0 // lower: candidates less than the label
	found := 0
	for _, label := range truth {
		for lower < n && candidates[lower] < label {
			lower++
		}
		if lower < n && candidates[lower] == label {
			continue
		}
		found++
		v.trueLabels = append(v.trueLabels, label)
		v.places = append(v.places, n+int(label)-lower+1)
		v.groupOf = append(v.groupOf, len(v.groups))
	}
	if found > 0 {
		v.positives += found
		v.groups = append(v.groups, tie{above: n, size: v.labels - n, positives: found})
	}
}

// higher returns how many of the scores, which decrease, are higher than s.
func higher(scores []float64, s float64) int {
	first := 0
	for len(scores) > 0 {
		half := (len(scores) + 1) / 2
		skip := half * number(scores[half-1] > s)
		first += skip
		scores = scores[skip:][:len(scores)-half]
	}
	return first
}

// number is 1 if b is true, else 0, without a branch.
func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// hitsAt is how many of the k best labels are true.
func (v *ranking) hitsAt(k int) float64 {
	hits := 0
	for _, place := range v.places {
		hits += number(place <= k)
	}
	return float64(hits)
}

// negatives is how many labels are not true.
func (v *ranking) negatives() int { return v.labels - v.positives }

// rankingMeasure names a measure.
type rankingMeasure int

const (
	oneError rankingMeasure = iota
	coverageError
	coverage
	rankingLoss
	labelRankingAveragePrecision
	samplesNDCG
	samplesNDCGAt
	samplesPrecisionAt
	samplesRecallAt
	samplesF1At
	samplesHitRateAt
	samplesMaxF1
	samplesROCAUC
	samplesAveragePrecision
	propensityScoredAt
	propensityScoredBestAt
	propensityScoredGainAt
	propensityScoredBestGainAt
)

// rankingMeasures is the table of measures: what each is of an example, unless
// it is undefined, and whether zero_division stands in for it then.
var rankingMeasures = [...]struct {
	of           func(v *ranking, k int) (value float64, defined bool)
	zeroDivision bool
}{
	oneError: {of: func(v *ranking, _ int) (float64, bool) {
		return 1 - v.hitsAt(1), true
	}},
	coverageError: {of: func(v *ranking, _ int) (float64, bool) {
		return float64(v.depth()), true
	}},
	coverage: {of: func(v *ranking, _ int) (float64, bool) {
		return float64(v.depth() - 1), true
	}},
	rankingLoss: {of: func(v *ranking, _ int) (float64, bool) {
		if v.positives == 0 || v.negatives() == 0 {
			return 0, true
		}
		wrong, hits := 0, 0
		for _, g := range v.groups {
			hits += g.positives
			wrong += g.positives * (g.above + g.size - hits)
		}
		return float64(wrong) / float64(v.positives*v.negatives()), true
	}},
	labelRankingAveragePrecision: {of: func(v *ranking, _ int) (float64, bool) {
		if v.positives == 0 || v.negatives() == 0 {
			return 1, true
		}
		return v.averagePrecision(), true
	}},
	samplesNDCG: {of: func(v *ranking, _ int) (float64, bool) {
		return v.ndcg(v.labels), true
	}},
	samplesNDCGAt: {of: func(v *ranking, k int) (float64, bool) {
		return v.ndcg(k), true
	}},
	samplesPrecisionAt: {of: func(v *ranking, k int) (float64, bool) {
		return v.hitsAt(k) / float64(k), true
	}},
	samplesRecallAt: {of: func(v *ranking, k int) (float64, bool) {
		return v.hitsAt(k) / float64(max(v.positives, 1)), v.positives > 0
	}, zeroDivision: true},
	samplesF1At: {of: func(v *ranking, k int) (float64, bool) {
		return 2 * v.hitsAt(k) / float64(k+v.positives), true
	}},
	samplesHitRateAt: {of: func(v *ranking, k int) (float64, bool) {
		return min(v.hitsAt(k), 1), true
	}},
	samplesMaxF1: {of: func(v *ranking, _ int) (float64, bool) {
		best, hits := 0.0, 0
		for _, g := range v.groups { // a threshold between them is no better
			hits += g.positives
			best = max(best, float64(2*hits)/float64(g.above+g.size+v.positives))
		}
		return best, v.positives > 0
	}, zeroDivision: true},
	samplesROCAUC: {of: func(v *ranking, _ int) (float64, bool) {
		if v.positives == 0 || v.negatives() == 0 {
			return 0, false
		}
		hits, twice := 0, 0 // twice the pairs in order: ties count one half
		for _, g := range v.groups {
			tied := g.size - g.positives
			below := v.negatives() - tied - (g.above - hits)
			twice += g.positives * (2*below + tied)
			hits += g.positives
		}
		return float64(twice) / float64(2*v.positives*v.negatives()), true
	}},
	samplesAveragePrecision: {of: func(v *ranking, _ int) (float64, bool) {
		return v.averagePrecision(), v.positives > 0
	}},
	propensityScoredAt: {of: func(v *ranking, k int) (float64, bool) {
		total := 0.0
		for i, place := range v.places {
			if place <= k {
				total += v.inverse[i]
			}
		}
		return total / float64(k), true
	}},
	propensityScoredBestAt: {of: func(v *ranking, k int) (float64, bool) {
		total := 0.0
		for _, inverse := range v.ranked[:min(k, v.positives)] {
			total += inverse
		}
		return total / float64(k), true
	}},
	propensityScoredGainAt: {of: func(v *ranking, k int) (float64, bool) {
		if v.positives == 0 {
			return 0, true
		}
		total := 0.0
		for i, place := range v.places {
			if place <= k {
				total += v.inverse[i] / math.Log2(float64(place+1))
			}
		}
		return total / v.discounts.First(min(v.positives, k)), true
	}},
	propensityScoredBestGainAt: {of: func(v *ranking, k int) (float64, bool) {
		if v.positives == 0 {
			return 0, true
		}
		total := 0.0
		for i, inverse := range v.ranked[:min(k, v.positives)] {
			total += inverse / math.Log2(float64(i+2))
		}
		return total / v.discounts.First(min(v.positives, k)), true
	}},
}

// depth is how many labels one has to go through, best first, to have met all
// that are true; ties are met last.
func (v *ranking) depth() int {
	if v.positives == 0 {
		return 0
	}
	last := v.groups[len(v.groups)-1]
	return last.above + last.size
}

// averagePrecision is the mean, over true labels, of the share of true ones
// among the labels with its score or a higher one.
func (v *ranking) averagePrecision() float64 {
	hits, total := 0, 0.0
	for _, g := range v.groups {
		hits += g.positives
		total += float64(g.positives) * (float64(hits) / float64(g.above+g.size))
	}
	return total / float64(max(v.positives, 1))
}

// ndcg is the normalised discounted cumulative gain of the first k places.
// Labels with equal scores share their places' discounts, as in scikit-learn.
func (v *ranking) ndcg(k int) float64 {
	if v.positives == 0 {
		return 0
	}
	gain := 0.0
	for _, g := range v.groups {
		if g.above >= k {
			break
		}
		sum := v.discounts.First(min(g.above+g.size, k)) - v.discounts.First(g.above)
		gain += float64(g.positives) * (sum / float64(g.size))
	}
	return gain / v.discounts.First(min(v.positives, k))
}
