// Package bins maps numbers to bins whose edges are fixed: no data decide them. All edges are binary
// fractions, and the bin of a number is found without rounding. A [Scale] has 64 bins, so that
// histograms of different data can be compared bin by bin. [Octaves] have as many as there are orders
// of magnitude, and are as narrow as their users want. [Place] is for bins that are finest for scores
// near 1.
//
// What is counted in bins is stored elsewhere: in a binned.Histogram if there are 64, in a fields.Keyed
// if there may be more. Where data decide the edges, the mapping is beside its store, because both change
// together: by the first bits of scores (curves.Histogram), by the weight of higher scores (curves.Bins),
// by multiples of a power of two (grid.Grid and grid.Line).
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
	finite    = (Number - 2) / 2 // the bins of Real on each side of 0
	magnitude = math.MaxUint64 >> 1
)

// halves are the bins of Real on either side of 0; of them, the last includes all beyond.
var halves = Octaves{Fine: 1, Lowest: 0x1p-5}

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
		return finite + 1 + min(int(halves.Of(size)), finite-1)
	}
	return finite - min(int(halves.Of(size-1)), finite-1) // an edge belongs to the bin above it, which is nearer to 0
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
		return -halves.From(uint64(finite + 1 - bin))
	}
	return halves.From(uint64(bin - finite - 1))
}
