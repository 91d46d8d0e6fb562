package batches

import (
	"math/bits"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/hash"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/groupby"
)

// divider divides rows into folds by a hash of the values of a column.
type divider struct {
	folds  uint64
	seed   uint64
	each   []uint64
	codes  []int32  // by fold: its code among the values of the slicer + 1; 0 if it has not occurred
	hashes []uint64 // by row of a batch
}

const gamma = 0x9e3779b97f4a7c15 // of SplitMix64: without it, seed 0 would change nothing

func newDivider(g *input.Confidence) *divider {
	return &divider{folds: uint64(g.Folds), seed: hash.Mix(g.Seed + gamma), each: g.Each, codes: make([]int32, g.Folds)}
}

// fold returns the fold for a hash: its place among the hashes of all values, or one of all folds
// with equal probability.
func (d *divider) fold(h uint64) uint64 {
	if at, found := slices.BinarySearch(d.each, h); found {
		return uint64(at)
	}
	fold, _ := bits.Mul64(hash.Mix(h+d.seed), d.folds)
	return fold
}

// hash sets hashes, whose memory it reuses, to the hashes of n rows: of a column's values or, if
// col is nil, of one value.
func (d *divider) hash(n int, col *columns.Column, value string) {
	if col != nil {
		d.hashes = groupby.Hash(d.hashes, col)
		return
	}
	d.hashes = collections.Resize(d.hashes, n)
	h := groupby.HashString(value)
	for i := range d.hashes {
		d.hashes[i] = h
	}
}
