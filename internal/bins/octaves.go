package bins

import "math"

// Octaves divides each octave, the positive numbers from a power of two to its double, into 2^Fine bins of equal
// width. So the first bits of a number are its bin:
//
//	float64  0 | 1 0 0 0 0 0 0 0 0 1 1 | 0 1 1 0 … 1 0 1
//	         sign └───── exponent ────┘ └Fine┘ └ left out ┘
//	             └──────── bin + before ─────┘
//
// Bin 0 has all numbers from 0 to Lowest, which must be 0 or a power of two. If Lowest is 0, the bin is as wide as the
// others of subnormal numbers. Other numbers of a bin differ by less than 1/2^Fine of them.
type Octaves struct {
	Fine   uint
	Lowest float64
}

// Of returns the bin of a number, which is given by the bits of its float64, and must not be negative. The last bin has
// infinity alone.
func (o Octaves) Of(number uint64) uint64 {
	before := o.before()
	return max(number>>o.leftOut(), before) - before
}

// From returns where a bin begins, which is where the one before it ends.
func (o Octaves) From(bin uint64) float64 {
	if bin == 0 {
		return 0
	}
	return math.Float64frombits((bin + o.before()) << o.leftOut())
}

// leftOut returns how many bits of a number do not matter for its bin.
func (o Octaves) leftOut() uint { return (52 - o.Fine) & 63 }

// before returns how many first bits below Lowest have no bin of their own, because bin 0 has them all.
func (o Octaves) before() uint64 {
	return max(math.Float64bits(o.Lowest)>>o.leftOut(), 1) - 1
}
