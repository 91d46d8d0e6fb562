package groupby

import (
	"fmt"
	"math"
	"slices"

	"github.com/beameval/beameval/io/columns"
)

// Append appends the rows with the given indices, or all if rows is nil. from has one column for
// each column of the table. The first rows determine the type of each column and whether it has
// lists. Ints and floats may be mixed later: the column then has floats, and ints beyond 2⁵³ are
// rounded. Any other mix is an error, as are more than 2³¹-1 rows, or values in the lists of a
// column. An error leaves the table unchanged.
//
// For each column, the table remembers how the codes of the last dictionary translate, which takes
// 8 bytes for each string. So it is best to append rows source by source.
func (t *Table) Append(from []*columns.Column, rows []int32) error {
	n := len(rows)
	if rows == nil && len(from) > 0 {
		n = from[0].Rows()
	}
	return t.append(from, rows, n)
}

// AppendTable appends all rows of another table. It has the rules of Append.
func (t *Table) AppendTable(from *Table) error {
	if from.Rows == 0 && len(from.Columns) == 0 {
		return nil
	}
	return t.append(from.Refs(), nil, from.Rows)
}

func (t *Table) append(from []*columns.Column, rows []int32, n int) error {
	if err := t.check(from, rows, n); err != nil {
		return err
	}
	if len(t.Columns) == 0 {
		t.settle(from)
	}
	for i, f := range from {
		t.appendColumn(i, f, rows, n)
	}
	t.Rows += n
	return nil
}

func (t *Table) check(from []*columns.Column, rows []int32, n int) error {
	settled := len(t.Columns) > 0 || t.Rows > 0
	if settled && len(from) != len(t.Columns) {
		return fmt.Errorf("%d columns do not fit a table of %d", len(from), len(t.Columns))
	}
	if n > math.MaxInt32-t.Rows {
		return fmt.Errorf("%d rows and %d more are too many for a table", t.Rows, n)
	}
	for i, f := range from {
		if rows == nil && f.Rows() != n {
			return fmt.Errorf("column %d has %d rows, not %d", i, f.Rows(), n)
		}
		values := 0
		if settled {
			c := &t.Columns[i]
			if (c.Offsets != nil) != (f.Offsets != nil) || c.Type != f.Type && !(isNumber(c.Type) && isNumber(f.Type)) {
				return fmt.Errorf("column %d: %s does not fit %s", i, f.Shape(), c.Shape())
			}
			values = c.Len()
		}
		if f.Offsets != nil {
			if values += listValues(f, rows); values > math.MaxInt32 {
				return fmt.Errorf("column %d: %d values in lists are too many for a table", i, values)
			}
		}
	}
	return nil
}

func isNumber(t columns.Type) bool { return t == columns.Int || t == columns.Float }

// listValues returns the number of values in the lists of rows.
func listValues(c *columns.Column, rows []int32) (n int) {
	if rows == nil {
		return int(c.Offsets[len(c.Offsets)-1] - c.Offsets[0])
	}
	for _, r := range rows {
		n += int(c.Offsets[r+1] - c.Offsets[r])
	}
	return n
}

// appendColumn appends n rows of f to column i. Their types must have been checked.
func (t *Table) appendColumn(i int, f *columns.Column, rows []int32, n int) {
	c, w := &t.Columns[i], &t.work[i]
	values := rows
	if f.Offsets != nil {
		c.RowNull = appendNulls(c.RowNull, w.memory.RowNull, f.RowNull, rows, t.Rows, n)
		c.Offsets, t.values = appendLists(c.Offsets, t.values[:0], f.Offsets, rows)
		values = t.values
	}
	before := c.Len()
	switch {
	case c.Type == columns.String && (f.Dict.Loose() || c.Dict.Loose()):
		w.appendTexts(c, f, values)
	case c.Type == columns.String:
		w.appendCodes(c, f, values)
	case c.Type == columns.Float || f.Type == columns.Float:
		if c.Type != columns.Float {
			c.Type, c.Floats = columns.Float, columns.Convert(w.memory.Floats, c.Ints)
			w.memory.Ints, c.Ints = c.Ints[:0], nil
		}
		if f.Type == columns.Float {
			c.Floats = appendAt(c.Floats, f.Floats, values)
			break
		}
		w.ints = appendAt(w.ints[:0], f.Ints, values)
		c.Floats = columns.Convert(c.Floats, w.ints)
	default:
		c.Ints = appendAt(c.Ints, f.Ints, values)
	}
	c.Null = appendNulls(c.Null, w.memory.Null, f.Null, values, before, c.Len()-before)
}

// appendAt appends the values with these indices, or all if indices is nil.
func appendAt[T any](dst, src []T, indices []int32) []T {
	if indices == nil {
		return append(dst, src...)
	}
	n := len(dst)
	dst = slices.Grow(dst, len(indices))[:n+len(indices)]
	for i, from := range indices {
		dst[n+i] = src[from]
	}
	return dst
}

// appendLists appends the ends of the lists of rows, or of all rows if rows is nil. It also appends
// the indices of their values to values; the result is never nil.
func appendLists(ends, values, offsets, rows []int32) (allEnds, indices []int32) {
	if values == nil {
		values = []int32{}
	}
	add := func(r int) {
		for v := offsets[r]; v < offsets[r+1]; v++ {
			values = append(values, v)
		}
		ends = append(ends, ends[len(ends)-1]+offsets[r+1]-offsets[r])
	}
	for _, r := range rows {
		add(int(r))
	}
	for r := 0; rows == nil && r < len(offsets)-1; r++ {
		add(r)
	}
	return ends, values
}

// appendNulls appends, to the flags of the values before, which of n values are null. The flags are
// nil as long as no value is null; then memory is used for them.
func appendNulls(dst, memory, src []bool, indices []int32, before, n int) []bool {
	some := src != nil && anyAt(src, indices)
	if dst == nil {
		if !some {
			return nil
		}
		dst = appendFalse(memory, before)
	}
	if !some {
		return appendFalse(dst, n)
	}
	return appendAt(dst, src, indices)
}

// anyAt reports whether one of the values with these indices is true.
func anyAt(src []bool, indices []int32) bool {
	if indices == nil {
		return slices.Contains(src, true)
	}
	return slices.ContainsFunc(indices, func(i int32) bool { return src[i] })
}

func appendFalse(dst []bool, n int) []bool {
	begin := len(dst)
	dst = slices.Grow(dst, n)[:begin+n]
	clear(dst[begin:])
	return dst
}

// appendCodes appends strings of f, as codes of the column's dictionary.
func (w *work) appendCodes(c, f *columns.Column, indices []int32) {
	if f.Dict != w.source {
		w.source = f.Dict
		w.translation++
	}
	if known := len(w.codes); f.Dict.Len() > known {
		w.codes = append(w.codes, make([]translated, f.Dict.Len()-known)...)
	}
	begin, values := len(c.Codes), f.Dict.Values()
	c.Codes = appendAt(c.Codes, f.Codes, indices)
	for i, code := range c.Codes[begin:] {
		if f.Null != nil && f.Null[at(indices, i)] {
			c.Codes[begin+i] = 0
			continue
		}
		to := &w.codes[code]
		if to.translation != w.translation {
			*to = translated{w.translation, w.add(c.Dict, values[code])}
		}
		c.Codes[begin+i] = to.code
	}
}

// appendTexts appends strings of f, which are hardly ever the same: no translation of codes is worth
// remembering, except the last.
func (w *work) appendTexts(c, f *columns.Column, indices []int32) {
	begin := len(c.Codes)
	c.Codes = appendAt(c.Codes, f.Codes, indices)
	last, to := int32(-1), int32(0)
	for i, code := range c.Codes[begin:] {
		if f.Null != nil && f.Null[at(indices, i)] {
			c.Codes[begin+i] = 0
			continue
		}
		if code != last {
			if last = code; f.Dict.Loose() {
				to = w.addBytes(c.Dict, f.Dict.Bytes(code))
			} else {
				to = w.add(c.Dict, f.Dict.At(code))
			}
		}
		c.Codes[begin+i] = to
	}
}

// at returns indices[i], or i itself if indices is nil.
func at(indices []int32, i int) int {
	if indices == nil {
		return i
	}
	return int(indices[i])
}

// add returns the code of a string. It adds the string to the dictionary if it is new.
func (w *work) add(dict *columns.Strings, s string) int32 { return w.addBytes(dict, []byte(s)) }

func (w *work) addBytes(dict *columns.Strings, s []byte) int32 {
	if dict.Loose() {
		w.strings += len(s) + looseOverhead
		return dict.Append(s)
	}
	before := dict.Len()
	code := dict.Code(s)
	if dict.Len() > before {
		w.strings += len(s) + stringOverhead
	}
	return code
}

// Gather sets a column to the given rows of another, and shares the dictionary of the other. It
// reuses the memory of the column, which must not be shared with any other.
func Gather(to, from *columns.Column, rows []int32) {
	offsets, rowNull, null := to.Offsets, to.RowNull, to.Null
	to.Type, to.Dict, to.Offsets, to.RowNull, to.Null = from.Type, from.Dict, nil, nil, nil
	values := rows
	if from.Offsets != nil {
		if from.RowNull != nil {
			to.RowNull = appendAt(rowNull[:0], from.RowNull, rows)
		}
		to.Offsets, values = appendLists(append(offsets[:0], 0), nil, from.Offsets, rows)
	}
	if from.Null != nil {
		to.Null = appendAt(null[:0], from.Null, values)
	}
	to.Ints, to.Floats, to.Codes = to.Ints[:0], to.Floats[:0], to.Codes[:0]
	switch from.Type {
	case columns.String:
		to.Codes = appendAt(to.Codes, from.Codes, values)
	case columns.Float:
		to.Floats = appendAt(to.Floats, from.Floats, values)
	default:
		to.Ints = appendAt(to.Ints, from.Ints, values)
	}
}
