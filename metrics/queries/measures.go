package queries

import (
	"math"
	"slices"

	"github.com/beameval/beameval/internal/elementary"
)

// Items returns the number of items retrieved.
func (q *Ranking) Items() int { return q.items }

// Relevant returns the number of relevant items, retrieved or missed.
func (q *Ranking) Relevant() int { return q.relevant }

// HasGain reports whether any item, retrieved or missed, has a gain.
func (q *Ranking) HasGain() bool { return len(q.ideal) > 0 }

// DCG returns the discounted cumulative gain of the first k places: the sum of gain /
// log2(place + 1) (Järvelin & Kekäläinen 2002, with the discount of Burges et al. 2005).
func (q *Ranking) DCG(k int) float64 {
	var sum total
	for i := range q.groups {
		g := &q.groups[i]
		if g.above >= k {
			break
		}
		discounts := q.discounts.Between(g.above, min(g.above+g.size, k))
		sum.add(g.gain * (discounts / float64(g.size)))
	}
	return sum.value()
}

// NDCG returns DCG divided by the DCG of the best ranking of all items, retrieved or missed. It is
// NaN if there are no gains.
func (q *Ranking) NDCG(k int) float64 {
	return min(q.DCG(k)/q.idealGain[min(k, len(q.ideal))], 1) // rounding must not exceed 1
}

// Hits returns the number of relevant items in the first k places.
func (q *Ranking) Hits(k int) float64 {
	for i := len(q.groups) - 1; i >= 0; i-- {
		if g := &q.groups[i]; g.above < k {
			share := float64(min(k-g.above, g.size)) / float64(g.size)
			return float64(g.relevantAbove) + float64(float64(g.relevant)*share)
		}
	}
	return 0
}

// RPrecision returns the precision at the place that equals the number of relevant items.
func (q *Ranking) RPrecision() float64 { return q.Hits(q.relevant) / float64(q.relevant) }

// AveragePrecision returns the mean, over the relevant items, of the precision at the place of
// each. The precision is 0 for items that were missed or that come after place k. With
// Options.Attainable, the sum is divided by how many relevant items there could be up to place k.
func (q *Ranking) AveragePrecision(k int) float64 {
	of := q.relevant
	if q.options.Attainable {
		of = min(of, k)
	}
	return q.precisionsUpTo(k) / float64(of)
}

// precisionsUpTo returns the sum of the precisions at the places of relevant items, up to place k.
func (q *Ranking) precisionsUpTo(k int) float64 {
	total := 0.0
	for i := range q.groups {
		g := &q.groups[i]
		switch {
		case g.above >= k:
			return total
		case g.relevant == 0:
		case g.size == 1:
			total += float64(g.relevantAbove+1) / float64(g.above+1)
		default:
			total += g.precisions(k)
		}
	}
	return total
}

// precisions returns the expected sum of the precisions at the places of the group's relevant
// items, up to place k. The item at each place of the group is relevant with probability
// relevant/size. The other relevant items are then equally likely at all other places.
func (g *group) precisions(k int) float64 {
	others := float64(g.relevant-1) / float64(g.size-1)
	var sum total
	for j := range min(g.size, k-g.above) {
		hits := float64(g.relevantAbove+1) + float64(others*float64(j))
		sum.add(hits / float64(g.above+j+1))
	}
	return sum.value() * (float64(g.relevant) / float64(g.size))
}

// first returns the group of the first relevant item, or nil.
func (q *Ranking) first() *group {
	for i := range q.groups {
		if q.groups[i].relevant > 0 {
			return &q.groups[i]
		}
	}
	return nil
}

// FirstPlace returns the place of the first relevant item. It is undefined if none was retrieved.
func (q *Ranking) FirstPlace() (value float64, defined bool) {
	g := q.first()
	if g == nil {
		return 0, false
	}
	return float64(g.above) + float64(g.size+1)/float64(g.relevant+1), true
}

// ReciprocalRank returns 1 / (place of the first relevant item), or 0 if that place is not
// among the first k.
func (q *Ranking) ReciprocalRank(k int) float64 {
	g := q.first()
	switch {
	case g == nil || g.above >= k:
		return 0
	case g.size == 1:
		return 1 / float64(g.above+1)
	}
	var sum total
	g.firstPlaces(k, func(place int, probability float64) { sum.add(probability / float64(place)) })
	return sum.value()
}

// HitRate returns 1 if a relevant item is among the first k, and 0 otherwise.
func (q *Ranking) HitRate(k int) float64 {
	g := q.first()
	switch {
	case g == nil || g.above >= k:
		return 0
	case g.above+g.size-g.relevant < k: // the irrelevant items cannot fill the places
		return 1
	}
	var sum total
	g.firstPlaces(k, func(_ int, probability float64) { sum.add(probability) })
	return sum.value()
}

// negligible is a probability that is too small to change any measure.
const negligible = 0x1p-60

// firstPlaces yields, for each place up to k, the probability that the first relevant item of the
// group is there. It stops when the remaining probability is negligible.
func (g *group) firstPlaces(k int, yield func(place int, probability float64)) {
	none := 1.0 // the probability of no relevant item so far
	for j := range min(g.size-g.relevant+1, k-g.above) {
		left := float64(g.size - j)
		yield(g.above+j+1, none*(float64(g.relevant)/left))
		if none *= float64(g.size-g.relevant-j) / left; none < negligible {
			return
		}
	}
}

// RBP returns rank-biased precision (Moffat & Zobel 2008): the sum of (1-p) p^(place-1) over
// the places of relevant items. p is less than 1.
func (q *Ranking) RBP(p float64) float64 {
	total := 0.0
	for i := range q.groups {
		g := &q.groups[i]
		if g.relevant == 0 {
			continue
		}
		share := 1 - p
		if g.size > 1 { // all items of the group share its places
			share = -elementary.Expm1(float64(g.size)*elementary.Log(p)) / float64(g.size) * float64(g.relevant)
		}
		total += float64(q.power(p, g.above) * share)
	}
	return total
}

// powers caches the powers of p from 0, as far as they have been needed.
type powers struct {
	p  float64
	of []float64
}

// tabled is the number of powers that are cached.
const tabled = 1 << 12

// power returns p^n.
func (q *Ranking) power(p float64, n int) float64 {
	if n >= tabled {
		return elementary.Pow(p, float64(n))
	}
	at := slices.IndexFunc(q.powers, func(x powers) bool { return x.p == p })
	if at < 0 {
		at = len(q.powers)
		q.powers = append(q.powers, powers{p: p})
	}
	t := &q.powers[at]
	for i := len(t.of); i <= n; i++ {
		t.of = append(t.of, elementary.Pow(p, float64(i)))
	}
	return t.of[n]
}

// Bpref returns the mean, over the R relevant items, of 1 - min(n, R) / min(N, R), which is 0 for
// items that were missed. N is the number of items that were judged not relevant, and n is how many
// of them come before the relevant item. Items that were not judged do not count (Buckley &
// Voorhees 2004, as in trec_eval 9).
func (q *Ranking) Bpref() float64 {
	most := min(q.nonrelevant, q.relevant)
	total := 0.0
	for i := range q.groups {
		g := &q.groups[i]
		if before := g.judgedBefore(q.relevant); before == 0 {
			total += float64(g.relevant)
		} else {
			total += float64(float64(g.relevant) * (1 - before/float64(most)))
		}
	}
	return total / float64(q.relevant)
}

// judgedBefore returns the expectation of min(n, limit), where n is the number of items judged not
// relevant that come before a relevant item of the group. Of the group's own such items, each number
// from none to all is equally likely to come before it.
func (g *group) judgedBefore(limit int) float64 {
	numbers := g.nonrelevant + 1
	below := min(max(limit-g.nonrelevantAbove, 0), numbers) // how many numbers do not reach the limit
	sum := below*g.nonrelevantAbove + pairsOf(below) + (numbers-below)*limit
	return float64(sum) / float64(numbers)
}

// Judged returns the share of the first k places whose items were judged, or of all places if there
// are fewer. It is 0 if nothing was retrieved.
func (q *Ranking) Judged(k int) float64 {
	k = min(k, q.items)
	switch {
	case k == 0:
		return 0
	case q.judged == nil:
		return 1
	}
	var sum total
	for from, to := 0, 0; from < k; from = to {
		judged := 0
		for to = from; to < q.items && (to == from || !q.options.InOrder && q.order[to].key == q.order[from].key); to++ {
			if q.judged[q.order[to].item] {
				judged++
			}
		}
		sum.add(float64(judged) * (float64(min(k, to)-from) / float64(to-from)))
	}
	return sum.value() / float64(k)
}

// total is a sum with the remainder that rounding has removed (Neumaier 1974).
type total struct{ sum, lost float64 }

func (t *total) add(x float64) {
	x = float64(x) // rounded, if it is a product
	sum := t.sum + x
	if math.Abs(t.sum) >= math.Abs(x) {
		t.lost += (t.sum - sum) + x
	} else {
		t.lost += (x - sum) + t.sum
	}
	t.sum = sum
}

func (t *total) value() float64 { return t.sum + t.lost }
