package curves

import (
	"math"

	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/scoreruns"
)

// classWeights holds the total weights of the negatives and of the positives among some examples.
type classWeights [2]double

// Whether an entry is negative or positive: the lowest bit of its kind, and the index of
// classWeights.
const negative, positive = 0, 1

// noUnit marks weights that doubles cannot hold.
const noUnit = math.MinInt

// weightsOf returns the weights of totals. It lowers unit, if necessary, so that 2^unit divides all
// of them; noUnit if doubles cannot hold them.
func weightsOf(t *scoreruns.Totals, unit *int) (w classWeights) {
	for kind, tally := range [...]*exact.Tally{negative: &t.Negative, positive: &t.Positive} {
		d, of, ok := doubleOf(tally)
		if !ok {
			of = noUnit
		}
		w[kind], *unit = d, min(*unit, of)
	}
	return w
}

// normal returns w with both of its doubles normalized.
func (w *classWeights) normal() classWeights {
	return classWeights{w[negative].normal(), w[positive].normal()}
}

// addTotals adds rows to totals: ones rows of weight 1 and others rows of other weights, whose
// total weight is the difference between after and before.
func addTotals(t *scoreruns.Totals, ones, others [2]int64, before, after *classWeights) {
	for kind, tally := range [...]*exact.Tally{negative: &t.Negative, positive: &t.Positive} {
		from, to := &before[kind], &after[kind]
		tally.AddTotal(ones[kind], others[kind], to.hi, to.lo, -from.hi, -from.lo)
	}
}

// addedUnits describes the weights that sorted entries add: all are multiples of 2^unit,
// and their total is about weight.
type addedUnits struct {
	unit   int
	weight float64
}

func addedBy(sorted *scoreruns.Sorted) addedUnits {
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

// held reports whether doubles can hold the given weights, which are multiples of 2^unit, together
// with everything that will be added to them.
func (a addedUnits) held(unit int, weights *classWeights) bool {
	const small, large = -900, 900
	unit = min(unit, a.unit)
	total := weights[negative].hi + weights[positive].hi + a.weight
	return unit > small && total < math.Ldexp(1, min(unit+doubleBits-1, large))
}

// startDoubles represents the weights of a curve as doubles if they can hold them, because exact
// sums take longer.
func (s *Tracer) startDoubles(curve int, added addedUnits) {
	c, t := &s.curves[curve], &s.Totals[curve]
	if c.whole {
		return
	}
	unit := math.MaxInt
	c.weights = weightsOf(t, &unit)
	c.start, c.doubles = c.weights, added.held(unit, &c.weights)
}
