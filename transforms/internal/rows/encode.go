package rows

import (
	"encoding/binary"

	"github.com/beameval/beameval/io/columns"
)

// A column begins with a byte of its type and these.
const (
	typeMask   = 7
	hasLists   = 8
	hasRowNull = 16
	hasNull    = 32
)

// Encode appends an encoding, which the package documentation describes. That of
// a decoded table is the same.
func (t *Table) Encode(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(t.Rows))
	dst = binary.AppendUvarint(dst, uint64(len(t.Columns)))
	for i := range t.Columns {
		dst = appendColumn(dst, &t.Columns[i])
	}
	return dst
}

func appendColumn(dst []byte, c *columns.Column) []byte {
	head := byte(c.Type)
	if c.Offsets != nil {
		head |= hasLists
	}
	if c.RowNull != nil {
		head |= hasRowNull
	}
	if c.Null != nil {
		head |= hasNull
	}
	dst = append(dst, head)
	dst = appendBlocks(dst, c.RowNull, fromBool)
	if c.Offsets != nil {
		begin := c.Offsets[0]
		dst = appendBlocks(dst, c.Offsets[1:], func(end int32) int64 {
			n := end - begin
			begin = end
			return int64(n)
		})
	}
	dst = appendBlocks(dst, c.Null, fromBool)
	switch c.Type {
	case columns.Float:
		form := formOf(c.Floats)
		return appendBlocks(append(dst, form), c.Floats, forms[form].integer)
	case columns.String:
		dst = appendStrings(dst, c.Dict)
		return appendBlocks(dst, c.Codes, fromInt32)
	}
	return appendBlocks(dst, c.Ints, fromInt64)
}

func fromInt64(v int64) int64 { return v }

func fromInt32(v int32) int64 { return int64(v) }

func fromBool(v bool) int64 {
	if v {
		return 1
	}
	return 0
}
