package queries

import (
	"math"
	"slices"

	"github.com/beameval/beameval/metrics/internal/discount"
)

// NoCut is the cut-off of a measure of all places.
const NoCut = math.MaxInt

// Ranking is the ranking of the items of one query, and what its measures need
// to know of it. It keeps its memory, and can read one query after another; it is
// not safe for concurrent use.
type Ranking struct {
	options Options

	items    int // retrieved
	relevant int // retrieved or missed
	// retrieved is how many of the relevant items were, nonrelevant how many of
	// all items were judged and are not relevant.
	retrieved, nonrelevant int

	groups   []group
	positive []float64 // the relevances that are not 0, of one group after another
	// ideal are the relevances that are not 0, of retrieved and missed items,
	// highest first; idealGain[n] is the DCG of the first n.
	ideal, idealGain []float64

	pairs pairs

	discounts discount.Table
	order     []keyed // the items by score
	levels    []keyed // the positive relevances, see readTies
	spare     []keyed
	powers    []powers
	stop      []float64 // see stops
	survival  survival
}

// group is a group of items of equal scores, or a single item, that has one of
// positive relevance at least.
type group struct {
	above, size int // items before the group, and in it
	// relevant items before the group, and in it; so with those that were judged
	// and are not relevant
	relevantAbove, relevant       int
	nonrelevantAbove, nonrelevant int
	gain                          float64 // of the group
	end                           int     // of its relevances in Ranking.positive
}

// New returns a Ranking of no items.
func New(o Options) *Ranking { return &Ranking{options: o} }

// Read replaces the ranking by that of a query's items. Of each item retrieved it
// takes the score, which is not NaN, the relevance, 0 or more and finite, and
// whether it was judged; nil: all were. Items that were not have relevance 0.
// missed are the relevances of items that were judged and not retrieved.
func (q *Ranking) Read(scores, relevances []float64, judged []bool, missed []float64) {
	q.items, q.retrieved, q.nonrelevant = len(scores), 0, 0
	q.groups, q.positive, q.levels, q.pairs = q.groups[:0], q.positive[:0], q.levels[:0], pairs{}
	q.sort(scores)
	for from, to := 0, 0; from < q.items; from = to {
		for to = from + 1; to < q.items && q.order[to].key == q.order[from].key; to++ {
		}
		q.readTies(from, to, relevances, judged)
	}
	q.pairs.discordant += sortDown(q.levels, q.spare)
	q.pairs.tiedRelevances = tiedPairs(q.levels) + pairsOf(q.items-len(q.levels))
	q.readIdeal(missed)
}

// sort puts the items in order, best first; of equal scores the first.
func (q *Ranking) sort(scores []float64) {
	q.order, q.spare = resize(q.order, len(scores)), resize(q.spare, len(scores))
	for i, s := range scores {
		q.order[i] = keyed{keyOf(s), int32(i)}
	}
	sortDown(q.order, q.spare)
}

// readTies reads the items from place from+1 to place to, which have the same
// score. Their relevances are appended to levels, highest first, so that later
// only inversions of different scores count.
func (q *Ranking) readTies(from, to int, relevances []float64, judged []bool) {
	g := group{above: from, size: to - from, relevantAbove: q.retrieved, nonrelevantAbove: q.nonrelevant}
	first, level := len(q.positive), len(q.levels)
	for place, s := range q.order[from:to] {
		rel := relevances[s.item]
		if rel >= q.options.Threshold {
			q.retrieved++
		} else if judged == nil || judged[s.item] {
			q.nonrelevant++
		}
		if rel == 0 {
			continue
		}
		q.positive = append(q.positive, rel)
		q.levels = append(q.levels, keyed{key: keyOf(rel)})
		if q.options.InOrder && g.size > 1 {
			single := group{above: from + place, size: 1, relevantAbove: q.retrieved, nonrelevantAbove: q.nonrelevant}
			if rel >= q.options.Threshold {
				single.relevantAbove, single.relevant = q.retrieved-1, 1
			} else {
				single.nonrelevantAbove, single.nonrelevant = q.nonrelevant-1, 1 // judged, as it has relevance
			}
			q.add(single, rel)
		}
	}
	g.relevant, g.nonrelevant = q.retrieved-g.relevantAbove, q.nonrelevant-g.nonrelevantAbove
	tied := q.levels[level:]
	sortDown(tied, q.spare)
	q.pairs.count(g, level, tied)
	if len(tied) > 0 && !(q.options.InOrder && g.size > 1) {
		for i, rel := range tied {
			q.positive[first+i] = rel.number()
		}
		q.add(g, q.positive[first:]...)
	}
}

// add adds a group whose relevances are the last of positive.
func (q *Ranking) add(g group, relevances ...float64) {
	for _, rel := range relevances {
		g.gain += q.options.Gain(rel)
	}
	g.end = len(q.positive)
	q.groups = append(q.groups, g)
}

// readIdeal reads the items that were missed, and makes the ideal ranking.
func (q *Ranking) readIdeal(missed []float64) {
	retrieved := len(q.levels)
	for _, rel := range missed {
		if rel < q.options.Threshold {
			q.nonrelevant++
		}
		if rel > 0 {
			q.levels = append(q.levels, keyed{key: keyOf(rel)})
		}
	}
	if len(q.levels) > retrieved {
		q.spare = resize(q.spare, len(q.levels))
		sortDown(q.levels, q.spare)
	}
	q.relevant = 0
	q.ideal = q.ideal[:0]
	q.idealGain = append(q.idealGain[:0], 0)
	var sum total
	for i, level := range q.levels {
		rel := level.number()
		q.ideal = append(q.ideal, rel)
		if rel >= q.options.Threshold {
			q.relevant++
		}
		sum.add(q.options.Gain(rel) * q.discounts.Between(i, i+1))
		q.idealGain = append(q.idealGain, sum.value())
	}
}

// resize returns a slice of n elements, of any values, that reuses buf.
func resize[T any](buf []T, n int) []T {
	return slices.Grow(buf[:0], n)[:n]
}
