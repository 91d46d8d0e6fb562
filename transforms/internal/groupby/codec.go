package groupby

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/klauspost/compress/s2"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/io/columns"
)

// codec holds buffers of a table for encoding and decoding.
type codec struct {
	plain, packed, numbers []byte
	floats                 []int64
	lengths                []int32
}

// loose is the type of columns of strings with a loose table.
const loose = int(columns.String) + 1

// Encode returns an encoding of the table; see the package documentation. It is valid until the
// next call of Encode.
func (t *Table) Encode() (data []byte, err error) {
	if t.codec.plain, err = wire.Append(t.codec.plain[:0], t, tableFields); err != nil {
		return nil, err
	}
	t.codec.packed = s2.EncodeSnappy(t.codec.packed[:cap(t.codec.packed)], t.codec.plain)
	return t.codec.packed, nil
}

// mostRatio is the largest accepted ratio of the length of data to the length of their encoding. A
// few bytes of S2 can claim any length; with Snappy, 3 bytes decode to at most 64.
const mostRatio = 24

// Decode sets the table to another one that Encode encoded. If the data do not come from Encode,
// dictionaries may contain a string twice; a table that this one is appended to has it once.
// Whatever the data claim, Decode needs memory only in proportion to their length.
func (t *Table) Decode(data []byte) error {
	t.Reset()
	if err := t.decode(data); err != nil {
		t.Rows, t.Columns = 0, nil
		return fmt.Errorf("decoding rows: %w", err)
	}
	return nil
}

func (t *Table) decode(data []byte) error {
	if n, err := s2.DecodedLen(data); err != nil || n > mostRatio*len(data) {
		return s2.ErrCorrupt
	}
	plain, err := s2.Decode(t.codec.plain[:cap(t.codec.plain)], data)
	if err != nil {
		return err
	}
	t.codec.plain = plain
	return wire.Decode(plain, t, tableFields)
}

func tableFields(c *wire.Coder, t *Table) {
	if wire.Int(c, &t.Rows); t.Rows < 0 || t.Rows > math.MaxInt32 {
		c.Fail("%d rows", t.Rows)
	}
	i := 0
	wire.List(c, &t.Columns, func(c *wire.Coder, col *columns.Column) {
		if i == len(t.work) {
			t.work = append(t.work, work{})
		}
		t.columnFields(c, col, &t.work[i])
		i++
	})
}

func (t *Table) columnFields(c *wire.Coder, col *columns.Column, w *work) {
	if c.Reading() {
		*col = w.memory
	}
	n, typ, lists := t.Rows, int(col.Type), col.Offsets != nil && !c.Reading()
	if !c.Reading() && col.Dict != nil && col.Dict.Loose() {
		typ = loose
	}
	if wire.Int(c, &typ); typ < int(columns.Bool) || typ > loose {
		c.Fail("%d is no type of a column", typ)
	}
	col.Type = columns.Type(min(typ, int(columns.String)))
	if c.Bool(&lists); lists {
		codeNulls(c, &col.RowNull, n)
		n = t.codec.offsets(c, col, n)
	} else {
		col.RowNull, col.Offsets = nil, nil
	}
	codeNulls(c, &col.Null, n)
	switch col.Type {
	case columns.Float:
		t.codec.codeFloats(c, &col.Floats, n, col.Null)
	case columns.String:
		if typ == loose {
			t.codec.codeTexts(c, w, col)
		} else {
			w.codeStrings(c, col)
		}
		t.codec.codeCodes(c, col, n)
	default:
		codeInts(c, &t.codec, &col.Ints, n, col.Null)
	}
	if col.Type == columns.Bool && slices.ContainsFunc(col.Ints, func(v int64) bool { return v&^1 != 0 }) {
		c.Fail("a truth value that is not 0 or 1")
	}
}

// codeNulls encodes or decodes which of n values are null. The list is nil if none is.
func codeNulls(c *wire.Coder, list *[]bool, n int) {
	data := make([]byte, len(*list))
	for i, null := range *list {
		if null {
			data[i] = 1
		}
	}
	if c.Bytes(&data); !c.Reading() {
		return
	}
	memory := (*list)[:0]
	if *list = nil; !slices.Contains(data, 1) {
		return
	}
	if len(data) != n {
		c.Fail("nulls of %d values, not %d", len(data), n)
	}
	for _, b := range data {
		memory = append(memory, b == 1)
	}
	*list = memory
}

// offsets encodes or decodes the offsets of the lists of some rows. It returns the number of values
// in the lists.
func (k *codec) offsets(c *wire.Coder, col *columns.Column, rows int) (values int) {
	if !codeInts(c, k, &col.Offsets, rows+1, nil) {
		return 0
	}
	last := int32(0)
	for i, end := range col.Offsets {
		if end < last || i == 0 && end > 0 || end > last && col.IsNullList(i-1) {
			c.Fail("the offset %d of a list", end)
			return 0
		}
		last = end
	}
	return int(last)
}

// codeStrings encodes or decodes the dictionary of a column.
func (w *work) codeStrings(c *wire.Coder, col *columns.Column) {
	if !c.Reading() {
		values := col.Dict.Values()
		c.Strings(&values)
		return
	}
	var values []string
	c.Strings(&values)
	col.Dict, w.source, w.strings = columns.StringsOf(values), nil, 0
	w.translation++
	for _, s := range values {
		w.strings += len(s) + stringOverhead
	}
}

// codeCodes encodes or decodes the codes of n strings. If each value has a string of its own, they take
// no bytes.
func (k *codec) codeCodes(c *wire.Coder, col *columns.Column, n int) {
	if !c.Reading() {
		if k.numbers = k.numbers[:0]; !areOwn(col) {
			k.numbers = pack(k.numbers, col.Codes)
		}
		c.Bytes(&k.numbers)
		return
	}
	var data []byte
	if c.Bytes(&data); len(data) > 0 || n == 0 || n != col.Dict.Len() {
		unpackInts(c, &col.Codes, data, n, col.Null)
		checkCodes(c, col)
		return
	}
	col.Codes = collections.Resize(col.Codes, n)
	for i := range col.Codes {
		col.Codes[i] = int32(i)
	}
	zeroNulls(col.Codes, col.Null)
}

// areOwn reports whether each value, which is not null, has a string of its own, in order.
func areOwn(col *columns.Column) bool {
	for i, code := range col.Codes {
		if int(code) != i && !col.IsNull(i) {
			return false
		}
	}
	return len(col.Codes) > 0 && len(col.Codes) == col.Dict.Len()
}

// codeTexts encodes or decodes the loose table of strings of a column: their lengths, and their
// bytes. Decoded strings share the memory of the data.
func (k *codec) codeTexts(c *wire.Coder, w *work, col *columns.Column) {
	var text []byte
	k.lengths = k.lengths[:0]
	if !c.Reading() {
		text = col.Dict.Text()
		for code := range int32(col.Dict.Len()) {
			k.lengths = append(k.lengths, int32(len(col.Dict.Bytes(code))))
		}
	}
	n := len(k.lengths)
	if wire.Int(c, &n); n < 0 || n > math.MaxInt32 {
		c.Fail("%d texts", n)
	}
	codeInts(c, k, &k.lengths, n, nil)
	if c.Bytes(&text); !c.Reading() {
		return
	}
	end, ends := 0, make([]int, 0, len(k.lengths))
	for _, length := range k.lengths {
		if end += int(length); length < 0 || end > len(text) {
			break
		}
		ends = append(ends, end)
	}
	if len(ends) < n || end != len(text) {
		c.Fail("%d bytes are not %d texts", len(text), n)
		ends, text = nil, nil
	}
	col.Dict, w.source, w.strings = columns.Loose(text, ends), nil, len(text)+looseOverhead*len(ends)
	w.translation++
}

// checkCodes fails the coder if a code has no string.
func checkCodes(c *wire.Coder, col *columns.Column) {
	for i, code := range col.Codes {
		if (code < 0 || int(code) >= col.Dict.Len()) && !col.IsNull(i) {
			c.Fail("the code %d of %d strings", code, col.Dict.Len())
		}
	}
}

// codeFloats encodes or decodes n numbers by their bits.
func (k *codec) codeFloats(c *wire.Coder, list *[]float64, n int, null []bool) {
	k.floats = k.floats[:0]
	if !c.Reading() {
		for _, f := range *list {
			k.floats = append(k.floats, int64(math.Float64bits(f)))
		}
	}
	if !codeInts(c, k, &k.floats, n, null) || !c.Reading() {
		return
	}
	*list = collections.Resize(*list, n)
	for i, v := range k.floats {
		(*list)[i] = math.Float64frombits(uint64(v))
	}
}

// codeInts encodes or decodes n integers. When decoding, null ones become 0. It returns false if
// they cannot be decoded.
func codeInts[T int32 | int64](c *wire.Coder, k *codec, list *[]T, n int, null []bool) (ok bool) {
	if !c.Reading() {
		k.numbers = pack(k.numbers[:0], *list)
		c.Bytes(&k.numbers)
		return true
	}
	var data []byte
	c.Bytes(&data)
	return unpackInts(c, list, data, n, null)
}

// unpackInts decodes n integers from data. Null ones become 0. It returns false if they cannot be
// decoded.
func unpackInts[T int32 | int64](c *wire.Coder, list *[]T, data []byte, n int, null []bool) (ok bool) {
	if *list, ok = unpack(*list, data, n); !ok {
		c.Fail("%d bytes are not %d integers", len(data), n)
		return false
	}
	zeroNulls(*list, null)
	return true
}

func zeroNulls[T int32 | int64](list []T, null []bool) {
	for i, null := range null {
		if null {
			list[i] = 0
		}
	}
}

// pack appends integers. Each is encoded by the amount by which it exceeds the least one, without
// the low bits that are 0 in all amounts, and in as few bytes as the largest needs, but at least
// one:
//
//	bytes per integer │ dropped bits │ least integer │ integers
//	1 byte              1 byte         varint
func pack[T int32 | int64](dst []byte, list []T) []byte {
	var least int64
	if len(list) > 0 {
		least = int64(slices.Min(list))
	}
	var all uint64
	for _, v := range list {
		all |= uint64(int64(v) - least)
	}
	zeros := bits.TrailingZeros64(all) & 63
	size := max(1, (bits.Len64(all>>zeros)+7)/8)
	dst = wire.AppendInt(append(dst, byte(size), byte(zeros)), least)
	n := len(dst)
	dst = slices.Grow(dst, size*len(list)+8)
	for _, v := range list {
		binary.LittleEndian.PutUint64(dst[n:n+8], uint64(int64(v)-least)>>zeros)
		n += size
	}
	return dst[:n]
}

// unpack decodes n integers from data, which pack must have appended to an empty slice.
func unpack[T int32 | int64](list []T, data []byte, n int) (_ []T, ok bool) {
	if len(data) < 2 {
		return nil, false
	}
	size, zeros := int(data[0]), data[1]
	least, k := binary.Varint(data[2:])
	data = data[2+max(k, 0):]
	if k <= 0 || size < 1 || size > 8 || zeros > 63 || len(data) != n*size {
		return nil, false
	}
	list = collections.Resize(list, n)
	mask := uint64(1)<<(8*size) - 1
	whole := max(0, (len(data)-8)/size) // for the first whole integers, eight bytes can be read
	for i := range list[:whole] {
		list[i] = T(least + int64(binary.LittleEndian.Uint64(data[i*size:])&mask<<zeros))
	}
	for i := whole; i < n; i++ {
		var last [8]byte
		copy(last[:], data[i*size:][:size])
		list[i] = T(least + int64(binary.LittleEndian.Uint64(last[:])<<zeros))
	}
	return list, true
}
