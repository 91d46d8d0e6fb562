package fold

import (
	"slices"

	"github.com/beameval/beameval/transforms/internal/batches"
	"github.com/beameval/beameval/transforms/internal/groupby"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// idHashes finds the hashes of the ids of batches.
type idHashes struct {
	known bool     // batches have them: by its id, an example is assembled or belongs to a fold
	own   []uint64 // reused
}

func newIDHashes(j *shuffle.Job) idHashes { return idHashes{known: j.ByExample() || j.DividesByID()} }

// of returns the hashes of the rows of a batch, or nil if they have no ids.
func (h *idHashes) of(b *batches.Batch) []uint64 {
	switch {
	case h.known:
		return b.Hashes
	case b.IDs == nil:
		return nil
	}
	h.own = groupby.Hash(h.own, b.IDs)
	return h.own
}

// ids counts how often the ids of examples occur.
type ids struct {
	hashes  idHashes
	waiting []uint64
	sums    shuffle.IDs
}

// newIDs returns nil if ids are not counted.
func newIDs(j *shuffle.Job) *ids {
	if j.Searches() || !j.Pass.First() || !j.CountsIDs() {
		return nil
	}
	return &ids{hashes: newIDHashes(j)}
}

// met keeps the hashes of the ids of all examples; see input.Spec.KeepIDs.
type met struct {
	hashes idHashes
	batch  []uint64 // of the rows of a batch
	all    shuffle.Met
}

// newMet returns nil if ids are not kept.
func newMet(j *shuffle.Job) *met {
	if !j.KeepIDs || j.Searches() || !j.Pass.First() {
		return nil
	}
	return &met{hashes: newIDHashes(j)}
}

// start begins a batch, whose rows are added then.
func (m *met) start(b *batches.Batch) { m.batch = m.hashes.of(b) }

// add adds a row of the batch. Rows without an id are not kept.
func (m *met) add(reason string, row int) {
	if row < len(m.batch) && m.batch[row] != groupby.HashOfNull {
		m.all.Add(reason, m.batch[row])
	}
}

// mostWaiting is the number of hashes that are sorted at once.
const mostWaiting = 2 * shuffle.MostIDs

// add counts the ids of some rows of a batch. Rows without an id do not count.
func (d *ids) add(b *batches.Batch, good []int32) {
	hashes := d.hashes.of(b)
	if hashes == nil {
		return
	}
	var null []bool
	if !d.hashes.known { // otherwise, rows without an id are bad
		null = b.IDs.Null
	}
	limit := d.sums.Limit()
	for _, r := range good {
		switch h := hashes[r]; {
		case null != nil && null[r]:
		case h > limit:
			d.sums.Left = true
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
	d.sums.Merge(&found)
	d.waiting = d.waiting[:0]
}

func (d *ids) merge(from *ids) {
	from.settle()
	d.settle()
	d.sums.Merge(&from.sums)
}

// finish returns the counts.
func (d *ids) finish() *shuffle.IDs {
	d.settle()
	return &shuffle.IDs{Hashes: slices.Clip(d.sums.Hashes), Counts: slices.Clip(d.sums.Counts), Left: d.sums.Left}
}
