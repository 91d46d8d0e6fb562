package runs

import "slices"

// Reader reads the entries of a run, in its order.
type Reader struct {
	blocks  blocks
	entries []Entry // of a block
	at      int     // the current one
}

// NewReader returns a Reader of a run, which it does not change.
func NewReader(run []byte) *Reader { return &Reader{blocks: blocksOf(run)} }

// Next goes to the next entry, the first one at first. It returns false at the
// end of the run, and where the run is corrupt: see Err.
func (r *Reader) Next() bool {
	r.at++
	return r.at < len(r.entries) || r.nextBlock()
}

// Entry returns the current entry, until the next call of Next.
func (r *Reader) Entry() *Entry { return &r.entries[r.at] }

// Err returns why the run ended early, or nil.
func (r *Reader) Err() error { return r.blocks.err }

// Len returns how many entries are still to be read after the current one, if the
// run is not corrupt.
func (r *Reader) Len() int {
	n := max(len(r.entries)-r.at-1, 0)
	later := r.blocks
	for b, ok := later.next(); ok; b, ok = later.next() {
		n += b.entries
	}
	return n
}

// nextBlock decodes the next block and goes to its first entry.
func (r *Reader) nextBlock() bool {
	b, ok := r.blocks.next()
	r.entries, r.at = slices.Grow(r.entries[:0], b.entries)[:b.entries], 0
	if !ok || !r.blocks.decode(b, r.entries) {
		r.entries = r.entries[:0]
		return false
	}
	return true
}
