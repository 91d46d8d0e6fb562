package curves

import (
	"math"

	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/runs"
)

// classWeights are the weights of some examples, of negatives and of positives.
type classWeights [2]double

// What an entry is, in the lowest bit of its kind.
const negative, positive = 0, 1

// noUnit is the unit of weights that doubles cannot hold.
const noUnit = math.MinInt

// weightsOf returns the weights of totals, and lowers unit to one that all of them are multiples of.
func weightsOf(t *runs.Totals, unit *int) (w classWeights) {
	for kind, tally := range [...]*exact.Tally{negative: &t.Negative, positive: &t.Positive} {
		d, of, ok := doubleOf(tally)
		if !ok {
			of = noUnit
		}
		w[kind], *unit = d, min(*unit, of)
	}
	return w
}

// normal returns w, normal.
func (w *classWeights) normal() classWeights {
	return classWeights{w[negative].normal(), w[positive].normal()}
}

// addTotals adds rows, of which some weigh 1 and others do not, to totals, by how weights changed.
func addTotals(t *runs.Totals, ones, others [2]int64, before, after *classWeights) {
	for kind, tally := range [...]*exact.Tally{negative: &t.Negative, positive: &t.Positive} {
		from, to := &before[kind], &after[kind]
		tally.AddTotal(ones[kind], others[kind], to.hi, to.lo, -from.hi, -from.lo)
	}
}

// addedUnits is what the entries of a sweep add: multiples of 2 to the power unit, and about this weight.
type addedUnits struct {
	unit   int
	weight float64
}

func addedBy(sorted *runs.Sorted) addedUnits {
	if sorted.Single() {
		return addedUnits{0, float64(sorted.Len())}
	}
	var added addedUnits
	for i := range sorted.Len() {
		w := sorted.Weight(i)
		added.unit = min(added.unit, unitOf(w))
		added.weight += float64(w * float64(sorted.Count(i)))
	}
	return added
}

// held says whether doubles can hold weights, which are multiples of 2 to the power unit, and all that is
// added to them.
func (a addedUnits) held(unit int, weights *classWeights) bool {
	const small, large = -900, 900
	unit = min(unit, a.unit)
	total := weights[negative].hi + weights[positive].hi + a.weight
	return unit > small && total < math.Ldexp(1, min(unit+doubleBits-1, large))
}

// startDoubles holds the weights of a curve by doubles, if they can: exact sums take longer.
func (s *Sweep) startDoubles(curve int, added addedUnits) {
	c, t := &s.curves[curve], &s.Totals[curve]
	if c.whole {
		return
	}
	unit := math.MaxInt
	c.weights = weightsOf(t, &unit)
	c.start, c.doubles = c.weights, added.held(unit, &c.weights)
}
