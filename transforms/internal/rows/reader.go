package rows

import (
	"encoding/binary"
	"errors"
	"math"
)

// reader reads what was appended. After its first error it returns zeros.
type reader struct {
	buf []byte
	err error
}

func (r *reader) fail(what string) {
	if r.err == nil {
		r.err = errors.New(what)
	}
	r.buf = nil
}

// has fails unless n bytes are left.
func (r *reader) has(n int) bool {
	if n > len(r.buf) {
		r.fail("truncated")
	}
	return r.err == nil
}

func (r *reader) bytes(n int) []byte {
	if !r.has(n) {
		return nil
	}
	head := r.buf[:n]
	r.buf = r.buf[n:]
	return head
}

func (r *reader) byte() byte {
	if b := r.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

// varint reads a zigzag varint.
func (r *reader) varint() int64 {
	v, n := binary.Varint(r.buf)
	if r.bytes(max(n, 1)) == nil || n <= 0 {
		r.fail("corrupt varint")
		return 0
	}
	return v
}

// count reads a number from 0 to 2³¹-1.
func (r *reader) count() int {
	v, n := binary.Uvarint(r.buf)
	if r.bytes(max(n, 1)) == nil || n <= 0 || v > math.MaxInt32 {
		r.fail("corrupt count")
		return 0
	}
	return int(v)
}
