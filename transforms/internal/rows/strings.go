package rows

import (
	"encoding/binary"
	"math"

	"github.com/klauspost/compress/s2"

	"github.com/beameval/beameval/io/columns"
)

// A dictionary is the number of its strings, their lengths, the length of their
// text compressed (S2; 0: it is plain) and the text. The rest of a table is not
// compressed: packed integers leave nothing to find, while names and paths with
// numbers in them shrink to a fifth or a half.

// mostRatio is how many times longer than compressed a text may be, so that a few
// bytes cannot claim much memory.
const mostRatio = 32

func appendStrings(dst []byte, dict *columns.Strings) []byte {
	values := dict.Values()
	dst = binary.AppendUvarint(dst, uint64(len(values)))
	dst = appendBlocks(dst, values, func(s string) int64 { return int64(len(s)) })
	size := 0
	for _, s := range values {
		size += len(s)
	}
	text := make([]byte, 0, size)
	for _, s := range values {
		text = append(text, s...)
	}
	if size <= math.MaxInt32 { // more is not for one block
		short := s2.Encode(nil, text)
		if len(short) < size && size <= mostRatio*len(short) {
			dst = binary.AppendUvarint(dst, uint64(len(short)))
			return append(dst, short...)
		}
	}
	return append(append(dst, 0), text...)
}

// strings reads a dictionary.
func (r *reader) strings() *columns.Strings {
	dict := new(columns.Strings)
	lengths := readBlocks(r, r.count(), fromInt64)
	text := r.text(lengths)
	if r.err != nil {
		return dict
	}
	for i, n := range lengths {
		if dict.Code(text[:n]) != int32(i) {
			r.fail("a string is twice in its dictionary")
			break
		}
		text = text[n:]
	}
	return dict
}

// text reads the text of strings of these lengths.
func (r *reader) text(lengths []int64) []byte {
	most, size := int64(mostRatio*len(r.buf)), int64(0)
	for _, n := range lengths {
		if n < 0 || n > most-size {
			r.fail("corrupt length of a string")
			return nil
		}
		size += n
	}
	short := r.count()
	if short == 0 {
		return r.bytes(int(size))
	}
	data := r.bytes(short)
	if n, err := s2.DecodedLen(data); err != nil || int64(n) != size || n > mostRatio*len(data) {
		r.fail("corrupt length of compressed text")
		return nil
	}
	text, err := s2.Decode(nil, data)
	if err != nil {
		r.fail("corrupt compressed text")
	}
	return text
}
