package synthetic

import "math"

// ln is the natural logarithm of a positive, finite number to about one unit in the last
// place. math.Log is better, but rounds differently on different machines.
func ln(x float64) float64 {
	f, e := math.Frexp(x)
	if f < math.Sqrt2/2 {
		f, e = 2*f, e-1
	}
	// ln f = 2 artanh s, and |s| <= 0.172.
	s := (f - 1) / (f + 1)
	square := s * s
	series := 1.0 / 21
	for _, c := range [...]float64{1. / 19, 1. / 17, 1. / 15, 1. / 13, 1. / 11, 1. / 9, 1. / 7, 1. / 5, 1. / 3, 1} {
		series = float64(series*square) + c // the conversion forbids a fused operation
	}
	return float64(float64(e)*math.Ln2) + float64(2*s*series)
}
