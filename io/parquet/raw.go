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
	bytes   []byte   // contents of the byte arrays
	offsets []uint32 // boundaries in bytes: one more than there are values
	length  int      // length of fixed-length byte arrays; 0 if offsets delimit them
}

// at returns the i-th byte array.
func (r *raw) at(i int) []byte {
	if r.length > 0 {
		return r.bytes[i*r.length : (i+1)*r.length]
	}
	return r.bytes[r.offsets[i]:r.offsets[i+1]]
}

// decode decodes n values.
func (r *raw) decode(l *leaf, encoding format.Encoding, src []byte, n int) (err error) {
	switch encoding {
	case format.Plain, format.ByteStreamSplit, format.RLE:
	case format.DeltaBinaryPacked, format.DeltaLengthByteArray, format.DeltaByteArray:
		// The decoder allocates as much as the header claims.
		if err := deltas(src, n); err != nil {
			return err
		}
	default:
		return unsupported(encoding)
	}
	if encoding == format.RLE && l.physical != format.Boolean {
		return unsupported(encoding)
	}
	if encoding == format.Plain {
		src = withoutPadding(l, src, n)
	}
	e := parquet.LookupEncoding(encoding)
	got := 0
	switch l.physical {
	case format.Boolean:
		r.bools, err = decodeBools(r.bools, encoding, src, n)
		got = len(r.bools)
	case format.Int32:
		if encoding == format.DeltaBinaryPacked {
			// Decode as int64: the first value may exceed int32, as in unsigned columns that DuckDB
			// writes.
			r.int64s, err = e.DecodeInt64(r.int64s, src)
			r.int32s = columns.Convert(r.int32s[:0], r.int64s)
		} else {
			r.int32s, err = e.DecodeInt32(r.int32s, src)
		}
		got = len(r.int32s)
	case format.Int64:
		r.int64s, err = e.DecodeInt64(r.int64s, src)
		got = len(r.int64s)
	case format.Int96:
		r.int96s, err = e.DecodeInt96(r.int96s, src)
		got = len(r.int96s)
	case format.Float:
		r.floats, err = e.DecodeFloat(r.floats, src)
		got = len(r.floats)
	case format.Double:
		r.doubles, err = e.DecodeDouble(r.doubles, src)
		got = len(r.doubles)
	case format.ByteArray:
		r.length = 0
		r.bytes, r.offsets, err = e.DecodeByteArray(r.bytes, src, r.offsets)
		got = len(r.offsets) - 1
	case format.FixedLenByteArray:
		r.length = l.length
		r.bytes, err = e.DecodeFixedLenByteArray(r.bytes, src, l.length)
		got = len(r.bytes) / l.length
	}
	if err == nil && got != n {
		err = fmt.Errorf("%d encoded values where the page has %d", got, n)
	}
	return err
}

// padding is what fastparquet writes after the values of a PLAIN page.
var padding [8]byte

// withoutPadding strips the padding from the bytes of n PLAIN values. It strips nothing else: any
// other surplus means that the page is damaged.
func withoutPadding(l *leaf, src []byte, n int) []byte {
	values, found := bytes.CutSuffix(src, padding[:])
	if !found {
		return src
	}
	size := l.length
	switch l.physical {
	case format.Int32, format.Float:
		size = 4
	case format.Int64, format.Double:
		size = 8
	case format.Int96:
		size = 12
	case format.ByteArray:
		if areByteArrays(values, n) {
			return values
		}
		return src
	}
	if n*size == len(values) {
		return values
	}
	return src
}

// areByteArrays reports whether b consists of exactly n byte arrays with length prefixes.
func areByteArrays(b []byte, n int) bool {
	for range n {
		if len(b) < 4 {
			return false
		}
		size := uint64(binary.LittleEndian.Uint32(b))
		if size > uint64(len(b)-4) {
			return false
		}
		b = b[4+size:]
	}
	return len(b) == 0
}

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
		if header&1 == 1 {
			count, size = count*8, count*uint64(width)
		} else if count == 0 {
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

// deltas checks the number of values in the header of a delta encoding.
func deltas(src []byte, n int) error {
	var header [3]uint64 // block size, miniblocks per block, number of values
	for i := range header {
		v, k := binary.Uvarint(src)
		if k <= 0 {
			return errShort
		}
		header[i], src = v, src[k:]
	}
	if header[2] != uint64(n) {
		return fmt.Errorf("%d encoded values where the page has %d", header[2], n)
	}
	return nil
}
