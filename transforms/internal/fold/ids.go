package fold

import (
	"slices"

	"github.com/beameval/beameval/transforms/internal/batches"
	"github.com/beameval/beameval/transforms/internal/groupby"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// ids counts how often the ids of examples occur.
type ids struct {
	hashed  bool // batches have the hashes of the ids
	hashes  []uint64
	waiting []uint64
	of      shuffle.IDs
}

// newIDs returns nil if ids are not counted.
func newIDs(j *shuffle.Job) *ids {
	if j.Searches() || !j.Pass.First() || !j.CountsIDs() {
		return nil
	}
	return &ids{hashed: j.ByExample() || j.DividesByID()} // by its id, an example is assembled or belongs to a fold
}

// met keeps the hashes of the ids of all examples; see input.Spec.KeepIDs.
type met struct {
	hashed bool // as in ids
	hashes []uint64
	own    []uint64 // reused for hashes
	of     shuffle.Met
}

// newMet returns nil if ids are not kept.
func newMet(j *shuffle.Job) *met {
	if !j.KeepIDs || j.Searches() || !j.Pass.First() {
		return nil
	}
	return &met{hashed: j.ByExample() || j.DividesByID()}
}

// start begins a batch, whose rows are added then.
func (m *met) start(b *batches.Batch) {
	switch {
	case m.hashed:
		m.hashes = b.Hashes
	case b.IDs == nil:
		m.hashes = nil
	default:
		m.own = groupby.Hash(m.own, b.IDs)
		m.hashes = m.own
	}
}

// add adds a row of the batch. Rows without an id are not kept.
func (m *met) add(reason string, row int) {
	if row < len(m.hashes) && m.hashes[row] != groupby.HashOfNull {
		m.of.Add(reason, m.hashes[row])
	}
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
