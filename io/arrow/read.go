package arrow

import (
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/beameval/beameval/io/columns"
)

// Read reads some columns of a record batch side by side; see [columns.File].
func (f *File) Read(rowGroup int, paths []string, dicts []*columns.Strings, most int) iter.Seq2[*columns.Batch, error] {
	return func(yield func(*columns.Batch, error) bool) {
		if most < 1 {
			yield(nil, f.fail(rowGroup, "", -1, fmt.Errorf("asked for %d rows", most)))
			return
		}
		readers := make([]reader, len(paths))
		batch := columns.Batch{Columns: make([]columns.Column, len(paths))}
		for i, path := range paths {
			field, err := f.schema.Lookup(path)
			if err != nil {
				yield(nil, f.fail(-1, "", -1, err))
				return
			}
			leaf := &f.leaves[field.Leaf]
			readers[i] = reader{leaf: leaf, options: f.options, append: leaf.appender()}
			batch.Columns[i] = columns.NewColumn(leaf.typ, dicts, i)
		}
		record, err := f.load(rowGroup)
		if err != nil {
			yield(nil, f.fail(rowGroup, "", -1, err))
			return
		}
		defer record.Release()
		for rows := int(record.NumRows()); int(batch.First) < rows; batch.First += int64(batch.Rows) {
			batch.Rows = min(most, rows-int(batch.First))
			for i := range readers {
				if row, err := readers[i].read(&batch.Columns[i], record, int(batch.First), batch.Rows); err != nil {
					yield(nil, f.fail(rowGroup, paths[i], row, err))
					return
				}
			}
			if !yield(&batch, nil) {
				return
			}
		}
	}
}

// Peek is Read: a record batch cannot be read in parts.
func (f *File) Peek(rowGroup int, paths []string, dicts []*columns.Strings, most int) iter.Seq2[*columns.Batch, error] {
	return f.Read(rowGroup, paths, dicts, most)
}

// Dictionary adds the dictionary of a textual column to a table. It is that of the whole file, and
// never complete: it costs as much as the rows, which are read with it.
func (f *File) Dictionary(int, string, *columns.Strings) (complete bool, err error) {
	return false, nil
}

// span are some elements of an array that follow each other.
type span struct{ from, to int }

// reader reads a leaf of a record batch. It reuses its memory.
type reader struct {
	leaf    *leaf
	options columns.Options
	append  appender

	spans    []span  // of the array that the path has reached
	offsets  []int32 // of lists, if there are lists on the path so far
	listNull []bool
	null     []bool // of the values so far: whether a struct around them is null
	any      bool   // whether one of null is
}

// read reads rows of a record batch into a column. It returns the row at which it failed.
func (r *reader) read(c *columns.Column, record arrow.RecordBatch, first, rows int) (row int64, err error) {
	row = int64(first)
	defer columns.Contain(&err)
	r.spans, r.any = append(r.spans[:0], span{first, first + rows}), false
	r.null = resized(r.null, rows)
	c.Offsets, c.RowNull, c.Null = nil, nil, nil
	at := record.Column(r.leaf.path[0].child)
	for _, s := range r.leaf.path[1:] {
		at = stored(at)
		in := 0
		if at, in, err = r.enter(c, at, s); err != nil {
			return row + int64(in), err
		}
	}
	at = stored(at)
	c.Ints, c.Floats, c.Codes = c.Ints[:0], c.Floats[:0], c.Codes[:0]
	for _, s := range r.spans {
		if err := r.append(c, at, s.from, s.to); err != nil {
			var bad *badValue
			if errors.As(err, &bad) {
				row = r.rowOf(bad.at, first)
			}
			return row, err
		}
	}
	r.addNulls(at)
	if r.any {
		c.Null = r.null
		r.zero(c)
	}
	return row, nil
}

// stored returns the array that an array of an extension type is stored as.
func stored(a arrow.Array) arrow.Array {
	for {
		extension, ok := a.(array.ExtensionArray)
		if !ok {
			return a
		}
		a = extension.Storage()
	}
}

// enter goes one step down. If it fails, it returns the row at which it did, from the first of the batch.
func (r *reader) enter(c *columns.Column, at arrow.Array, s step) (below arrow.Array, row int, err error) {
	if !s.list {
		r.addNulls(at)
		return at.(*array.Struct).Field(s.child), 0, nil
	}
	lists := at.(array.ListLike)
	elements := lists.ListValues()
	if m, ok := at.(*array.Map); ok {
		if elements = m.Keys(); s.child == 1 {
			elements = m.Items()
		}
	}
	r.addNulls(at)
	if r.any {
		c.RowNull = append(r.listNull[:0], r.null...)
		r.listNull = c.RowNull
	}
	rows := r.spans
	r.spans, r.offsets = nil, append(r.offsets[:0], 0)
	total, last := 0, int64(0)
	for _, list := range rows {
		for i := list.from; i < list.to; i++ {
			if !r.null[row] {
				from, to := lists.ValueOffsets(i)
				if from < last || to < from || to > int64(elements.Len()) { // no element is in two lists
					return nil, row, fmt.Errorf("corrupt: a list of the elements from %d to %d of %d", from, to, elements.Len())
				}
				if n := int(to - from); n > r.options.MaxRowValues {
					return nil, row, r.options.TooManyValues(n)
				}
				total, last = total+int(to-from), to
				if total > math.MaxInt32 {
					return nil, row, errors.New("a batch has more than 2³¹ values: read fewer rows at a time")
				}
				if n := len(r.spans); n > 0 && r.spans[n-1].to == int(from) {
					r.spans[n-1].to = int(to)
				} else if to > from {
					r.spans = append(r.spans, span{int(from), int(to)})
				}
			}
			r.offsets = append(r.offsets, int32(total))
			row++
		}
	}
	c.Offsets = r.offsets
	r.null, r.any = resized(r.null, total), false
	return elements, 0, nil
}

// addNulls marks the values that are null in an array.
func (r *reader) addNulls(a arrow.Array) {
	if !hasNulls(a) {
		return
	}
	i := 0
	for _, s := range r.spans {
		for at := s.from; at < s.to; at++ {
			if isNull(a, at) {
				r.null[i], r.any = true, true
			}
			i++
		}
	}
}

// zero puts zeros where a struct around a value is null.
func (r *reader) zero(c *columns.Column) {
	for i, null := range r.null {
		if !null {
			continue
		}
		switch c.Type {
		case columns.Float:
			c.Floats[i] = 0
		case columns.String:
			c.Codes[i] = 0
		default:
			c.Ints[i] = 0
		}
	}
}

// rowOf returns the row that a value of the leaf's array is in.
func (r *reader) rowOf(at, first int) int64 {
	place := 0
	for _, s := range r.spans {
		if at >= s.from && at < s.to {
			place += at - s.from
			break
		}
		place += s.to - s.from
	}
	if !r.leaf.list {
		return int64(first + place)
	}
	row := 0
	for row+1 < len(r.offsets) && int(r.offsets[row+1]) <= place {
		row++
	}
	return int64(first + row)
}

// resized returns n values that are false, in the memory of list if it suffices.
func resized(list []bool, n int) []bool {
	if cap(list) < n {
		return make([]bool, n)
	}
	list = list[:n]
	clear(list)
	return list
}
