package baselinechanges

import (
	"math"

	"github.com/beameval/beameval/internal/bins"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/fields"
)

// Moves says how far numbers have changed. It divides every interval from a power of two to the next
// into 64 bins of equal width, so its memory is bounded and values of a bin differ by less than 1/64
// of them. No data decide the bins. Moves are a commutative monoid.
type Moves struct {
	bins fields.Keyed[moved, *moved] // by octaves.Of
}

// moved is a bin: how many numbers are in it, and their Σ w |Δ|.
type moved struct {
	tally exact.Tally
	sum   exact.Sum
}

// Empty implements fields.Monoid.
func (m *moved) Empty() bool { return m.tally.Empty() && m.sum.Empty() }

// Fields implements fields.Record.
func (m *moved) Fields(v *fields.Visitor, from *moved) {
	fields.Visit(v, &m.tally, &from.tally)
	fields.Visit(v, &m.sum, &from.sum)
}

// octaves are the bins of distances, and last is the bin of infinite ones.
var (
	octaves = bins.Octaves{Fine: 6}
	last    = octaves.Of(math.Float64bits(math.Inf(1)))
)

// distance returns |now - old|, which is 0 if both are equally infinite.
func distance(old, now float64) float64 {
	if old == now {
		return 0
	}
	return math.Abs(now - old)
}

// Add adds a number that was old and is now, with weight w.
func (m *Moves) Add(old, now, w float64) {
	if w == 0 {
		return // also if the distance is infinite
	}
	d := distance(old, now)
	bin := m.bins.Value(min(octaves.Of(math.Float64bits(d)), last))
	bin.tally.Add(w)
	if w == 1 {
		bin.sum.Add(d)
	} else {
		bin.sum.AddProduct(w, d)
	}
}

// Mean returns the mean distance, and false if there are no numbers. It may be infinite.
func (m *Moves) Mean() (mean float64, ok bool) {
	var sum exact.Sum
	var all exact.Tally
	for _, bin := range m.bins.All() {
		sum.Merge(&bin.sum)
		all.Merge(&bin.tally)
	}
	return sum.Float64() / all.Weight(), all.Weight() > 0
}

// Quantile returns the q-quantile of the distances, by weight, and false if there are no numbers: the
// mean distance in the first bin that, with those below, has at least the share q of the weight. So it
// differs by less than 1/64 of it from the least distance that reaches q, and not at all where all
// distances in its bin are equal.
func (m *Moves) Quantile(q float64) (value float64, ok bool) {
	var all, below exact.Tally
	for _, bin := range m.bins.All() {
		all.Merge(&bin.tally)
	}
	if all.Weight() == 0 {
		return 0, false
	}
	for _, bin := range m.bins.All() {
		below.Merge(&bin.tally)
		if value = bin.sum.Float64() / bin.tally.Weight(); below.Weight() >= float64(q*all.Weight()) {
			break
		}
	}
	return value, true
}

// Fields implements fields.Record.
func (m *Moves) Fields(v *fields.Visitor, from *Moves) {
	m.bins.Fields(v, &from.bins)
	if v.Decodes() && !m.bins.Below(last+1) {
		v.Fail("changes of numbers: a bin above %d", last)
	}
}
