// Package queries measures how well the ranking of items answers a query. It has the
// measures of information retrieval, for one query at a time.
//
// Items with equal scores have no order. Unless [Options] say otherwise, a measure is its
// expectation over all orders of tied items, in closed form (McSherry & Najork, ECIR 2008). It
// depends only on scores, relevances and judgements: the order in which items are given does not
// change a single bit.
//
// Places count from 1. An item is relevant if its relevance is at least the threshold. Items that
// were judged but not retrieved count among the relevant items and in ideal rankings; irrelevant
// ones count in bpref.
//
// The package neither averages over queries nor decides what queries without relevant items count
// as: package metrics does.
package queries

import (
	"math"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/elementary"
	"github.com/beameval/beameval/metrics/internal/dcg"
)

// Options settle what the definitions leave open.
type Options struct {
	// Gain returns what an item adds to DCG, by its relevance: [ExponentialGain] or [LinearGain].
	Gain func(relevance float64) float64
	// InOrder ranks items with equal scores in the order in which they are given, as trec_eval
	// does. Otherwise measures are expectations.
	InOrder bool
	// Threshold is the smallest relevance of relevant items. It must be positive.
	Threshold float64
	// MaxRelevance is the highest grade of relevance, which ERR needs. It must be positive and at
	// most MaxGrade.
	MaxRelevance float64
	// Attainable divides AveragePrecision by the number of relevant items that could be among the first k,
	// instead of all.
	Attainable bool
}

// MaxGrade is the highest possible MaxRelevance: 2^MaxGrade is a float64.
const MaxGrade = 1000

// ExponentialGain returns 2^relevance - 1 (Burges et al. 2005).
func ExponentialGain(relevance float64) float64 {
	if whole := uint64(relevance); whole < 64 && float64(whole) == relevance { // grades are whole numbers
		return float64(uint64(1)<<whole - 1)
	}
	return elementary.Expm1(relevance * math.Ln2)
}

// LinearGain returns the relevance itself (Järvelin & Kekäläinen 2002).
func LinearGain(relevance float64) float64 { return relevance }

// NoCut is the cut-off that includes all places.
const NoCut = math.MaxInt

// Ranking is the ranking of the items of one query. It can read one query after another, and reuses
// its memory. It is not safe for concurrent use.
type Ranking struct {
	options Options

	items    int // retrieved
	relevant int // retrieved or missed
	// retrieved is the number of retrieved relevant items; nonrelevant is the number of items,
	// retrieved or missed, that were judged not relevant.
	retrieved, nonrelevant int

	groups   []group
	positive []float64 // the relevances other than 0, group by group
	pairs    pairs
	// ideal holds the relevances other than 0 of retrieved and missed items, highest first.
	// idealGain[n] is the DCG of the first n.
	ideal, idealGain []float64

	judged []bool  // whether each item was judged; nil if all were
	order  []keyed // the items, sorted by score
	levels []keyed // relevances that are not 0: by score, then by themselves; then sorted
	spare  []keyed

	discounts dcg.DiscountTable
	powers    []powers
	stop      []float64 // the stop probabilities of a group
	survival  survival

	categories map[uint64]members // see Diversity
}

// group is a group of items without an order among them: items with equal scores, or a single item.
// Groups without any relevance are omitted.
type group struct {
	above, size                   int     // the number of items before the group, and in it
	relevantAbove, relevant       int     // how many of these are relevant
	nonrelevantAbove, nonrelevant int     // how many were judged not relevant
	gain                          float64 // of the group
	end                           int     // the end of its relevances in Ranking.positive
}

// New returns an empty Ranking.
func New(o Options) *Ranking { return &Ranking{options: o} }

// Read replaces the ranking with the ranking of a query's items. For each retrieved item, it needs
// the score, which must not be NaN; the relevance, which must be finite and not negative; and
// whether the item was judged. If judged is nil, all items were. Items that were not judged must
// have relevance 0. missed has the relevances of items that were judged but not retrieved. judged
// must not change until the next call.
func (q *Ranking) Read(scores, relevances []float64, judged []bool, missed []float64) {
	q.items, q.retrieved, q.nonrelevant = len(scores), 0, 0
	q.groups, q.positive, q.levels, q.pairs = q.groups[:0], q.positive[:0], q.levels[:0], pairs{}
	q.judged = judged
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

// sort sorts the items, best first. Items with equal scores keep their order.
func (q *Ranking) sort(scores []float64) {
	q.order, q.spare = collections.Resize(q.order, len(scores)), collections.Resize(q.spare, len(scores))
	for i, s := range scores {
		q.order[i] = keyed{keyOf(s), int32(i)}
	}
	sortDown(q.order, q.spare)
}

// readTies reads the items from place from+1 to place to, which have equal scores.
func (q *Ranking) readTies(from, to int, relevances []float64, judged []bool) {
	level, above := len(q.levels), q.retrieved
	if q.options.InOrder {
		for place := from; place < to; place++ {
			q.readGroup(place, place+1, relevances, judged)
		}
		sortDown(q.levels[level:], q.spare)
	} else {
		q.readGroup(from, to, relevances, judged)
	}
	q.pairs.count(ties{
		above: from, size: to - from, relevantAbove: above, relevant: q.retrieved - above,
		levelsAbove: level, levels: q.levels[level:],
	})
}

// readGroup reads the items from place from+1 to place to as one group. It appends the
// relevances that are not 0 to levels and positive, highest first.
func (q *Ranking) readGroup(from, to int, relevances []float64, judged []bool) {
	level, relevantAbove, nonrelevantAbove := len(q.levels), q.retrieved, q.nonrelevant
	for _, x := range q.order[from:to] {
		rel := relevances[x.item]
		if rel >= q.options.Threshold {
			q.retrieved++
		} else if judged == nil || judged[x.item] {
			q.nonrelevant++
		}
		if rel > 0 {
			q.levels = append(q.levels, keyed{key: keyOf(rel)})
		}
	}
	found := q.levels[level:]
	if len(found) == 0 {
		return
	}
	sortDown(found, q.spare)
	gain := 0.0
	for _, x := range found {
		rel := x.number()
		q.positive = append(q.positive, rel)
		gain += q.options.Gain(rel)
	}
	q.groups = append(q.groups, group{
		above: from, size: to - from,
		relevantAbove: relevantAbove, relevant: q.retrieved - relevantAbove,
		nonrelevantAbove: nonrelevantAbove, nonrelevant: q.nonrelevant - nonrelevantAbove,
		gain: gain, end: len(q.positive),
	})
}

// readIdeal reads the items that were missed, and computes the ideal ranking.
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
		q.spare = collections.Resize(q.spare, len(q.levels))
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
