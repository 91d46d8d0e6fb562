package synthetic

import "math/bits"

// shuffle is a random order of the numbers below n, of which any part can be told
// without the rest: a Feistel network permutes a power of four, and is applied again
// while the result is not below n (Black and Rogaway 2002).
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

// at returns the number in place i, which is below n.
func (s *shuffle) at(i int64) int64 {
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
