package groupby

import (
	"math"
	"math/bits"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/hash"
	"github.com/beameval/beameval/io/columns"
)

// HashOfNull is the hash of null, an arbitrary number that is the hash of few values.
const HashOfNull = 0x9e3779b97f4a7c15

// Hash returns the hash of each value of a column of scalars, in the memory of out. Equal values
// have equal hashes in every process and with every dictionary. Bools hash as the ints 0 and 1, and
// whole floats as ints, so that -0 and 0 have the same hash. All NaN have the same hash, as do all
// nulls. Different ints have different hashes. The hash of a string is XXH64.
func Hash(out []uint64, c *columns.Column) []uint64 {
	out = collections.Resize(out, c.Len())
	switch c.Type {
	case columns.Float:
		for i, f := range c.Floats {
			out[i] = hashFloat(f)
		}
	case columns.String:
		if c.Dict.Len() > c.Len() && !c.OfPage() { // most of its strings belong to other rows
			hashStrings(out, c)
			break
		}
		hashes := c.Dict.Hashes()
		for i, code := range c.Codes {
			if int(code) < len(hashes) { // false if the value is null
				out[i] = hashes[code]
			}
		}
	default:
		for i, v := range c.Ints {
			out[i] = hash.Mix(uint64(v))
		}
	}
	for i, null := range c.Null {
		if null {
			out[i] = HashOfNull
		}
	}
	return out
}

// hashStrings hashes the string of each row separately.
func hashStrings(out []uint64, c *columns.Column) {
	n := c.Dict.Len()
	for i, code := range c.Codes {
		switch {
		case i > 0 && code == c.Codes[i-1]:
			out[i] = out[i-1]
		case int(code) < n: // false if the value is null
			out[i] = c.Dict.Hash(code)
		}
	}
}

// HashString returns the hash of a string in a column.
func HashString(s string) uint64 { return xxhash.Sum64String(s) }

// hashFloat returns the hash of a float; whole ones hash as ints.
func hashFloat(f float64) uint64 {
	if f >= -1<<63 && f < 1<<63 && math.Trunc(f) == f {
		return hash.Mix(uint64(int64(f)))
	}
	return hash.Mix(canonicalBits(f))
}

// canonicalBits returns equal bits for equal floats, and for all NaN.
func canonicalBits(f float64) uint64 {
	switch {
	case f == 0:
		return 0
	case f != f:
		return math.Float64bits(math.NaN())
	}
	return math.Float64bits(f)
}

// SortHashes sorts hashes. It divides them into buckets by their high bits: these are as good as
// random, so most buckets are small.
func SortHashes(list []uint64) {
	width := min(bits.Len(uint(len(list)/8)), 16)
	ends := make([]int, 1<<width+1)
	for _, h := range list {
		ends[h>>(64-width)+1]++
	}
	for i, before := range ends[:1<<width] {
		ends[i+1] += before
	}
	sorted := make([]uint64, len(list))
	for _, h := range list {
		sorted[ends[h>>(64-width)]] = h
		ends[h>>(64-width)]++
	}
	begin := 0
	for _, end := range ends[:1<<width] {
		slices.Sort(sorted[begin:end])
		begin = end
	}
	copy(list, sorted)
}
