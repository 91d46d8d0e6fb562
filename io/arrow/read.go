package arrow

import (
	"errors"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/io/columns"
)

// rows reads leaves of a record batch, which is completely in memory.
type rows struct {
	*columns.Wanted
	record  arrow.RecordBatch
	readers []reader
}

func (f *File) begin(w *columns.Wanted) (columns.Rows, error) {
	record, err := f.load(w.RowGroup)
	if err != nil {
		return nil, err
	}
	if err := soundColumns(record, w.Fields, f.leaves); err != nil {
		record.Release()
		return nil, err
	}
	r := &rows{w, record, make([]reader, len(w.Fields))}
	for i, field := range w.Fields {
		leaf := &f.leaves[field.Leaf]
		r.readers[i] = reader{leaf: leaf, options: &f.Options, append: leaf.appender()}
	}
	return r, nil
}

func (r *rows) Next() error {
	return r.EachColumn(func(i int) (row int64, err error) {
		return r.readers[i].read(&r.Batch.Columns[i], r.record, int(r.Batch.First), r.Batch.Rows)
	})
}

func (r *rows) Close() { r.record.Release() }

// span is a range of consecutive elements of an array.
type span struct{ from, to int }

// reader reads a leaf of a record batch. It reuses its memory.
type reader struct {
	leaf    *leaf
	options *columns.Options
	append  appender

	spans    []span        // of the array that the path has reached
	offsets  []int32       // of the lists, once the path has passed a list
	null     columns.Flags // values that are null so far, or inside a struct that is null
	listNull columns.Flags // lists that are null
}

// read reads rows of a record batch into a column. On failure, it returns the row that failed.
func (r *reader) read(c *columns.Column, record arrow.RecordBatch, first, rows int) (row int64, err error) {
	row = int64(first)
	r.spans = append(r.spans[:0], span{first, first + rows})
	r.null.Reset()
	c.Clear()
	c.Offsets, c.RowNull = nil, nil
	at := record.Column(r.leaf.path[0].child)
	for _, s := range r.leaf.path[1:] {
		at = stored(at)
		in := 0
		if at, in, err = r.enter(c, at, s); err != nil {
			return row + int64(in), err
		}
	}
	at = stored(at)
	for _, s := range r.spans {
		if s.from == s.to { // an array without values may have no offsets
			continue
		}
		if err := r.append(c, at, s.from, s.to); err != nil {
			var bad *badValue
			if errors.As(err, &bad) {
				row = r.rowOf(bad.at, first)
			}
			return row, err
		}
	}
	r.addNulls(at)
	c.Null = r.null.UpTo(c.Len())
	c.ZeroNulls()
	return row, nil
}

// stored returns the storage array of an extension array.
func stored(a arrow.Array) arrow.Array {
	for {
		extension, ok := a.(array.ExtensionArray)
		if !ok {
			return a
		}
		a = extension.Storage()
	}
}

// enter takes one step of the path. On failure, it returns the row that failed, counted from the
// first of the batch.
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
	r.null, r.listNull = r.listNull, r.null
	r.null.Reset()
	rows := r.spans
	r.spans, r.offsets = nil, append(r.offsets[:0], 0)
	total := 0
	for _, list := range rows {
		for i := list.from; i < list.to; i++ {
			if !r.listNull.Has(row) {
				from, to := lists.ValueOffsets(i)
				if from < 0 || to < from || to > int64(elements.Len()) {
					return nil, row, fmt.Errorf("corrupt: a list of the elements from %d to %d of %d", from, to, elements.Len())
				}
				if n := int(to - from); n > r.options.MaxRowValues {
					return nil, row, r.options.TooManyValues(n)
				}
				if total += int(to - from); total > math.MaxInt32 {
					return nil, row, errors.New("a batch has more than 2³¹ values: read fewer rows at a time")
				}
				if total > elements.Len() && int64(total) > r.options.MaxPage/8 { // list views share elements
					return nil, row, fmt.Errorf("the lists of a batch share elements and have more than %d together: write lists without views, or set %s to a larger value", r.options.MaxPage/8, r.options.Names.Of(settings.MaxPage))
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
	c.Offsets, c.RowNull = r.offsets, r.listNull.UpTo(row)
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
				r.null.Set(i)
			}
			i++
		}
	}
}

// rowOf returns the row to which a value of the leaf's array belongs.
func (r *reader) rowOf(at, first int) int64 {
	place := 0
	for _, s := range r.spans {
		if at >= s.from && at < s.to {
			place += at - s.from
			break
		}
		place += s.to - s.from
	}
	if !r.leaf.List {
		return int64(first + place)
	}
	row := 0
	for row+1 < len(r.offsets) && int(r.offsets[row+1]) <= place {
		row++
	}
	return int64(first + row)
}
