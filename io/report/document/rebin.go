package document

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// scale divides numbers for a picture into n bins of the same width. The width is a power of two
// and the borders are multiples of it, so that each bin of a histogram is within one of them.
type scale struct {
	first float64 // the first border, divided by the width
	width float64
	n     int
}

// border returns the lower border of bin i, and the upper one of bin i-1.
func (s *scale) border(i int) float64 { return (s.first + float64(i)) * s.width }

// place returns the bin of a number; -1 and n are those below and above the picture.
func (s *scale) place(x float64) int {
	return int(min(max(math.Floor(x/s.width)-s.first, -1), float64(s.n)))
}

// interval is a bin in one dimension.
type interval struct{ from, to, weight float64 }

// tails is the share of the weight on either side that does not say how far a picture reaches.
const tails = 0.005

// finestWidth is the binary logarithm of how many times wider the largest number may be than a
// bin: an axis of neighbouring float64s has no room for ticks.
const finestWidth = 20

// newScale returns a scale for the bins of a histogram, of at most so many bins: from the first
// value to the last, but not much farther than nearly all of them are.
func newScale(all []interval, most int) scale {
	all = slices.SortedFunc(slices.Values(all), func(a, b interval) int { return cmp.Compare(a.from, b.from) })
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
	} else { // nearly all have the same value
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

// alike returns the largest power of two of which the borders of all bins are multiples, such as 1
// for whole numbers of which some are odd. Bins must not be narrower than those that there are.
func alike(all []interval, first, last float64) float64 {
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
	if exponent == math.MaxInt { // they are all 0
		exponent = 0
	}
	return max(math.Ldexp(1, exponent), widest)
}
