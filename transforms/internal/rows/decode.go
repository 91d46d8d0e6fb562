package rows

import (
	"fmt"
	"math"
	"slices"

	"github.com/beameval/beameval/io/columns"
)

// Decode reads a table that Encode wrote, which may then be appended to. Whatever
// the data, it takes memory for what is there and not for what is claimed, though equal
// values and like strings may be there in a thousandth of their memory.
func Decode(data []byte) (*Table, error) {
	r := reader{buf: data}
	t := &Table{Rows: r.count()}
	for n := r.count(); n > 0 && r.err == nil; n-- {
		c := r.column(t.Rows)
		w := work{}
		if c.Dict != nil {
			for _, s := range c.Dict.Values() {
				w.strings += len(s) + stringOverhead
			}
		}
		t.Columns, t.work = append(t.Columns, c), append(t.work, w)
	}
	if r.err == nil && len(r.buf) > 0 {
		r.fail("more bytes than the columns take")
	}
	if r.err != nil {
		return nil, fmt.Errorf("decoding rows: %w", r.err)
	}
	return t, nil
}

func (r *reader) column(rows int) columns.Column {
	head := r.byte()
	c := columns.Column{Type: columns.Type(head & typeMask)}
	if c.Type < columns.Bool || c.Type > columns.String || head >= 2*hasNull || head&(hasLists|hasRowNull) == hasRowNull {
		r.fail("corrupt head of a column")
	}
	if head&hasRowNull != 0 {
		c.RowNull = r.nulls(rows)
	}
	n := rows
	if head&hasLists != 0 {
		c.Offsets = r.offsets(rows, c.RowNull)
		n = int(c.Offsets[len(c.Offsets)-1])
	}
	if head&hasNull != 0 {
		c.Null = r.nulls(n)
	}
	switch c.Type {
	case columns.Float:
		form := r.byte()
		if int(form) >= len(forms) {
			r.fail("corrupt form of floats")
			return c
		}
		c.Floats = readValues(r, n, c.Null, forms[form].float)
	case columns.String:
		c.Dict = r.strings()
		c.Codes = r.codes(n, c.Null, int64(c.Dict.Len()))
	case columns.Bool:
		c.Ints = readValues(r, n, c.Null, func(v int64) int64 { return v & 1 })
	default:
		c.Ints = readValues(r, n, c.Null, fromInt64)
	}
	return c
}

// nulls reads which of n values are null; nil if none is.
func (r *reader) nulls(n int) []bool {
	nulls := readBlocks(r, n, func(v int64) bool { return v != 0 })
	if !slices.Contains(nulls, true) {
		return nil
	}
	return nulls
}

// offsets reads the lengths of lists. The first offset is there even after an error.
func (r *reader) offsets(rows int, null []bool) []int32 {
	lengths := readBlocks(r, rows, fromInt64)
	offsets := make([]int32, 1, len(lengths)+1)
	end := int64(0)
	for i, n := range lengths {
		if n < 0 || n > math.MaxInt32-end || n > 0 && null != nil && null[i] {
			r.fail("corrupt length of a list")
			return offsets[:1]
		}
		end += n
		offsets = append(offsets, int32(end))
	}
	return offsets
}

// codes reads codes of a dictionary of so many strings.
func (r *reader) codes(n int, null []bool, dict int64) []int32 {
	codes := readValues(r, n, null, func(v int64) int32 {
		if v < 0 || v >= dict {
			return -1
		}
		return int32(v)
	})
	if slices.Contains(codes, -1) {
		r.fail("corrupt code of a string")
	}
	return codes
}

// readValues reads values, of which those that are null are zero.
func readValues[T any](r *reader, n int, null []bool, value func(int64) T) []T {
	values := readBlocks(r, n, value)
	if r.err != nil {
		return nil
	}
	for i, null := range null {
		if null {
			var zero T
			values[i] = zero
		}
	}
	return values
}
