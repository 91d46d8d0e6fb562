package input

import (
	"maps"
	"slices"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/transforms/internal/rows"
)

// Distinct collects the hashes of the distinct values of a column.
type Distinct struct {
	met    map[uint64]bool
	hashes []uint64 // of a batch
}

// Add adds the values of a column of scalars except nulls, and returns the number of distinct values
// so far.
func (d *Distinct) Add(c *columns.Column) int {
	if d.met == nil {
		d.met = map[uint64]bool{}
	}
	d.hashes = rows.Hash(d.hashes, c)
	for r, h := range d.hashes {
		if c.Null == nil || !c.Null[r] {
			d.met[h] = true
		}
	}
	return len(d.met)
}

// Hashes returns the hashes in ascending order.
func (d *Distinct) Hashes() []uint64 {
	return slices.Sorted(maps.Keys(d.met))
}
