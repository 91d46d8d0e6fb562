package queries

import (
	"math"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/elementary"
)

// ERR returns the expected reciprocal rank (Chapelle et al. 2009): the expectation of 1 / (place at
// which a user stops). The user stops at an item with probability (2^relevance - 1) /
// 2^MaxRelevance, whatever the gain, and never after place k. ERR is NaN if any item, retrieved or
// missed, has a higher relevance than MaxRelevance.
func (q *Ranking) ERR(k int) float64 {
	if len(q.ideal) > 0 && q.ideal[0] > q.options.MaxRelevance {
		return math.NaN()
	}
	scale := elementary.Pow(2, -q.options.MaxRelevance)
	total, left := 0.0, 1.0 // left: the probability that the user has not stopped
	begin := 0
	for i := range q.groups {
		g := &q.groups[i]
		relevances := q.positive[begin:g.end]
		begin = g.end
		if g.above >= k || left < negligible {
			break
		}
		if g.size == 1 {
			stop := float64(ExponentialGain(relevances[0]) * scale)
			total += float64(left * stop / float64(g.above+1))
			left *= 1 - stop
			continue
		}
		q.stop = collections.Resize(q.stop, len(relevances))
		for j, rel := range relevances {
			q.stop[j] = ExponentialGain(rel) * scale
		}
		total += float64(left * q.survival.reciprocal(g.above, min(g.size, k-g.above), g.size, q.stop))
		for _, stop := range q.stop {
			left *= 1 - stop
		}
	}
	return total
}

// survival holds the mean probability of not stopping at j items of a group, taken at random.
type survival struct { // of[j] is that for j items
	of     []float64 // of[j]: at j items
	powers []float64
}

// exponent bounds the omitted terms: e^-exponent is less than negligible.
const exponent = 42

// reciprocal returns the expectation of 1 / (place at which a user stops) over all orders of a
// group, for the first places of the group. The group has size items and follows above others. The
// user stops at its items with the given probabilities, highest first, and never at the remaining
// ones. The omitted terms add up to less than 2^-60.
//
// Let M(j) be the mean, over all sets of j items of the group, of the product of their
// probabilities of not stopping. A user stops at place above+j with probability M(j-1) - M(j). The
// items of a random set are negatively associated, so that M(j) <= Π (1 - stop j/size) <= e^(-j Σ
// stop / size) (Joag-Dev & Proschan 1983). Let J be the place at which that is e^-42 J. From J on,
// all places together add less than M(J) / J.
func (s *survival) reciprocal(above, places, size int, stop []float64) float64 {
	var stops total
	for _, p := range stop {
		stops.add(p)
	}
	scale := float64(size) / stops.value() // J is more, so that 1/J is less than 1/scale
	if enough := math.Ceil(scale * max(exponent-elementary.Log(max(scale, 1)), 1)); enough < float64(places) {
		places = int(enough)
	}
	s.begin(places)
	items := size - len(stop)
	for len(stop) > 0 {
		n := 1
		for n < len(stop) && stop[n] == stop[0] {
			n++
		}
		s.add(items, n, 1-stop[0])
		items, stop = items+n, stop[n:]
	}
	var sum total
	for j := 1; j <= places; j++ {
		sum.add((s.of[j-1] - s.of[j]) / float64(above+j))
	}
	return sum.value()
}

// begin resets survival to a group in which nobody stops.
func (s *survival) begin(places int) {
	s.of = collections.Resize(s.of, places+1)
	for j := range s.of {
		s.of[j] = 1
	}
}

// add adds n items to a group of items items. A user does not stop at one of the new items with
// probability q. In a random set of j items, the number u of new items has the hypergeometric
// distribution. Its terms are computed from each other, starting from the largest until they are
// negligible, and divided by their sum.
func (s *survival) add(items, n int, q float64) {
	places := min(len(s.of)-1, items+n)
	s.powers = collections.Resize(s.powers, min(n, places)+1)
	power := 1.0
	for u := range s.powers {
		s.powers[u] = power
		power *= q
	}
	for j := places; j > 0; j-- { // downwards, because lower entries must not have the n items yet
		least, most := max(0, j-items), min(j, n)
		mode := int(float64(j+1) * (float64(n+1) / float64(items+n+2)))
		mode = min(max(mode, least), most)
		sum, all := float64(s.powers[mode]*s.of[j-mode]), 1.0
		term := 1.0
		for u := mode; u < most; {
			term = float64(term * (float64(n-u) * float64(j-u) / (float64(u+1) * float64(items-j+u+1))))
			if u++; term < negligible {
				break
			}
			sum += float64(term * s.powers[u] * s.of[j-u])
			all += term
		}
		term = 1.0
		for u := mode; u > least; {
			term = float64(term * (float64(u) * float64(items-j+u) / (float64(n-u+1) * float64(j-u+1))))
			if u--; term < negligible {
				break
			}
			sum += float64(term * s.powers[u] * s.of[j-u])
			all += term
		}
		s.of[j] = sum / all
	}
}
