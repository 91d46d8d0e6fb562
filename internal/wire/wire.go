// Package wire is the binary encoding of statistics and of elements that travel between workers.
// Functions append values to a byte slice, and a [Decoder] reads them back; its first error is
// sticky. A [Coder] does both, for elements whose fields are listed once.
package wire

import (
	"encoding/binary"
	"fmt"
	"math"
)

// AppendUint appends v as a varint.
func AppendUint(dst []byte, v uint64) []byte { return binary.AppendUvarint(dst, v) }

// AppendInt appends v as a zigzag varint.
func AppendInt(dst []byte, v int64) []byte { return binary.AppendVarint(dst, v) }

// appendFixed appends v in eight bytes.
func appendFixed(dst []byte, v uint64) []byte { return binary.LittleEndian.AppendUint64(dst, v) }

// AppendFloat appends the bits of v, so that every value is restored exactly.
func AppendFloat(dst []byte, v float64) []byte { return appendFixed(dst, math.Float64bits(v)) }

// Decoder reads what the Append functions have written. After the first error, every read returns
// zero and Err returns the error, so callers check only once, at the end.
type Decoder struct {
	buf []byte
	at  int // how many bytes of buf were read: a step takes no write barrier, as a step of buf would
	err error
}

// NewDecoder returns a Decoder of buf, which it does not modify.
func NewDecoder(buf []byte) *Decoder { return &Decoder{buf: buf} }

// Err returns the first error.
func (d *Decoder) Err() error { return d.err }

// Fail makes the decoder fail, unless it has failed already.
func (d *Decoder) Fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf(format, args...)
	}
	d.buf, d.at = nil, 0
}

// Len returns the number of remaining bytes.
func (d *Decoder) Len() int { return len(d.buf) - d.at }

// Uint reads a varint. Nearly all take a byte.
func (d *Decoder) Uint() uint64 {
	if d.at < len(d.buf) && d.buf[d.at] < 1<<7 {
		d.at++
		return uint64(d.buf[d.at-1])
	}
	return d.longUint()
}

func (d *Decoder) longUint() uint64 {
	v, n := binary.Uvarint(d.buf[d.at:])
	if n <= 0 {
		d.Fail("truncated or oversized varint")
		return 0
	}
	d.at += n
	return v
}

// Int reads a zigzag varint.
func (d *Decoder) Int() int64 {
	v := d.Uint()
	return int64(v>>1) ^ -int64(v&1)
}

// Count reads a varint that must lie in [0, limit].
func (d *Decoder) Count(limit int) int {
	v := d.Uint()
	if v > uint64(limit) {
		d.Fail("count %d exceeds %d", v, limit)
		return 0
	}
	return int(v)
}

// Elements reads a number of elements. An element must take at least one of the remaining bytes, so
// that hostile counts allocate nothing.
func (d *Decoder) Elements() int { return d.Count(d.Len()) }

// fixed reads eight bytes.
func (d *Decoder) fixed() uint64 {
	b := d.Bytes(8)
	if len(b) < 8 {
		return 0
	}
	return binary.LittleEndian.Uint64(b)
}

// Float reads a float64.
func (d *Decoder) Float() float64 { return math.Float64frombits(d.fixed()) }

// Byte reads a byte.
func (d *Decoder) Byte() byte {
	b := d.Bytes(1)
	if len(b) == 0 {
		return 0
	}
	return b[0]
}

// Bytes reads n bytes. The result aliases the decoder's buffer.
func (d *Decoder) Bytes(n int) []byte {
	if n < 0 || n > d.Len() {
		d.Fail("truncated: %d bytes wanted, %d left", n, d.Len())
		return nil
	}
	d.at += n
	return d.buf[d.at-n : d.at]
}
