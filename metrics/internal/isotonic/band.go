package isotonic

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/elementary"
	"github.com/beameval/beameval/metrics/curves"
)

// BandPoint says where the fitted value at a probability is in 95 % of samples of calibrated forecasts.
type BandPoint struct{ Probability, Low, High float64 }

// Sizes of the resampling: the number of samples, how many of them are below and how many above a band,
// and how many ranges of probabilities are fitted, apart from the ranges that spans need.
const (
	samples    = 2000
	outside    = 49
	bandRanges = 2000
)

// Band returns the consistency band of the isotonic fit of a curve, by rising probability, at no more than
// limit probabilities (Dimitriadis, Gneiting & Jordan 2021): if each example is positive with its probability,
// 95 % of fits are within it, at each point. It draws the labels of many samples, always the same ones, and
// fits each. Examples must weigh 1, and the probabilities of scores must be in [0, 1].
//
// Examples of a span that are not tied are taken as evenly spread over its scores. Ranges of probabilities, each
// with a number of examples, replace them; a range is narrower than most blocks of a fit
// up to some 10^8 examples: these are as wide as n^-⅓.
func Band(spans []curves.Span, probability func(score float64) float64, limit int) []BandPoint {
	ranges := rangesOf(spans, probability)
	places := make([]int, len(ranges))
	for i := range places {
		places[i] = i
	}
	places = collections.Spread(places, limit)
	fitted := make([][]float64, len(places))
	draw := rand.New(rand.NewPCG(1, 2))
	positives := make([]float64, len(ranges))
	var fit pools
	for range samples {
		for i := range ranges {
			positives[i] = ranges[i].draw(draw)
		}
		fit.of(ranges, positives)
		block := 0
		for i, place := range places {
			for fit[block].end <= place {
				block++
			}
			fitted[i] = append(fitted[i], fit[block].positives/fit[block].examples)
		}
	}
	points := make([]BandPoint, len(places))
	for i, place := range places {
		slices.Sort(fitted[i])
		points[i] = BandPoint{ranges[place].probability, fitted[i][outside], fitted[i][samples-1-outside]}
	}
	return points
}

// labelRange is a range of probabilities that are taken as equal.
type labelRange struct {
	probability, examples float64
	none                  float64 // the chance of no success, if few are expected
	spread                float64 // the standard deviation of the number of positives, if many are expected
	flipped               bool    // successes are negatives, because they are rarer
}

// manySuccesses is the number of expected successes from which their distribution is taken as normal.
const manySuccesses = 30

func newRange(probability, examples float64) labelRange {
	r := labelRange{probability: probability, examples: examples, flipped: probability > 0.5}
	if p := r.chance(); examples*p < manySuccesses {
		r.none = elementary.Exp(float64(examples * elementary.Log1p(-p)))
	} else {
		r.spread = math.Sqrt(examples * p * (1 - p))
	}
	return r
}

// negligible is a probability smaller than rounding errors: no number of successes less likely than
// this is drawn. No success at all is likelier if fewer than manySuccesses are expected.
const negligible = 1e-20

// chance returns the probability of a success, at most 0.5.
func (r *labelRange) chance() float64 {
	if r.flipped {
		return 1 - r.probability
	}
	return r.probability
}

// draw draws a number of positives.
func (r *labelRange) draw(from *rand.Rand) float64 {
	successes, p := 0.0, r.chance()
	switch {
	case p == 0:
	case r.spread > 0:
		successes = math.Round(float64(r.examples*p) + float64(r.spread*normal(from)))
		successes = min(max(successes, 0), r.examples)
	default: // inversion of the distribution function
		odds := p / (1 - p)
		for left, mass := from.Float64(), r.none; left >= mass && mass > negligible && successes < r.examples; {
			left -= mass
			successes++
			mass *= odds * ((r.examples - successes + 1) / successes)
		}
	}
	if r.flipped {
		return r.examples - successes
	}
	return successes
}

// normal draws a number by the polar method of Marsaglia.
func normal(from *rand.Rand) float64 {
	for {
		x, y := signed(from), signed(from)
		if square := float64(x*x) + float64(y*y); square > 0 && square < 1 {
			return x * math.Sqrt(-2*elementary.Log(square)/square)
		}
	}
}

// signed draws a number from -1 to 1. It subtracts whole numbers: on arm64, the compiler would join the product
// in rand.Float64 with a sum.
func signed(from *rand.Rand) float64 {
	const half = 1 << 52
	return float64(int64(from.Uint64()<<11>>11)-half) / half
}

// rangesOf cuts spans into ranges, by rising probability. There are none if a span does not hold a number of
// examples.
func rangesOf(spans []curves.Span, probability func(score float64) float64) (ranges []labelRange) {
	total := 0.0
	for _, s := range spans {
		examples := s.Positives + s.Negatives
		if !(examples >= 1 && examples <= 1<<53 && examples == math.Trunc(examples)) {
			return nil
		}
		total += examples
	}
	for _, s := range slices.Backward(spans) {
		examples, low, high := s.Positives+s.Negatives, probability(s.Low), probability(s.Low)
		if s.High < math.Inf(1) && !s.Tied {
			high = probability(s.High)
		}
		parts := 1.0
		if high > low {
			parts = min(examples, math.Ceil(examples/total*bandRanges))
		}
		for i := range int(parts) {
			from, to := math.Floor(examples*float64(i)/parts), math.Floor(examples*float64(i+1)/parts)
			place := (from + to - 1) / 2 / examples // the mean of from/examples, …, (to-1)/examples
			ranges = append(ranges, newRange(low+float64((high-low)*place), to-from))
		}
	}
	return ranges
}

// pool is a block of a fit.
type pool struct {
	positives, examples float64
	end                 int // the range after the block
}

// pools are the blocks of a fit, by rising probability.
type pools []pool

// of fits by pooling adjacent violators.
func (f *pools) of(ranges []labelRange, positives []float64) {
	list := (*f)[:0]
	for i := range ranges {
		list = append(list, pool{positives[i], ranges[i].examples, i + 1})
		for n := len(list) - 1; n > 0; n-- {
			a, b := &list[n-1], &list[n]
			if float64(a.positives*b.examples) < float64(b.positives*a.examples) {
				break
			}
			a.positives, a.examples, a.end = a.positives+b.positives, a.examples+b.examples, b.end
			list = list[:n]
		}
	}
	*f = list
}
