package rows

import (
	"fmt"
	"math"
	"slices"

	"github.com/beameval/beameval/io/columns"
)

// Append appends rows of some columns, one for each column of the table: those with
// the given indices, or all if rows is nil. The first rows settle the type of each
// column and whether it has lists. Later, ints may meet floats: the column then has
// floats, and rounds ints beyond 2⁵³. Any other mix is an error, as are more than 2³¹-1
// rows, or values in the lists of a column. An error leaves the table as it was.
//
// For each column the table remembers how codes of the last rows' dictionary
// translate, in 4 bytes a string: rows are best appended source by source.
func (t *Table) Append(from []*columns.Column, rows []int32) error {
	n := len(rows)
	if rows == nil && len(from) > 0 {
		n = from[0].Rows()
	}
	return t.append(from, rows, n)
}

// AppendTable appends all rows of another table, as Append does.
func (t *Table) AppendTable(from *Table) error {
	if from.Rows == 0 && len(from.Columns) == 0 {
		return nil
	}
	cols := make([]*columns.Column, len(from.Columns))
	for i := range cols {
		cols[i] = &from.Columns[i]
	}
	return t.append(cols, nil, from.Rows)
}

func (t *Table) append(from []*columns.Column, rows []int32, n int) error {
	if err := t.check(from, rows, n); err != nil {
		return err
	}
	if len(t.Columns) == 0 {
		t.settle(from)
	}
	t.rowSpans = spansOf(t.rowSpans[:0], nil, rows, n)
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

// listValues returns how many values the lists of rows have.
func listValues(c *columns.Column, rows []int32) (n int) {
	if rows == nil {
		return int(c.Offsets[len(c.Offsets)-1] - c.Offsets[0])
	}
	for _, r := range rows {
		n += int(c.Offsets[r+1] - c.Offsets[r])
	}
	return n
}

// appendColumn appends n rows of f to column i, which f fits.
func (t *Table) appendColumn(i int, f *columns.Column, rows []int32, n int) {
	c, w := &t.Columns[i], &t.work[i]
	spans := t.rowSpans
	if f.Offsets != nil {
		c.RowNull = appendNulls(c.RowNull, w.memory.RowNull, f.RowNull, spans, t.Rows, n)
		t.listSpans = spansOf(t.listSpans[:0], f.Offsets, rows, n)
		c.Offsets = appendOffsets(c.Offsets, f.Offsets, spans)
		spans = t.listSpans
	}
	before := c.Len()
	switch {
	case c.Type == columns.String:
		w.appendCodes(c, f, spans)
	case c.Type == columns.Float || f.Type == columns.Float:
		if c.Type != columns.Float {
			c.Type, c.Floats = columns.Float, appendFloats(w.memory.Floats, c.Ints, []span{{0, len(c.Ints)}})
			w.memory.Ints, c.Ints = c.Ints[:0], nil
		}
		if f.Type == columns.Float {
			c.Floats = appendSpans(c.Floats, f.Floats, spans)
		} else {
			c.Floats = appendFloats(c.Floats, f.Ints, spans)
		}
	default:
		c.Ints = appendSpans(c.Ints, f.Ints, spans)
	}
	c.Null = appendNulls(c.Null, w.memory.Null, f.Null, spans, before, c.Len()-before)
}

// span is a range of values of a column.
type span struct{ begin, end int }

// spansOf appends the spans of n rows: the values between a row's offsets or, if there
// are no offsets, one value. Rows in sequence share a span.
func spansOf(spans []span, offsets []int32, rows []int32, n int) []span {
	if rows == nil {
		s := span{0, n}
		if offsets != nil {
			s = span{int(offsets[0]), int(offsets[n])}
		}
		return append(spans, s)
	}
	var s span
	for _, r := range rows {
		begin, end := int(r), int(r)+1
		if offsets != nil {
			begin, end = int(offsets[r]), int(offsets[r+1])
		}
		if begin != s.end {
			spans = append(spans, s)
			s.begin = begin
		}
		s.end = end
	}
	return append(spans, s)
}

func appendSpans[T any](dst, src []T, spans []span) []T {
	n := 0
	for _, s := range spans {
		n += s.end - s.begin
	}
	dst = slices.Grow(dst, n)
	if n < 2*len(spans) { // mostly single values, for which copying is slow
		for _, s := range spans {
			for i := s.begin; i < s.end; i++ {
				dst = append(dst, src[i])
			}
		}
		return dst
	}
	for _, s := range spans {
		dst = append(dst, src[s.begin:s.end]...)
	}
	return dst
}

func appendFloats(dst []float64, src []int64, spans []span) []float64 {
	for _, s := range spans {
		for _, v := range src[s.begin:s.end] {
			dst = append(dst, float64(v))
		}
	}
	return dst
}

// appendOffsets appends the ends of the lists of rows.
func appendOffsets(dst, src []int32, rows []span) []int32 {
	for _, s := range rows {
		shift := dst[len(dst)-1] - src[s.begin]
		for _, end := range src[s.begin+1 : s.end+1] {
			dst = append(dst, end+shift)
		}
	}
	return dst
}

// appendNulls appends which of n values are null to dst, which says so of the values
// before. It is nil as long as none is; then memory is used.
func appendNulls(dst, memory, src []bool, spans []span, before, n int) []bool {
	some := src != nil && slices.ContainsFunc(spans, func(s span) bool { return slices.Contains(src[s.begin:s.end], true) })
	if dst == nil {
		if !some {
			return nil
		}
		dst = appendFalse(memory, before)
	}
	if !some {
		return appendFalse(dst, n)
	}
	return appendSpans(dst, src, spans)
}

func appendFalse(dst []bool, n int) []bool {
	begin := len(dst)
	dst = slices.Grow(dst, n)[:begin+n]
	clear(dst[begin:])
	return dst
}

// appendCodes appends strings of f, by their codes in the column's dictionary.
func (w *work) appendCodes(c, f *columns.Column, spans []span) {
	if f.Dict != w.source {
		w.source, w.remap = f.Dict, w.remap[:0]
	}
	if known := len(w.remap); f.Dict.Len() > known {
		w.remap = slices.Grow(w.remap, f.Dict.Len()-known)[:f.Dict.Len()]
		clear(w.remap[known:])
	}
	for _, s := range spans {
		c.Codes = slices.Grow(c.Codes, s.end-s.begin)
		for i := s.begin; i < s.end; i++ {
			if f.Null != nil && f.Null[i] {
				c.Codes = append(c.Codes, 0)
				continue
			}
			code := w.remap[f.Codes[i]]
			if code == 0 {
				code = 1 + w.add(c.Dict, f.Dict.Values()[f.Codes[i]])
				w.remap[f.Codes[i]] = code
			}
			c.Codes = append(c.Codes, code-1)
		}
	}
}

// add returns the code of a string, which it adds to the dictionary if it is new.
func (w *work) add(dict *columns.Strings, s string) int32 {
	before := dict.Len()
	code := dict.CodeOf(s)
	if dict.Len() > before {
		w.strings += len(s) + stringOverhead
	}
	return code
}

// Gather sets a column to the given rows of another, whose dictionary it shares. It
// reuses the column's memory, which no other column may share.
func Gather(to, from *columns.Column, rows []int32) {
	spans := spansOf(nil, nil, rows, 0)
	offsets, rowNull := to.Offsets, to.RowNull
	to.Type, to.Dict, to.Offsets, to.RowNull = from.Type, from.Dict, nil, nil
	if from.Offsets != nil {
		if from.RowNull != nil {
			to.RowNull = appendSpans(rowNull[:0], from.RowNull, spans)
		}
		to.Offsets = appendOffsets(append(offsets[:0], 0), from.Offsets, spans)
		spans = spansOf(nil, from.Offsets, rows, 0)
	}
	null := to.Null
	if to.Null = nil; from.Null != nil {
		to.Null = appendSpans(null[:0], from.Null, spans)
	}
	to.Ints, to.Floats, to.Codes = to.Ints[:0], to.Floats[:0], to.Codes[:0]
	switch from.Type {
	case columns.String:
		to.Codes = appendSpans(to.Codes, from.Codes, spans)
	case columns.Float:
		to.Floats = appendSpans(to.Floats, from.Floats, spans)
	default:
		to.Ints = appendSpans(to.Ints, from.Ints, spans)
	}
}
