package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
)

// reference decodes a page slowly, bit by bit as the format describes it, and independently of
// parquet-go: what the reader may return, and when it must not return anything.
type reference struct {
	src    []byte
	failed bool
}

// take returns the next bytes, or zeros if there are not so many.
func (r *reference) take(n int) []byte {
	if n < 0 || n > len(r.src) {
		r.failed, r.src = true, nil
		return make([]byte, max(0, min(n, 16)))
	}
	b := r.src[:n]
	r.src = r.src[n:]
	return b
}

func (r *reference) varint() uint64 {
	v, n := binary.Uvarint(r.src)
	if n <= 0 {
		r.failed = true
		return 0
	}
	r.take(n)
	return v
}

func (r *reference) zigzag() int64 {
	v := r.varint()
	return int64(v>>1) ^ -int64(v&1)
}

// bit returns a bit of b, beginning with the lowest of the first byte; it is 0 behind the end.
func bit(b []byte, i int) uint64 {
	if i/8 >= len(b) {
		return 0
	}
	return uint64(b[i/8]>>(i%8)) & 1
}

func number(b []byte, from, width int) (v uint64) {
	for i := range width {
		v |= bit(b, from+i) << i
	}
	return v
}

// hybrid decodes n values of the hybrid of runs and bit-packed groups.
func (r *reference) hybrid(width, n int) (out []uint64) {
	for len(out) < n && !r.failed {
		header := r.varint()
		count, left := header>>1, n-len(out)
		if header&1 == 1 {
			count *= 8
		}
		if count == 0 || header>>1 > 1<<32 || count > uint64(left+512) {
			r.failed = true
			return nil
		}
		if header&1 == 0 {
			v := number(r.take((width+7)/8), 0, 64)
			for range count {
				out = append(out, v)
			}
			continue
		}
		size := int(header>>1) * width
		if size > len(r.src) && len(r.src)*8/width >= left { // cut behind the last value
			size = len(r.src)
		}
		b := r.take(size)
		for i := range int(count) {
			out = append(out, number(b, i*width, width))
		}
	}
	if r.failed {
		return nil
	}
	return out[:n]
}

// deltas decodes n integers.
func (r *reference) deltas(n, bits int) (out []int64) {
	block, minis, total := r.varint(), r.varint(), r.varint()
	first := r.zigzag()
	if r.failed || total != uint64(n) || block == 0 || block%128 != 0 || block > 1<<16 || minis == 0 || block%minis != 0 || block/minis%32 != 0 {
		r.failed = true
		return nil
	}
	out = append(out, first)
	each, wide := int(block/minis), 0
	for len(out) < n && !r.failed {
		least := r.zigzag()
		for _, w := range slices.Clone(r.take(int(minis))) {
			left := n - len(out)
			if left == 0 || r.failed {
				break
			}
			wide = max(wide, int(w))
			size := each * int(w) / 8
			if size > len(r.src) && left <= each && (left*int(w)+7)/8 <= len(r.src) {
				size = len(r.src)
			}
			if w > 64 {
				r.failed = true
			}
			b := r.take(size)
			for i := range min(left, each) {
				out = append(out, out[len(out)-1]+least+int64(number(b, i*int(w), int(w))))
			}
		}
	}
	if wide > bits {
		for _, v := range out {
			r.failed = r.failed || v < -1<<(bits-1) || v >= 1<<bits
		}
	}
	if r.failed {
		return nil
	}
	return out[:n]
}

// fuzzedType is a type of the columns whose pages are mutated.
type fuzzedType struct {
	physical format.Type
	size     int // of values, in bytes; 0 for bits and byte arrays
	good     []byte
}

var fuzzedTypes = []fuzzedType{
	{format.Boolean, 0, []byte{5}},
	{format.Int32, 4, bytes.Repeat([]byte{0xa5}, 3*4)},
	{format.Int64, 8, bytes.Repeat([]byte{0xa5}, 3*8)},
	{format.Float, 4, bytes.Repeat([]byte{0x3f}, 3*4)},
	{format.Double, 8, bytes.Repeat([]byte{0x3f}, 3*8)},
	{format.ByteArray, 0, stringBytes("one", "two", "three")},
	{format.FixedLenByteArray, 3, []byte("onetwotri")},
}

// fuzzedEncodings are all encodings of values.
var fuzzedEncodings = []format.Encoding{
	format.Plain, format.RLE, format.RLEDictionary, format.DeltaBinaryPacked, format.DeltaLengthByteArray, format.DeltaByteArray, format.ByteStreamSplit, plainDictionary,
}

// texts decodes n texts.
func (r *reference) texts(encoding format.Encoding, n int) (out [][]byte) {
	switch encoding {
	case format.Plain:
		for range n {
			out = append(out, r.take(int(binary.LittleEndian.Uint32(r.take(4)))))
		}
		r.pad()
		return out
	case format.DeltaLengthByteArray:
		for _, size := range r.deltas(n, 32) {
			out = append(out, r.take(int(size)))
		}
	case format.DeltaByteArray:
		prefixes, sizes := r.deltas(n, 32), []int64(nil)
		if !r.failed {
			sizes = r.deltas(n, 32)
		}
		var last []byte
		for i, size := range sizes {
			if p := prefixes[i]; p < 0 || p > int64(len(last)) {
				r.failed = true
				return nil
			}
			last = append(slices.Clone(last[:prefixes[i]]), r.take(int(size))...)
			out = append(out, last)
		}
	default:
		r.failed = true
	}
	r.failed = r.failed || len(r.src) > 0
	return out
}

// pad skips what fastparquet writes behind plain values.
func (r *reference) pad() {
	if len(r.src) > 0 && !bytes.Equal(r.src, make([]byte, 8)) {
		r.failed = true
	}
}

// values decodes n values of a type.
func (r *reference) values(t fuzzedType, encoding format.Encoding, n int) (out []any) {
	switch {
	case n == 0:
		return nil
	case t.physical == format.Boolean && encoding == format.RLE:
		r.src = r.take(int(binary.LittleEndian.Uint32(r.take(4))))
		for _, v := range r.hybrid(1, n) {
			r.failed = r.failed || v > 1
			out = append(out, v == 1)
		}
	case t.physical == format.Boolean && encoding == format.Plain:
		b := r.take((n + 7) / 8)
		for i := range n {
			out = append(out, bit(b, i) == 1)
		}
	case t.physical == format.ByteArray, t.physical == format.FixedLenByteArray && encoding == format.DeltaByteArray:
		for _, v := range r.texts(encoding, n) {
			r.failed = r.failed || t.size > 0 && len(v) != t.size
			out = append(out, string(v))
		}
	case encoding == format.DeltaBinaryPacked && (t.physical == format.Int32 || t.physical == format.Int64):
		for _, v := range r.deltas(n, 8*t.size) {
			if t.size == 4 {
				v = int64(int32(v))
			}
			out = append(out, v)
		}
		r.failed = r.failed || len(bytes.Trim(r.src, "\x00")) > 0
	case t.size > 0 && (encoding == format.Plain || encoding == format.ByteStreamSplit):
		b := r.take(n * t.size)
		if encoding == format.Plain {
			r.pad()
		}
		r.failed = r.failed || encoding == format.ByteStreamSplit && len(r.src) > 0
		for i := 0; i < n && !r.failed; i++ {
			v := make([]byte, t.size)
			for j := range v {
				if v[j] = b[i*t.size+j]; encoding == format.ByteStreamSplit {
					v[j] = b[j*n+i]
				}
			}
			out = append(out, typedBytes(t, v))
		}
	default:
		r.failed = true
	}
	return out
}

// typedBytes returns the value that bytes have in a type.
func typedBytes(t fuzzedType, b []byte) any {
	switch t.physical {
	case format.Int32:
		return int64(int32(binary.LittleEndian.Uint32(b)))
	case format.Int64:
		return int64(binary.LittleEndian.Uint64(b))
	case format.Float:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	case format.Double:
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	}
	return string(b)
}

// page decodes a page of n entries, which are optional or not, and may refer to a dictionary.
func (r *reference) page(t fuzzedType, encoding format.Encoding, n int, optional bool, dictionary []any) (out []any) {
	present := make([]uint64, n)
	for i := range present {
		present[i] = 1
	}
	if optional {
		size := int(binary.LittleEndian.Uint32(r.take(4)))
		levels := reference{src: r.take(size)}
		present = levels.hybrid(1, n)
		if r.failed = r.failed || levels.failed; r.failed {
			return nil
		}
	}
	count := 0
	for _, p := range present {
		if r.failed = r.failed || p > 1; p == 1 {
			count++
		}
	}
	if r.failed {
		return nil
	}
	var values []any
	if encoding == format.RLEDictionary || encoding == plainDictionary {
		values = r.lookUp(count, dictionary)
	} else {
		values = r.values(t, encoding, count)
	}
	for _, p := range present {
		switch {
		case r.failed:
			return nil
		case p == 1:
			out, values = append(out, values[0]), values[1:]
		default:
			out = append(out, nil)
		}
	}
	return out
}

// lookUp decodes n indexes of a dictionary.
func (r *reference) lookUp(n int, dictionary []any) (out []any) {
	if n == 0 {
		return nil
	}
	width := int(r.take(1)[0])
	if r.failed = r.failed || width > 32 || dictionary == nil; r.failed {
		return nil
	}
	indexes := make([]uint64, n)
	if width > 0 {
		indexes = r.hybrid(width, n)
	}
	for _, i := range indexes {
		if i >= uint64(len(dictionary)) {
			r.failed = true
			return nil
		}
		out = append(out, dictionary[i])
	}
	return out
}

// fuzzedPage is a column of a good page, whose values the next page must not repeat, and a page of
// any bytes.
type fuzzedPage struct {
	t          fuzzedType
	encoding   format.Encoding
	n          int
	optional   bool
	dictionary bool
	body       []byte
}

func fuzzedPageOf(kind, encoding, n uint8, body []byte) fuzzedPage {
	return fuzzedPage{
		fuzzedTypes[int(kind>>2)%len(fuzzedTypes)], fuzzedEncodings[int(encoding)%len(fuzzedEncodings)], 1 + int(n), kind&1 != 0, kind&2 != 0, body,
	}
}

// want returns the values of the page, or an error if it must not be read.
func (p *fuzzedPage) want() ([]any, error) {
	var dictionary []any
	if p.dictionary {
		dictionary = (&reference{src: p.t.good}).values(p.t, format.Plain, 3)
	}
	r := reference{src: p.body}
	out := r.page(p.t, p.encoding, p.n, p.optional, dictionary)
	if r.failed {
		return nil, errors.New("damaged")
	}
	return out, nil
}

// got returns the values that the reader reads.
func (p *fuzzedPage) got(t testing.TB) ([]any, error) {
	repetition, levels := format.Required, []byte(nil)
	if p.optional {
		repetition, levels = format.Optional, encodedLevels(1, 1, 1, 1)
	}
	element := leafOf("v", p.t.physical, repetition)
	if p.t.physical == format.FixedLenByteArray {
		element.TypeLength = thrift.New(int32(p.t.size))
	}
	pages := []testPage{dataPage(3, format.Plain, levels, p.t.good), dataPage(p.n, p.encoding, p.body)}
	if p.dictionary {
		pages = append([]testPage{dictionaryPage(3, p.t.good)}, pages...)
	}
	data := buildBytes(t, []format.SchemaElement{element}, oneColumn(int64(3+p.n), pages...))
	f, err := Open(inMemory(data), columns.Options{})
	require.NoError(t, err)
	all, err := readAll(t, f, 1000, "v")
	if err != nil {
		requireContained(t, err)
		return nil, err
	}
	return all[0][3:], nil
}

// seedPage is what FuzzValues begins with.
type seedPage struct {
	kind, encoding, n uint8
	body              []byte
}

// seedPages returns valid pages of every type and encoding, as parquet-go encodes them.
func seedPages(t testing.TB) (pages []seedPage) {
	const n = 150 // more than a block of deltas
	ints, longs, indexes := make([]int32, n), make([]int64, n), make([]int32, n)
	var plain []byte
	var offsets []uint32
	for i := range n {
		ints[i], longs[i], indexes[i] = int32(i*i*977), int64(i)*int64(i)*1e12-5e14, int32(i%3)
		offsets = append(offsets, uint32(len(plain)))
		plain = append(plain, fmt.Sprintf("user%d", i/3)[:4+i%2]...)
	}
	offsets = append(offsets, uint32(len(plain)))
	fixed := bytes.Repeat([]byte("abcabdxyz"), n/3)
	for kind, typ := range fuzzedTypes {
		for at, e := range fuzzedEncodings {
			encode, body, err := parquet.LookupEncoding(e), []byte(nil), error(nil)
			switch {
			case e == format.RLEDictionary || e == plainDictionary:
				body, err = (&rle.Encoding{BitWidth: 2}).EncodeInt32(nil, indexes)
				body = append([]byte{2}, body...)
			case typ.physical == format.Boolean && e == format.RLE:
				body = encodedLevels(1, bytes.Repeat([]byte{1, 0, 1, 1, 1, 1, 1, 1, 1, 1}, n/10)...)
			case typ.physical == format.Boolean:
				body = bytes.Repeat([]byte{0x5a}, (n+7)/8)
			case typ.physical == format.Int32:
				body, err = encode.EncodeInt32(nil, ints)
			case typ.physical == format.Int64:
				body, err = encode.EncodeInt64(nil, longs)
			case typ.physical == format.Float:
				body, err = encode.EncodeFloat(nil, make([]float32, n))
			case typ.physical == format.Double:
				body, err = encode.EncodeDouble(nil, make([]float64, n))
			case typ.physical == format.ByteArray:
				body, err = encode.EncodeByteArray(nil, plain, offsets)
			default:
				body, err = encode.EncodeFixedLenByteArray(nil, fixed, 3)
			}
			if err != nil {
				body = []byte{1, 2, 3, 4} // the type has no such encoding
			}
			levels := encodedLevels(1, bytes.Repeat([]byte{1}, n)...)
			pages = append(pages, seedPage{uint8(kind<<2 | 2), uint8(at), n - 1, body}, seedPage{uint8(kind<<2 | 3), uint8(at), n - 1, slices.Concat(levels, body)})
		}
	}
	return pages
}

// TestReference: the reference reads what parquet-go writes.
func TestReference(t *testing.T) {
	read := 0
	for _, seed := range seedPages(t) {
		p := fuzzedPageOf(seed.kind, seed.encoding, seed.n, seed.body)
		want, err := p.want()
		if len(seed.body) < 10 || err != nil {
			continue
		}
		read++
		got, err := p.got(t)
		require.NoError(t, err)
		require.Equal(t, want, got, "%s as %s", p.t.physical, p.encoding)
	}
	require.Equal(t, 64, read)
}

// FuzzValues compares the values of pages of any bytes with the reference's, and requires that the
// same pages are refused.
func FuzzValues(f *testing.F) {
	for _, seed := range seedPages(f) {
		f.Add(seed.kind, seed.encoding, seed.n, seed.body)
		for n := 0; n < len(seed.body); n += 1 + len(seed.body)/6 {
			damaged := slices.Clone(seed.body)
			damaged[n] ^= 0x41
			f.Add(seed.kind, seed.encoding, seed.n, damaged)
			f.Add(seed.kind, seed.encoding, seed.n, seed.body[:n])
		}
	}
	f.Fuzz(func(t *testing.T, kind, encoding, n uint8, body []byte) {
		if len(body) > 1<<15 {
			return // the reader refuses pages that are much larger than their values
		}
		p := fuzzedPageOf(kind, encoding, n, body)
		got, failed := p.got(t)
		want, damaged := p.want()
		if damaged != nil {
			require.Error(t, failed, "%s as %s: %v", p.t.physical, p.encoding, got)
			return
		}
		require.NoError(t, failed, "%s as %s: %v", p.t.physical, p.encoding, want)
		require.Equal(t, fmt.Sprint(want), fmt.Sprint(got), "%s as %s", p.t.physical, p.encoding)
	})
}
