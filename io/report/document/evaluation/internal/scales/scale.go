// Package scales divides the numbers of histograms into few bins, for pictures.
package scales

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// Scale divides numbers into n bins of equal width for a picture. Except in an even scale, the width
// is a power of two and the borders are multiples of it, so that each bin of a histogram is inside
// one of them.
type Scale struct {
	first float64 // the first border divided by the width
	Width float64
	N     int
	parts float64 // of a unit, in an even scale: 1/Width would round, and put borders into wrong bins
}

// Border returns the lower border of bin i, which is the upper one of bin i-1.
func (s *Scale) Border(i int) float64 {
	if s.parts > 0 {
		return float64(i) / s.parts
	}
	return (s.first + float64(i)) * s.Width
}

// Place returns the bin of a number, or -1 and n for numbers below and above the picture.
func (s *Scale) Place(x float64) int {
	at := x / s.Width
	if s.parts > 0 {
		at = x * s.parts
	}
	return int(min(max(math.Floor(at)-s.first, -1), float64(s.N)))
}

// Bin is a one-dimensional bin.
type Bin struct{ From, To, Weight float64 }

// Even returns n bins between 0 and 1.
func Even(n int) Scale { return Scale{Width: 1 / float64(n), N: n, parts: float64(n)} }

// tails is the share of the weight on either side that is ignored when the range of a picture is
// chosen.
const tails = 0.005

// finestWidth is the binary logarithm of the largest ratio between the largest number and the width
// of a bin: an axis of neighbouring float64s has no room for ticks.
const finestWidth = 20

// New returns a scale of at most most bins for a histogram. It reaches from the first value to
// the last, but not far beyond the range of nearly all values.
func New(all []Bin, most int) Scale {
	all = slices.SortedFunc(slices.Values(all), func(a, b Bin) int { return cmp.Compare(a.From, b.From) })
	total := 0.0
	for _, of := range all {
		total += of.Weight
	}
	low, high := 0, len(all)-1
	for sum := all[low].Weight; sum < tails*total && low < high; sum += all[low].Weight {
		low++
	}
	for sum := all[high].Weight; sum < tails*total && low < high; sum += all[high].Weight {
		high--
	}
	first, last := all[low].From, all[high].From
	if margin := float64(last/2) - float64(first/2); high-low >= 3 {
		for low > 0 && all[low-1].From >= first-margin {
			low--
		}
		for high < len(all)-1 && all[high+1].From <= last+margin {
			high++
		}
		first, last = all[low].From, all[high].From
	} else { // nearly all values are equal
		first, last = all[0].From, all[len(all)-1].From
	}
	farthest := max(math.Abs(first), math.Abs(last))
	s := Scale{Width: max(alike(all, first, last), math.Ldexp(1, math.Ilogb(farthest)-finestWidth))}
	if room := (last - first) / float64(most); room > s.Width {
		s.Width = math.Ldexp(1, math.Ilogb(room))
	}
	for {
		s.first = math.Floor(first / s.Width)
		if n := math.Floor(last/s.Width) - s.first + 1; n <= float64(most) {
			s.N = int(n)
			return s
		}
		s.Width *= 2
	}
}

// alike returns the largest power of two that divides all borders, such as 1 for whole numbers that
// include odd ones. The result is not less than the width of any existing bin.
func alike(all []Bin, first, last float64) float64 {
	exponent, widest := math.MaxInt, 0.0
	for _, of := range all {
		if of.From < first || of.From > last {
			continue
		}
		widest = max(widest, of.To-of.From)
		if of.From == 0 {
			continue
		}
		fraction, e := math.Frexp(of.From)
		exponent = min(exponent, e-53+bits.TrailingZeros64(uint64(math.Abs(fraction)*(1<<53))))
	}
	if exponent == math.MaxInt { // all of them are 0
		exponent = 0
	}
	return max(math.Ldexp(1, exponent), widest)
}
