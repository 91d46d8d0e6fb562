package queries

import "math"

// pairs counts pairs of the retrieved items, for the measures that no order of
// tied items changes.
type pairs struct {
	// twiceWrong is twice the pairs of a relevant item and another in the wrong
	// order, tied pairs counting one half.
	twiceWrong int
	// discordant pairs have scores in one order and relevances in the other.
	discordant                         int
	tiedScores, tiedRelevances, tiedIn int // tiedIn: in both
}

// count counts the pairs of a group of equal scores and of it with the items
// before it, but for the pairs of two items that both have relevance. The
// group's relevances that are not 0 come highest first; before is how many
// there are before the group.
func (p *pairs) count(g group, before int, relevances []float64) {
	p.twiceWrong += g.relevant * (2*(g.above-g.relevantAbove) + g.size - g.relevant)
	p.discordant += len(relevances) * (g.above - before)
	p.tiedScores += pairsOf(g.size)
	p.tiedIn += tiedPairs(relevances) + pairsOf(g.size-len(relevances))
}

// pairsOf is the number of pairs of n things.
func pairsOf(n int) int { return n * (n - 1) / 2 }

// tiedPairs is the number of pairs of equal values of a sorted list.
func tiedPairs(sorted []float64) int {
	total, run := 0, 0
	for i, x := range sorted {
		if i == 0 || x != sorted[i-1] {
			run = 0
		}
		total += run
		run++
	}
	return total
}

// insertions is how long a list is sorted by insertion.
const insertions = 12

// sortDown sorts a list, highest first, and returns how many pairs were in the
// wrong order. spare is room for as many values.
func sortDown(list, spare []float64) int {
	if len(list) <= insertions {
		wrong := 0
		for i, x := range list {
			at := i
			for ; at > 0 && list[at-1] < x; at-- {
				list[at] = list[at-1]
			}
			list[at] = x
			wrong += i - at
		}
		return wrong
	}
	half := len(list) / 2
	wrong := sortDown(list[:half], spare[:half]) + sortDown(list[half:], spare[half:])
	copy(spare, list)
	left, right := spare[:half], spare[half:]
	for i := range list {
		if len(right) == 0 || len(left) > 0 && left[0] >= right[0] {
			list[i], left = left[0], left[1:]
		} else {
			list[i], right = right[0], right[1:]
			wrong += len(left)
		}
	}
	return wrong
}

// ROCAUC is the area under the ROC curve of the retrieved items: the share of
// the pairs of a relevant item and another in which it has the higher score, ties
// counting one half. It is undefined where there is no such pair.
func (q *Ranking) ROCAUC() (value float64, defined bool) {
	all := 2 * q.retrieved * (q.items - q.retrieved)
	if all == 0 {
		return 0, false
	}
	return float64(all-q.pairs.twiceWrong) / float64(all), true
}

// KendallTau is Kendall's tau-b (Kendall 1945) of the scores and the relevances
// of the retrieved items. It is undefined where either are all equal.
func (q *Ranking) KendallTau() (value float64, defined bool) {
	all, p := pairsOf(q.items), q.pairs
	scores, relevances := all-p.tiedScores, all-p.tiedRelevances // the pairs that differ
	if scores == 0 || relevances == 0 {
		return 0, false
	}
	surplus := all - p.tiedScores - p.tiedRelevances + p.tiedIn - 2*p.discordant
	tau := float64(surplus) / math.Sqrt(float64(scores)) / math.Sqrt(float64(relevances))
	return min(max(tau, -1), 1), true
}
