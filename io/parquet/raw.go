package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/bitpacked"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/format"

	"github.com/beameval/beameval/io/columns"
)

// plainDictionary is the deprecated PLAIN_DICTIONARY encoding. In a dictionary page it means PLAIN,
// in a data page RLE_DICTIONARY.
const plainDictionary format.Encoding = 2

// raw holds the decoded values of a page in the slice of their physical type.
type raw struct {
	bools   []uint8 // one byte for each value
	int32s  []int32
	int64s  []int64
	int96s  []deprecated.Int96
	floats  []float32
	doubles []float64
	fixed   []byte // byte arrays of the same length

	// Byte arrays: the i-th one is text[offsets[i]+prefix : offsets[i+1]].
	text     []byte // may be the page itself
	offsets  []uint32
	prefix   uint32
	length   int    // of those with the same length, which text then holds one after another; otherwise 0
	joined   []byte // memory for text
	prefixes []int32
}

// at returns the i-th byte array.
func (r *raw) at(i int) []byte {
	if r.length > 0 {
		return r.text[i*r.length : (i+1)*r.length]
	}
	return r.text[r.offsets[i]+r.prefix : r.offsets[i+1]]
}

// decode decodes n values into raw. It is the only place that hands encoded values to parquet-go,
// and hands it nothing before it has proved that n values are there and end where src ends:
// parquet-go trusts lengths, differently on each architecture.
func (p *pages) decode(encoding format.Encoding, src []byte, n int) (err error) {
	r, size := &p.raw, p.size()
	r.length = 0
	switch {
	case p.physical == format.Boolean:
		r.bools, err = decodeBools(r.bools, encoding, src, n)
		return err
	case p.physical == format.ByteArray && isTextual(encoding):
		return p.texts(encoding, src, n)
	case p.physical == format.FixedLenByteArray && encoding == format.DeltaByteArray:
		if err := p.texts(encoding, src, n); err != nil {
			return err
		}
		return r.haveLength(size)
	case encoding == format.DeltaBinaryPacked && (p.physical == format.Int32 || p.physical == format.Int64):
		rest, err := r.deltas(src, n, 8*size)
		if p.physical == format.Int32 {
			r.int32s = columns.Convert(r.int32s[:0], r.int64s)
		}
		if err == nil {
			err = noSurplus(bytes.TrimLeft(rest, "\x00"))
		}
		return err
	case encoding == format.Plain || encoding == format.ByteStreamSplit:
		if encoding == format.Plain && len(src) == n*size+len(padding) {
			src = bytes.TrimSuffix(src, padding[:])
		}
		if err := isSize(len(src), size, n); err != nil {
			return err
		}
		return r.decodeFixed(p.leaf, encoding, src)
	}
	return unsupported(encoding)
}

// isTextual reports whether byte arrays can have an encoding.
func isTextual(e format.Encoding) bool {
	return e == format.Plain || e == format.DeltaLengthByteArray || e == format.DeltaByteArray
}

// size returns the number of bytes of a value; 0 for types of any length.
func (l *leaf) size() int {
	switch l.physical {
	case format.Int32, format.Float:
		return 4
	case format.Int64, format.Double:
		return 8
	case format.Int96:
		return 12
	case format.FixedLenByteArray:
		return l.length
	}
	return 0
}

// isSize returns an error unless n values of a size in bytes have all the bytes.
func isSize(bytes, size, n int) error {
	switch {
	case size == 0:
		return errors.New("values without a length")
	case bytes%size != 0:
		return fmt.Errorf("%d bytes are no whole number of values of %d bytes", bytes, size)
	case bytes/size != n:
		return fmt.Errorf("%d encoded values where the page has %d", bytes/size, n)
	}
	return nil
}

// decodeFixed decodes values that all have the same size. isSize holds.
func (r *raw) decodeFixed(l *leaf, encoding format.Encoding, src []byte) (err error) {
	e := parquet.LookupEncoding(encoding)
	switch l.physical {
	case format.Int32:
		r.int32s, err = e.DecodeInt32(r.int32s, src)
	case format.Int64:
		r.int64s, err = e.DecodeInt64(r.int64s, src)
	case format.Int96:
		r.int96s, err = e.DecodeInt96(r.int96s, src)
	case format.Float:
		r.floats, err = e.DecodeFloat(r.floats, src)
	case format.Double:
		r.doubles, err = e.DecodeDouble(r.doubles, src)
	case format.FixedLenByteArray:
		r.fixed, err = e.DecodeFixedLenByteArray(r.fixed, src, l.length)
		r.text, r.length = r.fixed, l.length
	}
	return err
}

// haveLength returns an error unless all texts have a length.
func (r *raw) haveLength(length int) error {
	for i := range len(r.offsets) - 1 {
		if n := len(r.at(i)); n != length {
			return fmt.Errorf("value %d of the page has %d bytes instead of %d", i, n, length)
		}
	}
	return nil
}

// padding is what fastparquet writes after the values of a PLAIN page. Any other surplus means that
// the page is damaged.
var padding [8]byte

func unsupported(e format.Encoding) error {
	return fmt.Errorf("values are encoded in %s (%d), which is not supported", e, e)
}

func decodeBools(dst []uint8, encoding format.Encoding, src []byte, n int) ([]uint8, error) {
	switch encoding {
	case format.RLE: // DecodeBoolean would take the value of a run for 8 bits
		if len(src) < 4 || uint64(binary.LittleEndian.Uint32(src)) > uint64(len(src)-4) {
			return dst[:0], errShort
		}
		return decodeLevels(dst, format.RLE, src[4:4+binary.LittleEndian.Uint32(src)], n, 1)
	case format.Plain:
		if n > 8*len(src) {
			return dst[:0], errShort
		}
		dst = slices.Grow(dst[:0], n)[:n]
		for i := range dst {
			dst[i] = src[i/8] >> (i % 8) & 1
		}
		return dst, nil
	}
	return dst[:0], unsupported(encoding)
}

// width returns the number of bits of a level that is at most highest.
func width(highest int) int { return bits.Len(uint(highest)) }

// decodeLevels decodes n levels encoded as BIT_PACKED or RLE.
func decodeLevels(dst []uint8, encoding format.Encoding, src []byte, n, highest int) (_ []uint8, err error) {
	if encoding == format.BitPacked {
		dst, err = (&bitpacked.Encoding{BitWidth: width(highest)}).DecodeLevels(dst, src)
	} else if src, err = runs(src, width(highest), n); err == nil {
		dst, err = (&rle.Encoding{BitWidth: width(highest)}).DecodeLevels(dst, src)
	}
	if err == nil && len(dst) < n {
		err = errShort
	}
	if err != nil {
		return dst[:0], err
	}
	dst = dst[:n]
	for level := highest; n > 0; level-- {
		if level < 0 {
			return dst[:0], fmt.Errorf("%d is out of range: the highest is %d", slices.Max(dst), highest)
		}
		n -= bytes.Count(dst, []byte{uint8(level)})
	}
	return dst, nil
}

// decodeIndexes decodes n dictionary indexes.
func decodeIndexes(dst []int32, src []byte, n int) (_ []int32, err error) {
	if len(src) == 0 || src[0] > 32 {
		return dst[:0], errors.New("corrupt dictionary indexes")
	}
	bits := int(src[0])
	if bits == 0 { // the dictionary has a single value
		dst = slices.Grow(dst[:0], n)[:n]
		clear(dst)
		return dst, nil
	}
	if src, err = runs(src[1:], bits, n); err == nil {
		dst, err = (&rle.Encoding{BitWidth: bits}).DecodeInt32(dst, src)
	}
	if err == nil && len(dst) < n {
		err = errShort
	}
	if err != nil {
		return dst[:0], err
	}
	return dst[:n], nil
}

// runs returns the prefix of src that encodes n values in the hybrid of RLE runs and bit-packed
// groups. It checks the run headers first, because the decoder allocates what they claim. Some
// writers truncate the last group; runs pads it with zeros.
func runs(src []byte, width, n int) ([]byte, error) {
	const slack = 512 // by how many values the last run may exceed n
	i := 0
	for n > 0 {
		header, k := binary.Uvarint(src[i:])
		if k <= 0 {
			return nil, errShort
		}
		i += k
		count, size := header>>1, uint64(width+7)/8
		if header&1 == 1 && count <= uint64(n+slack) {
			count, size = count*8, count*uint64(width)
		}
		if count == 0 {
			return nil, errors.New("corrupt encoding: an empty run")
		}
		if count > uint64(n+slack) {
			return nil, fmt.Errorf("corrupt encoding: a run of %d values where %d are left", count, n)
		}
		if rest := len(src) - i; int(size) > rest {
			if header&1 == 0 || rest*8/width < n {
				return nil, errShort
			}
			src = append(slices.Clip(src), make([]byte, int(size)-rest)...)
		}
		i += int(size)
		n -= int(count)
	}
	return src[:i], nil
}
