package synthetic

import (
	"math"
	"math/bits"

	"github.com/beameval/beameval/internal/hash"
)

// stream is a sequence of random numbers with random access: the generator SplitMix64 (Steele, Lea
// and Flood 2014), whose state is a counter.
type stream uint64

const gamma = 0x9e3779b97f4a7c15

// newStream returns the stream of a seed for a purpose. The streams of different purposes are
// unrelated, so that an additional column does not change others.
func newStream(seed uint64, purpose string) stream {
	fnv := uint64(14695981039346656037) // FNV-1a
	for i := range len(purpose) {
		fnv = (fnv ^ uint64(purpose[i])) * 1099511628211
	}
	return stream(hash.Mix(hash.Mix(seed+gamma) ^ fnv))
}

// bits returns the i-th number of the stream.
func (s stream) bits(i int64) uint64 { return hash.Mix(uint64(s) + uint64(i)*gamma) }

// uniform returns a number strictly between 0 and 1. One minus it is exact.
func (s stream) uniform(i int64) float64 { return (float64(s.bits(i)>>12) + 0.5) * 0x1p-52 }

// pair returns two 32-bit numbers for the price of one.
func (s stream) pair(i int64) (u, v float64) {
	x := s.bits(i)
	return (float64(x>>32) + 0.5) * 0x1p-32, (float64(x&0xffffffff) + 0.5) * 0x1p-32
}

// skewed turns a uniform number into an integer from 0 to n-1. Small ones are more frequent: the
// frequency of r decreases like r^(-2/3). It needs no table, however large n is.
func skewed(u float64, n int) int {
	return min(int(u*u*u*float64(n)), n-1)
}

// shuffle is a random permutation of the numbers below n. Any part of it can be computed without
// the rest: a Feistel network permutes the numbers below a power of four, and is applied repeatedly
// until the result is below n (Black and Rogaway 2002).
type shuffle struct {
	n      uint64
	half   int // bits
	rounds [4]stream
}

func newShuffle(seed uint64, n int64) *shuffle {
	s := &shuffle{n: uint64(n), half: (bits.Len64(uint64(max(n, 1)-1)) + 1) / 2}
	for i := range s.rounds {
		s.rounds[i] = newStream(seed, "shuffle "+string(rune('0'+i)))
	}
	return s
}

// number returns the number at place i, which must be below n.
func (s *shuffle) number(i int64) int64 {
	x, mask := uint64(i), uint64(1)<<s.half-1
	for {
		left, right := x>>s.half, x&mask
		for _, round := range s.rounds {
			left, right = right, left^round.bits(int64(right))&mask
		}
		if x = left<<s.half | right; x < s.n {
			return int64(x)
		}
	}
}

// ln returns the natural logarithm of a positive, finite number to about one unit in the last
// place. math.Log is more accurate, but rounds differently on different machines.
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
		series = float64(series*square) + c // the conversion prevents a fused operation
	}
	return float64(float64(e)*math.Ln2) + float64(2*s*series)
}
