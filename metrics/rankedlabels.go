package metrics

import (
	"math"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/metrics/internal/dcg"
)

// labelRanking says how the scores of an example rank its true labels among all labels, best first.
// If labels with equal scores need an order, they are ordered by index. Labels without a score are
// tied and come last.
type labelRanking struct {
	labels    int   // the number of all labels
	positives int   // the number of true labels
	groups    []tie // the true labels grouped by score, best first
	// For each true label: the label, its place, counted from 1, and its group.
	trueLabels []int32
	places     []int
	groupOf    []int

	// inverseOf returns the inverse propensity of a label; it is nil if no measure needs it.
	// inverse holds the inverse propensities of the true labels in their order, and ranked holds
	// them in descending order.
	inverseOf       func(label int32) float64
	inverse, ranked []float64

	scores    []float64 // see read
	discounts dcg.DiscountTable
}

// tie is a group of labels with equal scores, at least one of them true.
type tie struct{ above, size, positives int } // above: the number of labels with higher scores

// read reads row r of a batch. Usually few labels are true, so read sorts only their scores, and
// counts the other labels between them. No branch depends on which of two scores is higher or which
// labels are true, because the processor could not predict it.
func (v *labelRanking) read(b *Batch, r int32) {
	scores, candidates := b.Scored(r)
	truth := b.truthOf(r)
	v.labels = b.Labels
	v.readGroups(scores, truth)
	v.readPlaces(scores, truth)
	for i, at := range v.trueLabels {
		if candidates != nil {
			v.trueLabels[i] = candidates[at]
		}
	}
	if len(scores) < v.labels {
		v.readAbsent(b.True.Row(r), candidates)
	}
	if v.inverseOf != nil {
		v.readPropensities()
	}
}

// readGroups makes one group for each score of a true label, and one more, without a score, for the
// labels below all groups.
func (v *labelRanking) readGroups(scores []float64, truth []bool) {
	v.positives = 0
	v.scores = collections.Resize(v.scores, len(scores)+1)
	for i, s := range scores {
		v.scores[v.positives] = s
		v.positives += oneIf(truth[i])
	}
	v.scores = v.scores[:v.positives]
	slices.Sort(v.scores)
	slices.Reverse(v.scores)
	v.scores = append(slices.Compact(v.scores), math.NaN())
	v.groups = collections.Resize(v.groups, len(v.scores))
	clear(v.groups)
}

// readPlaces counts the labels in the groups and between them, and finds the true labels, in order
// of their indices, and their places.
func (v *labelRanking) readPlaces(scores []float64, truth []bool) {
	n := v.positives
	v.trueLabels, v.places, v.groupOf = collections.Resize(v.trueLabels, n+1), collections.Resize(v.places, n+1), collections.Resize(v.groupOf, n+1)
	groups := len(v.groups) - 1
	found := 0
	for i, s := range scores {
		group := higher(v.scores[:groups], s)
		g, in := &v.groups[group], oneIf(v.scores[group] == s)
		g.size += in
		g.above += 1 - in // for now, the count also includes the labels below the group before
		v.trueLabels[found], v.places[found], v.groupOf[found] = int32(i), g.size, group
		found += oneIf(truth[i])
	}
	v.trueLabels, v.places, v.groupOf, v.groups = v.trueLabels[:n], v.places[:n], v.groupOf[:n], v.groups[:groups]
	above := 0
	for i := range v.groups {
		g := &v.groups[i]
		g.above += above
		above = g.above + g.size
	}
	for i, group := range v.groupOf {
		g := &v.groups[group]
		g.positives++
		v.places[i] += g.above // until now it was the place within the group
	}
}

func (v *labelRanking) readPropensities() {
	v.inverse = v.inverse[:0]
	for _, label := range v.trueLabels {
		v.inverse = append(v.inverse, v.inverseOf(label))
	}
	v.ranked = append(v.ranked[:0], v.inverse...)
	slices.Sort(v.ranked)
	slices.Reverse(v.ranked)
}

// readAbsent adds the true labels without a score. Both lists must increase.
func (v *labelRanking) readAbsent(truth, candidates []int32) { // lower: the number of candidates less than the label
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

// higher returns how many of the scores, which must decrease, are higher than s. It bisects them
// until they are so few that comparing with each is faster.
func higher(scores []float64, s float64) int {
	const few = 8
	first := 0
	for len(scores) > few {
		half := (len(scores) + 1) / 2
		skip := half * oneIf(scores[half-1] > s)
		first += skip
		scores = scores[skip:][:len(scores)-half]
	}
	for _, x := range scores {
		first += oneIf(x > s)
	}
	return first
}

// oneIf returns 1 if b is true and 0 otherwise. The compiler generates no branch for it.
func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// labelRanking returns how the scores of the row rank its labels.
func (r *row) labelRanking() *labelRanking {
	if !r.labelsRead {
		r.labels.read(r.Batch, r.index)
		r.labelsRead = true
	}
	return &r.labels
}

// hitsAt returns the number of true labels among the k best.
func (v *labelRanking) hitsAt(k int) float64 {
	hits := 0
	for _, place := range v.places {
		hits += oneIf(place <= k)
	}
	return float64(hits)
}

// negatives returns the number of labels that are not true.
func (v *labelRanking) negatives() int { return v.labels - v.positives }

// depth returns how far down the ranking one has to go to find all true labels. Among tied labels,
// the true ones come last.
func (v *labelRanking) depth() int {
	if v.positives == 0 {
		return 0
	}
	last := v.groups[len(v.groups)-1]
	return last.above + last.size
}

// averagePrecision returns the mean, over true labels, of the share of true labels among the labels
// with the same score or a higher one.
func (v *labelRanking) averagePrecision() float64 {
	hits, total := 0, 0.0
	for _, g := range v.groups {
		hits += g.positives
		total += float64(float64(g.positives) * (float64(hits) / float64(g.above+g.size)))
	}
	return total / float64(max(v.positives, 1))
}

// ndcg returns the normalised discounted cumulative gain of the first k places. Labels with equal
// scores share the discounts of their places, as in scikit-learn.
func (v *labelRanking) ndcg(k int) float64 {
	if v.positives == 0 {
		return 0
	}
	gain, best, places := 0.0, 0, min(v.positives, k)
	for _, g := range v.groups {
		if g.above >= k {
			break
		}
		if g.above == best && g.positives == g.size {
			best += g.size
		}
		sum := v.discounts.First(min(g.above+g.size, k)) - v.discounts.First(g.above)
		gain += float64(float64(g.positives) * (sum / float64(g.size)))
	}
	if best >= places { // all first places have true labels; the computed gain is rounded
		return 1
	}
	return min(gain/v.discounts.First(places), 1)
}
