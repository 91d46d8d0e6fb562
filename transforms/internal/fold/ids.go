package fold

import (
	"slices"

	"github.com/beameval/beameval/transforms/internal/batches"
	"github.com/beameval/beameval/transforms/internal/groupby"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// ids counts how often the ids of examples occur: if each row is an example and ids are read anyway, or if
// training data are searched for them.
type ids struct {
	hashed  bool // batches have the hashes of the ids
	hashes  []uint64
	waiting []uint64
	of      shuffle.IDs
}

// newIDs returns nil if ids are not counted.
func newIDs(j *shuffle.Job) *ids {
	switch c := j.Confidence; {
	case j.Searches() || !j.Pass.First() || j.ByExample() && j.Training == nil:
		return nil
	case j.ByExample(), c != nil && !c.Clustered && !c.Position: // by its id, an example is assembled or belongs to a fold
		return &ids{hashed: true}
	case j.Columns.Example == "":
		return nil
	}
	return new(ids)
}

// mostWaiting is the number of hashes that are sorted at once.
const mostWaiting = 2 * shuffle.MostIDs

// add counts the ids of some rows of a batch. Rows without an id do not count.
func (d *ids) add(b *batches.Batch, good []int32) {
	hashes := b.Hashes
	var null []bool
	switch {
	case d.hashed: // null ids are bad rows
	case b.IDs == nil:
		return
	default:
		d.hashes = groupby.Hash(d.hashes, b.IDs)
		hashes, null = d.hashes, b.IDs.Null
	}
	limit := d.of.Limit()
	for _, r := range good {
		switch h := hashes[r]; {
		case null != nil && null[r]:
		case h > limit:
			d.of.Left = true
		default:
			d.waiting = append(d.waiting, h)
		}
	}
	if len(d.waiting) >= mostWaiting {
		d.settle()
	}
}

// settle counts the ids that wait.
func (d *ids) settle() {
	if len(d.waiting) == 0 {
		return
	}
	groupby.SortHashes(d.waiting)
	var found shuffle.IDs
	for i, h := range d.waiting {
		if last := len(found.Hashes) - 1; i > 0 && found.Hashes[last] == h {
			found.Counts[last]++
			continue
		}
		found.Hashes, found.Counts = append(found.Hashes, h), append(found.Counts, 1)
	}
	d.of.Merge(&found)
	d.waiting = d.waiting[:0]
}

func (d *ids) merge(from *ids) {
	from.settle()
	d.settle()
	d.of.Merge(&from.of)
}

// finish returns the counts.
func (d *ids) finish() *shuffle.IDs {
	d.settle()
	return &shuffle.IDs{Hashes: slices.Clip(d.of.Hashes), Counts: slices.Clip(d.of.Counts), Left: d.of.Left}
}
