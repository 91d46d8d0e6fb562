package evaluation

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// scale divides the numbers of a histogram into n bins of equal width for a picture. Except in an even scale, the width
// is a power of two and the borders are multiples of it, so that each bin of a histogram is inside
// one of them.
type scale struct {
	first float64 // the first border divided by the width
	width float64
	n     int
	parts float64 // of a unit, in an even scale: 1/width would round, and put borders into wrong bins
}

// border returns the lower border of bin i, which is the upper one of bin i-1.
func (s *scale) border(i int) float64 {
	if s.parts > 0 {
		return float64(i) / s.parts
	}
	return (s.first + float64(i)) * s.width
}

// place returns the bin of a number, or -1 and n for numbers below and above the picture.
func (s *scale) place(x float64) int {
	at := x / s.width
	if s.parts > 0 {
		at = x * s.parts
	}
	return int(min(max(math.Floor(at)-s.first, -1), float64(s.n)))
}

// span is a bin of a histogram of one dimension.
type span struct{ from, to, weight float64 }

// evenScale returns n bins between 0 and 1.
func evenScale(n int) scale { return scale{width: 1 / float64(n), n: n, parts: float64(n)} }

// tails is the share of the weight on either side that is ignored when the range of a picture is
// chosen.
const tails = 0.005

// finestWidth is the binary logarithm of the largest ratio between the largest number and the width
// of a bin: an axis of neighbouring float64s has no room for ticks.
const finestWidth = 20

// newScale returns a scale of at most most bins for a histogram. It reaches from the first value to
// the last, but not far beyond the range of nearly all values.
func newScale(all []span, most int) scale {
	all = slices.SortedFunc(slices.Values(all), func(a, b span) int { return cmp.Compare(a.from, b.from) })
	total := 0.0
	for _, of := range all {
		total += of.weight
	}
	low, high := 0, len(all)-1
	for sum := all[low].weight; sum < tails*total && low < high; sum += all[low].weight {
		low++
	}
	for sum := all[high].weight; sum < tails*total && low < high; sum += all[high].weight {
		high--
	}
	first, last := all[low].from, all[high].from
	if margin := float64(last/2) - float64(first/2); high-low >= 3 {
		for low > 0 && all[low-1].from >= first-margin {
			low--
		}
		for high < len(all)-1 && all[high+1].from <= last+margin {
			high++
		}
		first, last = all[low].from, all[high].from
	} else { // nearly all values are equal
		first, last = all[0].from, all[len(all)-1].from
	}
	farthest := max(math.Abs(first), math.Abs(last))
	s := scale{width: max(alike(all, first, last), math.Ldexp(1, math.Ilogb(farthest)-finestWidth))}
	if room := (last - first) / float64(most); room > s.width {
		s.width = math.Ldexp(1, math.Ilogb(room))
	}
	for {
		s.first = math.Floor(first / s.width)
		if n := math.Floor(last/s.width) - s.first + 1; n <= float64(most) {
			s.n = int(n)
			return s
		}
		s.width *= 2
	}
}

// alike returns the largest power of two that divides all borders, such as 1 for whole numbers that
// include odd ones. The result is not less than the width of any existing bin.
func alike(all []span, first, last float64) float64 {
	exponent, widest := math.MaxInt, 0.0
	for _, of := range all {
		if of.from < first || of.from > last {
			continue
		}
		widest = max(widest, of.to-of.from)
		if of.from == 0 {
			continue
		}
		fraction, e := math.Frexp(of.from)
		exponent = min(exponent, e-53+bits.TrailingZeros64(uint64(math.Abs(fraction)*(1<<53))))
	}
	if exponent == math.MaxInt { // all of them are 0
		exponent = 0
	}
	return max(math.Ldexp(1, exponent), widest)
}
