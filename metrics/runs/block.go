package runs

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/exact"
)

const (
	blockSize   = 512 // entries
	headerBytes = 12
)

// block is an encoded block.
type block struct {
	first   uint64 // its highest image
	entries int
	bytes   []byte // all of it
}

// appendBlock appends a block of up to blockSize entries, in order.
func appendBlock(dst []byte, entries []Entry) []byte {
	start := len(dst)
	dst = binary.LittleEndian.AppendUint64(dst, entries[0].Image)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(len(entries)))
	dst = append(dst, 0, 0)

	var room [blockSize]uint64
	column := room[:len(entries)]
	for i := range entries {
		column[i] = uint64(entries[i].Tag)
	}
	dst = appendColumn(dst, column)
	for i := range entries {
		column[i] = uint64(entries[i].Count - 1)
	}
	dst = appendColumn(dst, column)
	for i := range entries {
		column[i] = math.Float64bits(entries[i].Weight)
	}
	dst = appendWeights(dst, column)
	if gaps := column[1:]; len(gaps) > 0 {
		for i := range gaps {
			gaps[i] = entries[i].Image - entries[i+1].Image
		}
		dst = appendColumn(dst, gaps)
	}
	binary.LittleEndian.PutUint16(dst[start+headerBytes-2:], uint16(len(dst)-start-headerBytes))
	return dst
}

// decode decodes the entries. The slice has room for just as many.
func (b *block) decode(entries []Entry) error {
	d := wire.NewDecoder(b.bytes[headerBytes:])
	decodeRows(d, entries)
	var room [blockSize]uint64
	gaps := room[:len(entries)-1]
	if len(gaps) > 0 {
		decodeColumn(d, gaps)
	}
	image := b.first
	entries[0].Image = image
	for i, gap := range gaps {
		if gap > image-lowest {
			d.Fail("an image below that of -Inf")
			break
		}
		image -= gap
		entries[i+1].Image = image
	}
	if d.Len() > 0 {
		d.Fail("%d bytes left over", d.Len())
	}
	return d.Err()
}

// decodeRows decodes the entries of a block without their images.
func decodeRows(d *wire.Decoder, entries []Entry) {
	var room [blockSize]uint64
	column := room[:len(entries)]
	decodeColumn(d, column)
	for i, tag := range column {
		if tag > math.MaxUint32 {
			d.Fail("tag %d", tag)
		}
		entries[i].Tag = uint32(tag)
	}
	decodeColumn(d, column)
	for i, more := range column {
		if more >= math.MaxUint32 {
			d.Fail("count %d", more)
		}
		entries[i].Count = uint32(more + 1)
	}
	decodeWeights(d, column)
	for i, weight := range column {
		entries[i].Weight = math.Float64frombits(weight)
	}
}

// blocks reads the blocks of a run, up to the first error.
type blocks struct {
	rest  []byte
	above uint64 // no later image is higher
	err   error
}

func blocksOf(run []byte) blocks { return blocks{rest: run, above: highest} }

// next returns the next block. ok is false if there is none or it is corrupt.
func (s *blocks) next() (b block, ok bool) {
	if len(s.rest) == 0 || s.err != nil {
		return block{}, false
	}
	if len(s.rest) < headerBytes {
		s.fail(fmt.Errorf("a header of %d bytes", len(s.rest)))
		return block{}, false
	}
	b.first = binary.LittleEndian.Uint64(s.rest)
	b.entries = int(binary.LittleEndian.Uint16(s.rest[8:]))
	end := headerBytes + int(binary.LittleEndian.Uint16(s.rest[10:]))
	switch {
	case b.first < lowest || b.first > s.above:
		s.fail(fmt.Errorf("image %#x out of order", b.first))
	case b.entries < 1 || b.entries > blockSize:
		s.fail(fmt.Errorf("%d entries", b.entries))
	case end > len(s.rest):
		s.fail(fmt.Errorf("%d bytes wanted, %d left", end, len(s.rest)))
	default:
		b.bytes, s.rest, s.above = s.rest[:end], s.rest[end:], b.first
		return b, true
	}
	return block{}, false
}

// decode decodes a block that next returned. It returns false if the block is corrupt.
func (s *blocks) decode(b block, entries []Entry) bool {
	if err := b.decode(entries); err != nil {
		s.fail(err)
		return false
	}
	s.above = entries[len(entries)-1].Image
	return true
}

// fail notes an error and ends the run.
func (s *blocks) fail(err error) {
	s.rest, s.err = nil, fmt.Errorf("corrupt run: %w", err)
}

// AddTotals adds the examples of a run to totals, which are by tag. It decodes no scores.
// If it returns an error, it may have added some of them.
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
