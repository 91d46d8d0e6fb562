package batches

import (
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/hash"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/groupby"
)

// divider divides rows into folds by a hash of the values of a column.
type divider struct {
	of     *input.Confidence
	by     hash.Divider
	each   []uint64
	codes  []int32  // by fold: its code among the values of the slicer + 1; 0 if it has not occurred
	hashes []uint64 // by row of a batch
	strata []uint64 // by row of a batch: the hash of its stratum, if there are any
}

func newDivider(g *input.Confidence) *divider {
	d := &divider{of: g, by: hash.NewDivider(g.FineFolds(), g.Seed), each: g.Each, codes: make([]int32, g.FineFolds())}
	if g.HasStrata() {
		d.by = g.DividerOfStratum()
	}
	return d
}

// fold returns the fold for a hash of row r: its place among the hashes of all values, or one of all folds, or of the folds of its
// stratum, with equal probability. Rows of no stratum were not drawn: they are bad, or have a fold of their own.
func (d *divider) fold(r int, h uint64) uint64 {
	if d.of.HasStrata() {
		fold, _ := d.of.FoldIn(d.strata[r], h, d.by)
		return fold
	}
	if at, found := slices.BinarySearch(d.each, h); found {
		return uint64(at)
	}
	return d.by.Part(h)
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

// hashStrata sets strata to the hashes of the values of their column.
func (d *divider) hashStrata(col *columns.Column) {
	d.strata = groupby.Hash(d.strata, col)
}
