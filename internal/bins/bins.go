// Package bins divides numbers into 64 bins whose edges are fixed, so that histograms of different
// data can be compared bin by bin. All edges are binary fractions, and the bin of a number is found
// without rounding.
package bins

import "math"

// Number is the number of bins of a [Scale].
const Number = 64

// Scale says where the edges of bins are. Bin i has the numbers from its lower edge on that are
// less than its upper edge; see Edges.
type Scale uint8

const (
	// Unit is for numbers in [0, 1]: bin i begins at i/64, and the last includes 1.
	Unit Scale = iota
	// Real is for all numbers, and infinities. Bin 0 has -Inf, and bin 63 Inf. The others have
	// finite numbers: their edges are 0, ±2^k and ±1.5·2^k for k from -5 to 9, and the outermost
	// two reach to the largest numbers:
	//
	//	bin     1      2      …     31      32     33     …     61     62
	//	from  -Inf   -768     …   -1/32     0     1/32    …    512    768
	Real
)

const (
	finite = (Number - 2) / 2 // the bins of Real on each side of 0
	// lowest is the number of the half octave that begins at 2^-5: the exponent as float64 encodes
	// it, and the first bit of the mantissa.
	lowest    = (1023 - 5) << 1
	halfBits  = 51 // the bits of a float64 that do not belong to that number
	magnitude = math.MaxUint64 >> 1
)

// Of returns the bin of x, which must not be NaN. On the scale Unit, x must be in [0, 1].
func (s Scale) Of(x float64) int {
	if s == Unit {
		return min(int(x*Number), Number-1) // a product with a power of two is exact
	}
	return ofReal(x)
}

// ofReal is a separate function because Of must stay short enough to be inlined.
func ofReal(x float64) int {
	size := math.Float64bits(x) & magnitude
	switch {
	case math.IsInf(x, -1):
		return 0
	case math.IsInf(x, 1):
		return Number - 1
	case x >= 0: // also -0
		return finite + 1 + halfOctave(size)
	}
	return finite - halfOctave(size-1) // an edge belongs to the bin above it, which is nearer to 0
}

// halfOctave returns how many edges above 0 are at most as large as the float64 with the given bits.
func halfOctave(size uint64) int {
	return min(max(int(size>>halfBits)-lowest+1, 0), finite-1)
}

// Edges returns the edges of a bin. Both edges of a bin of infinities are infinite.
func (s Scale) Edges(bin int) (from, to float64) { return s.edge(bin), s.edge(bin + 1) }

// edge returns the lower edge of a bin, or, for Number, the upper edge of the last.
func (s Scale) edge(bin int) float64 {
	switch {
	case s == Unit:
		return float64(bin) / Number
	case bin <= 1:
		return math.Inf(-1)
	case bin >= Number-1:
		return math.Inf(1)
	case bin <= finite:
		return -edgeAbove(finite + 1 - bin)
	}
	return edgeAbove(bin - finite - 1)
}

// edgeAbove returns the n-th edge above 0, or 0.
func edgeAbove(n int) float64 {
	if n == 0 {
		return 0
	}
	return math.Float64frombits(uint64(lowest+n-1) << halfBits)
}
