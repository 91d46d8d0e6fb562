package rows

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/klauspost/compress/s2"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/io/columns"
)

// Encode returns an encoding, which the package documentation describes.
func (t *Table) Encode() ([]byte, error) {
	data, err := wire.Encode(t, tableFields)
	return s2.EncodeSnappy(nil, data), err
}

// mostRatio is how many times longer data may be than their encoding. A few bytes of
// S2 can claim any length; of Snappy, 3 bytes make at most 64.
const mostRatio = 24

// Decode reads a table that Encode wrote, which may then be appended to. Whatever the
// data claim, it takes memory in proportion to their length.
func Decode(data []byte) (*Table, error) {
	t, err := decode(data)
	if err != nil {
		return nil, fmt.Errorf("decoding rows: %w", err)
	}
	return t, nil
}

func decode(data []byte) (*Table, error) {
	if n, err := s2.DecodedLen(data); err != nil || n > mostRatio*len(data) {
		return nil, s2.ErrCorrupt
	}
	data, err := s2.Decode(nil, data)
	if err != nil {
		return nil, err
	}
	t := new(Table)
	if err := wire.Decode(data, t, tableFields); err != nil {
		return nil, err
	}
	t.work = make([]work, len(t.Columns))
	for i := range t.Columns {
		if dict := t.Columns[i].Dict; dict != nil {
			for _, s := range dict.Values() {
				t.work[i].strings += len(s) + stringOverhead
			}
		}
	}
	return t, nil
}

func tableFields(c *wire.Coder, t *Table) {
	if wire.Int(c, &t.Rows); t.Rows < 0 || t.Rows > math.MaxInt32 {
		c.Fail("%d rows", t.Rows)
	}
	wire.List(c, &t.Columns, func(c *wire.Coder, col *columns.Column) { columnFields(c, col, t.Rows) })
}

func columnFields(c *wire.Coder, col *columns.Column, n int) {
	typ, lists := int(col.Type), col.Offsets != nil
	if wire.Int(c, &typ); typ < int(columns.Bool) || typ > int(columns.String) {
		c.Fail("%d is no type of a column", typ)
	}
	col.Type = columns.Type(typ)
	if c.Bool(&lists); lists {
		codeNulls(c, &col.RowNull, n)
		n = codeOffsets(c, col, n)
	}
	codeNulls(c, &col.Null, n)
	switch col.Type {
	case columns.Float:
		codeFloats(c, &col.Floats, n, col.Null)
	case columns.String:
		codeStrings(c, col, n)
	default:
		codeInts(c, &col.Ints, n, col.Null)
	}
	if col.Type == columns.Bool && slices.ContainsFunc(col.Ints, func(v int64) bool { return v&^1 != 0 }) {
		c.Fail("a truth value that is not 0 or 1")
	}
}

// codeNulls codes which of n values are null; the list is nil if none is.
func codeNulls(c *wire.Coder, list *[]bool, n int) {
	data := make([]byte, len(*list))
	for i, null := range *list {
		if null {
			data[i] = 1
		}
	}
	if c.Bytes(&data); !c.Reading() || !slices.Contains(data, 1) {
		return
	}
	if len(data) != n {
		c.Fail("nulls of %d values, not %d", len(data), n)
	}
	for _, b := range data {
		*list = append(*list, b == 1)
	}
}

// codeOffsets codes the offsets of the lists of some rows, and returns how many values
// the lists have.
func codeOffsets(c *wire.Coder, col *columns.Column, rows int) (values int) {
	if !codeInts(c, &col.Offsets, rows+1, nil) {
		return 0
	}
	last := int32(0)
	for i, end := range col.Offsets {
		if end < last || i == 0 && end > 0 || end > last && col.RowNull != nil && col.RowNull[i-1] {
			c.Fail("the offset %d of a list", end)
			return 0
		}
		last = end
	}
	return int(last)
}

// codeStrings codes the dictionary of a column of n strings, and their codes.
func codeStrings(c *wire.Coder, col *columns.Column, n int) {
	if c.Reading() {
		col.Dict = new(columns.Strings)
	}
	values := col.Dict.Values()
	if wire.List(c, &values, wire.String); c.Reading() {
		for i, s := range values {
			if col.Dict.CodeOf(s) != int32(i) {
				c.Fail("a string is twice in its dictionary")
			}
		}
	}
	codeInts(c, &col.Codes, n, col.Null)
	for i, code := range col.Codes {
		if (code < 0 || int(code) >= len(values)) && (col.Null == nil || !col.Null[i]) {
			c.Fail("the code %d of %d strings", code, len(values))
		}
	}
}

// codeFloats codes n numbers by their bits.
func codeFloats(c *wire.Coder, list *[]float64, n int, null []bool) {
	ints := make([]int64, len(*list))
	for i, f := range *list {
		ints[i] = int64(math.Float64bits(f))
	}
	if codeInts(c, &ints, n, null); !c.Reading() {
		return
	}
	*list = make([]float64, len(ints))
	for i, v := range ints {
		(*list)[i] = math.Float64frombits(uint64(v))
	}
}

// codeInts codes n integers, of which those that are null are read as 0. It returns false
// if they cannot be read.
func codeInts[T int32 | int64](c *wire.Coder, list *[]T, n int, null []bool) bool {
	var data []byte
	if !c.Reading() {
		data = split(*list)
	}
	if c.Bytes(&data); !c.Reading() {
		return true
	}
	if len(data) == 0 || data[0] < 1 || data[0] > 8 || len(data)-1 != n*int(data[0]) {
		c.Fail("%d bytes are not %d integers", len(data), n)
		return false
	}
	*list = join[T](data, n)
	for i, null := range null {
		if null {
			(*list)[i] = 0
		}
	}
	return true
}

// split returns how many bytes an integer needs, and the integers by their bytes: the
// lowest byte of each, then the next of each. So those that are alike are next to each
// other, for compression to find.
func split[T int32 | int64](list []T) []byte {
	var all uint64
	for _, v := range list {
		all |= uint64(v)
	}
	n, size := len(list), max(1, (bits.Len64(all)+7)/8)
	data := make([]byte, 1+n*size)
	data[0] = byte(size)
	for k := range size {
		plane := data[1+k*n:][:n]
		for i, v := range list {
			plane[i] = byte(uint64(v) >> (8 * k))
		}
	}
	return data
}

// join is the inverse of split.
func join[T int32 | int64](data []byte, n int) []T {
	list := make([]T, n)
	for k := range int(data[0]) {
		for i, b := range data[1+k*n:][:n] {
			list[i] |= T(uint64(b) << (8 * k))
		}
	}
	return list
}
