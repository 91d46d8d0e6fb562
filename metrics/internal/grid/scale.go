package grid

import (
	"math"
	"sort"
)

// scale is the size of the cells.
type scale struct {
	exponent int // of the side
	// The side, its inverse, and the magnitude from which all float64s are multiples of the side.
	side, inverse, whole float64
}

// The smallest and the largest exponent of the side. Points that are farther from 0 than the
// largest side are outside.
const (
	finest   = -1000
	coarsest = 1000
	farthest = 0x1p1000
)

// Side returns the side, or the length, of a cell.
func (s *scale) Side() float64 { return s.side }

func (s *scale) setSide(exponent int) {
	s.exponent = exponent
	s.side, s.inverse, s.whole = math.Ldexp(1, exponent), math.Ldexp(1, -exponent), math.Ldexp(1, exponent+53)
}

// floor returns the largest multiple of the side that is at most x.
func (s *scale) floor(x float64) float64 {
	if math.Abs(x) >= s.whole {
		return x
	}
	n := math.Floor(x * s.inverse)
	if n == 0 && x < 0 { // the product is too small for a float64
		n = -1
	}
	return float64(n*s.side) + 0 // -0 + 0 is 0
}

// coarser returns the smallest larger exponent with which at most most cells have points. cells returns how many
// have, by the exponent.
func (s *scale) coarser(cells func(exponent int) int, most int) int {
	low, high := s.exponent, s.exponent+1 // too fine, and possibly coarse enough
	for step := 1; cells(high) > most; step *= 2 {
		low, high = high, min(high+step, coarsest)
	}
	return low + 1 + sort.Search(high-low-1, func(i int) bool { return cells(low+1+i) <= most })
}
