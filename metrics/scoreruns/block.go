package scoreruns

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/beameval/beameval/internal/wire"
)

// A block holds entries by column, because the values of a column are alike: it packs them into the
// bits in which they differ (see wire.AppendColumn).
//
//	┌─────────┬────────┬────────┬────────┬────────────┬─────────┬────────┐
//	│ entries │   n    │ labels │  tags  │ counts - 1 │ weights │ images │
//	│ uint16  │ uint16 │ column │ column │   column   │  below  │ column │
//	└─────────┴────────┴────────┴────────┴────────────┴─────────┴────────┘
//	                    ├───────────────── n bytes ──────────────────────┤
//
//	weights, with a dictionary of the distinct ones if that is shorter:
//	┌────────┬────────────────┬──────────────────────────────────────────┐
//	│  size  │   dictionary   │ bits of each weight or, if size > 0, its │
//	│ varint │ size × float64 │ place in the dictionary: column          │
//	└────────┴────────────────┴──────────────────────────────────────────┘
//
// Integers of a fixed size and floats are little-endian. For example, three examples with the scores
// 0.75, 0.5 and 0.25, the labels 0, 1 and 0, the tags 1, 0 and 2, and the weights 1, 1 and 2 make a
// run of one block. A column is its shift, base, width and packed bits, and a constant column has no
// packed bits:
//
//	03 00               3 entries
//	16 00               22 bytes follow
//	00 00 01 02         labels   shift 0, base 0, 1 bit each, from the lowest up: 0 1 0
//	00 00 02 21         tags     shift 0, base 0, 2 bits each: 1 0 2
//	00 00 00            counts   all 1
//	00 34 ff 07 01 04   weights  no dictionary; shift 52, base 1023, 1 bit each: 0 0 1
//	33 fa 2f 02 0b      images   shift 51, base 6138, 2 bits each: 3 2 0
const (
	blockSize   = 512 // entries
	headerBytes = 4
)

// room has space for a column of a block.
type room [blockSize]uint64

// appendBlock appends a block of up to blockSize entries.
func appendBlock(dst []byte, e entries) []byte {
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	var values room
	column := values[:len(e.list)]
	for i := range e.list {
		column[i] = uint64(e.list[i].label)
	}
	dst = wire.AppendColumn(dst, column)
	for i := range e.list {
		column[i] = uint64(e.list[i].tag)
	}
	dst = wire.AppendColumn(dst, column)
	if e.counts == nil {
		dst = wire.AppendConstant(dst, 0)
	} else {
		for i, n := range e.counts {
			column[i] = uint64(n - 1)
		}
		dst = wire.AppendColumn(dst, column)
	}
	dst = appendWeights(dst, column, e.weights)
	for i := range e.list {
		column[i] = e.list[i].image
	}
	dst = wire.AppendColumn(dst, column)
	binary.LittleEndian.PutUint16(dst[start:], uint16(len(e.list)))
	binary.LittleEndian.PutUint16(dst[start+2:], uint16(len(dst)-start-headerBytes))
	return dst
}

// block is a decoded block, by column.
type block struct {
	n                                     int
	labels, tags, counts, weights, images room
	oneCount, oneWeight                   bool // all counts, or weights, are 1
}

// decode decodes the columns of a block of n entries.
func (b *block) decode(data []byte, n int) error {
	b.n = n
	d := wire.NewDecoder(data)
	wire.DecodeColumn(d, b.labels[:n])
	wire.DecodeColumn(d, b.tags[:n])
	b.oneCount = wire.DecodeColumn(d, b.counts[:n]) && b.counts[0] == 0
	b.oneWeight = decodeWeights(d, b.weights[:n]) && b.weights[0] == one
	wire.DecodeColumn(d, b.images[:n])
	if d.Len() > 0 {
		d.Fail("%d bytes left over", d.Len())
	}
	if d.Err() == nil {
		b.check(d)
	}
	return d.Err()
}

// one holds the bits of the weight 1.
var one = math.Float64bits(1)

// check fails the decoder if a value is outside of what a run can hold.
func (b *block) check(d *wire.Decoder) {
	low, high := b.images[0], b.images[0]
	var label, tag, count uint64 // the highest ones
	for i := range b.n {
		low, high = min(low, b.images[i]), max(high, b.images[i])
		label, tag, count = max(label, b.labels[i]), max(tag, b.tags[i]), max(count, b.counts[i])
	}
	switch {
	case label > math.MaxUint32:
		d.Fail("label %d", label)
	case tag > math.MaxUint32:
		d.Fail("tag %d", tag)
	case count >= math.MaxUint32:
		d.Fail("count %d", count)
	case low < lowest:
		d.Fail("image %#x of no score", low)
	case high > highest:
		d.Fail("image %#x of no score", high)
	}
}

// keep keeps only the entries whose images are within an interval.
func (b *block) keep(within Range) {
	n := 0
	for i, image := range b.images[:b.n] {
		if image < within.From || image >= within.Below {
			continue
		}
		b.labels[n], b.tags[n], b.counts[n], b.weights[n], b.images[n] = b.labels[i], b.tags[i], b.counts[i], b.weights[i], image
		n++
	}
	b.n = n
}

// blocks reads the blocks of a run until the first error.
type blocks struct {
	rest []byte
	err  error
}

// next returns the next block, encoded, and its number of entries. ok is false at the end of the
// run, or if the header is corrupt.
func (s *blocks) next() (data []byte, entries int, ok bool) {
	if len(s.rest) == 0 || s.err != nil {
		return nil, 0, false
	}
	if len(s.rest) < headerBytes {
		s.fail(fmt.Errorf("a header of %d bytes", len(s.rest)))
		return nil, 0, false
	}
	entries = int(binary.LittleEndian.Uint16(s.rest))
	end := headerBytes + int(binary.LittleEndian.Uint16(s.rest[2:]))
	switch {
	case entries < 1 || entries > blockSize:
		s.fail(fmt.Errorf("%d entries", entries))
	case end > len(s.rest):
		s.fail(fmt.Errorf("%d bytes wanted, %d left", end, len(s.rest)))
	default:
		data, s.rest = s.rest[headerBytes:end], s.rest[end:]
		return data, entries, true
	}
	return nil, 0, false
}

// decode decodes the next block. It returns false at the end of the run, or if the block is
// corrupt.
func (s *blocks) decode(b *block) bool {
	data, entries, ok := s.next()
	if !ok {
		return false
	}
	if err := b.decode(data, entries); err != nil {
		s.fail(err)
		return false
	}
	return true
}

// fail records an error and stops reading.
func (s *blocks) fail(err error) {
	s.rest, s.err = nil, fmt.Errorf("corrupt run: %w", err)
}

// Count returns the number of entries of a run. It stops where the run is corrupt.
func Count(run []byte) (n int) {
	left := blocks{rest: run}
	for _, entries, ok := left.next(); ok; _, entries, ok = left.next() {
		n += entries
	}
	return n
}
