package queries

import "math"

// pairs counts pairs of retrieved items, for measures that do not depend on the order of tied
// items.
type pairs struct {
	// twiceWrong is twice the number of pairs of a relevant and an irrelevant item in the wrong
	// order. A tied pair counts one half.
	twiceWrong int
	// discordant is the number of pairs whose scores are in one order and whose relevances are in
	// the other.
	discordant                         int
	tiedScores, tiedRelevances, tiedIn int // tiedIn: in both
}

// ties holds items with equal scores.
type ties struct {
	above, size             int     // the number of items before them, and of the tied items
	relevantAbove, relevant int     // how many of these are relevant
	levelsAbove             int     // the number of items before them with a relevance other than 0
	levels                  []keyed // the relevances of the tied items other than 0, highest first
}

// count counts the pairs among the tied items, and the pairs of one of them and an item before. It
// omits discordant pairs in which both items have relevance.
func (p *pairs) count(t ties) {
	p.twiceWrong += t.relevant * (2*(t.above-t.relevantAbove) + t.size - t.relevant)
	p.discordant += len(t.levels) * (t.above - t.levelsAbove)
	p.tiedScores += pairsOf(t.size)
	p.tiedIn += tiedPairs(t.levels) + pairsOf(t.size-len(t.levels))
}

// pairsOf returns the number of pairs of n things.
func pairsOf(n int) int { return n * (n - 1) / 2 }

// tiedPairs returns the number of pairs of equal keys in a sorted list.
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

// ROCAUC returns the area under the ROC curve of the retrieved items: the share of the pairs of a
// relevant and an irrelevant item in which the relevant one has the higher score. Ties count one
// half. It is undefined if there is no such pair.
func (q *Ranking) ROCAUC() (value float64, defined bool) {
	all := 2 * q.retrieved * (q.items - q.retrieved)
	if all == 0 {
		return 0, false
	}
	return float64(all-q.pairs.twiceWrong) / float64(all), true
}

// KendallTau returns Kendall's tau-b (Kendall 1945) of the scores and the relevances of the
// retrieved items. It is undefined if all scores or all relevances are equal.
func (q *Ranking) KendallTau() (value float64, defined bool) {
	all, p := pairsOf(q.items), q.pairs
	scores, relevances := all-p.tiedScores, all-p.tiedRelevances // the numbers of pairs that differ
	if scores == 0 || relevances == 0 {
		return 0, false
	}
	surplus := all - p.tiedScores - p.tiedRelevances + p.tiedIn - 2*p.discordant
	tau := float64(surplus) / math.Sqrt(float64(scores)) / math.Sqrt(float64(relevances))
	return min(max(tau, -1), 1), true
}
