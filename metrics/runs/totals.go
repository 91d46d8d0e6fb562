package runs

import (
	"fmt"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/exact"
)

// AddTotals adds the rows of a run to totals, which are those of its tags from 0 on.
// It decodes no scores. After an error, part of the run was added.
func AddTotals(totals []exact.Tally, run []byte) error {
	room := make([]Entry, blockSize)
	left := blocksOf(run)
	for b, ok := left.next(); ok; b, ok = left.next() {
		entries := room[:b.entries]
		d := wire.NewDecoder(b.bytes[headerBytes:])
		decodeRows(d, entries)
		if d.Err() != nil {
			left.fail(d.Err())
			break
		}
		for i := range entries {
			e := &entries[i]
			if int(e.Tag) >= len(totals) {
				return fmt.Errorf("tag %d of %d", e.Tag, len(totals))
			}
			totals[e.Tag].AddRows(e.Weight, int64(e.Count))
		}
	}
	return left.err
}

// Append appends the canonical encoding.
func (t *Totals) Append(dst []byte) []byte { return t.Negative.Append(t.Positive.Append(dst)) }

// Decode replaces t by what Append wrote.
func (t *Totals) Decode(data []byte) error {
	d := wire.NewDecoder(data)
	t.Positive.Decode(d)
	t.Negative.Decode(d)
	return d.Err()
}
