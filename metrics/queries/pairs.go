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

// ties are items of equal scores.
type ties struct {
	above, size             int     // items before them, and of them
	relevantAbove, relevant int     // of them relevant
	levelsAbove             int     // items before them of a relevance that is not 0
	levels                  []keyed // their relevances that are not 0, highest first
}

// count counts the pairs of the ties, and of them with the items before, but for
// discordant pairs of which both have relevance.
func (p *pairs) count(t ties) {
	p.twiceWrong += t.relevant * (2*(t.above-t.relevantAbove) + t.size - t.relevant)
	p.discordant += len(t.levels) * (t.above - t.levelsAbove)
	p.tiedScores += pairsOf(t.size)
	p.tiedIn += tiedPairs(t.levels) + pairsOf(t.size-len(t.levels))
}

// pairsOf is the number of pairs of n things.
func pairsOf(n int) int { return n * (n - 1) / 2 }

// tiedPairs is the number of pairs of equal keys of a sorted list.
func tiedPairs(sorted []keyed) int {
	total, run := 0, 0
	for i, x := range sorted {
		if i == 0 || x.key != sorted[i-1].key {
			run = 0
		}
		total += run
		run++
	}
	return total
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
