package text

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"unicode/utf8"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/quote"
)

// Read reads some columns of a block side by side; see [columns.File].
func (f *File) Read(rowGroup int, paths []string, dicts []*columns.Strings, most int) iter.Seq2[*columns.Batch, error] {
	return f.batches(rowGroup, paths, dicts, most, false)
}

// Peek is Read for a caller that will hardly want more than the first batch: it reads few bytes
// at a time.
func (f *File) Peek(rowGroup int, paths []string, dicts []*columns.Strings, most int) iter.Seq2[*columns.Batch, error] {
	return f.batches(rowGroup, paths, dicts, most, true)
}

func (f *File) batches(rowGroup int, paths []string, dicts []*columns.Strings, most int, peek bool) iter.Seq2[*columns.Batch, error] {
	return func(yield func(*columns.Batch, error) bool) {
		r, err := f.reader(rowGroup, paths, dicts, most, peek)
		if err != nil {
			yield(nil, f.fail(rowGroup, err))
			return
		}
		defer r.in.Close()
		for r.left > 0 {
			if err := r.next(most); err != nil {
				yield(nil, f.fail(rowGroup, err))
				return
			}
			if !yield(&r.batch, nil) {
				return
			}
		}
	}
}

// reader reads some columns of a block.
type reader struct {
	in      io.Closer
	options columns.Options
	rows    *rows
	fields  fields
	leaves  []int // of the columns
	names   []string
	needed  int // fields of a row
	left    int64
	batch   columns.Batch
	nulls   [][]bool
	anyNull []bool

	// JSON
	object   object
	wanted   wanted
	rowNulls [][]bool
	listNull []bool // in this row
}

func (f *File) reader(rowGroup int, paths []string, dicts []*columns.Strings, most int, peek bool) (*reader, error) {
	i := rowGroup - f.layout.first
	if i < 0 || i >= len(f.layout.blocks) {
		return nil, fmt.Errorf("there is no block %d", rowGroup)
	}
	if most < 1 {
		return nil, fmt.Errorf("asked for %d rows", most)
	}
	b := f.layout.blocks[i]
	r := &reader{options: f.options, fields: fields{dialect: f.dialect}, names: paths, left: b.rows}
	r.batch.Columns = make([]columns.Column, len(paths))
	r.nulls, r.anyNull = make([][]bool, len(paths)), make([]bool, len(paths))
	r.rowNulls, r.listNull = make([][]bool, len(paths)), make([]bool, len(paths))
	for i, path := range paths {
		field, err := f.schema.Lookup(path)
		if err != nil {
			return nil, err
		}
		r.leaves = append(r.leaves, field.Leaf)
		r.needed = max(r.needed, field.Leaf+1)
		r.batch.Columns[i] = columns.NewColumn(field.Type, dicts, i)
		if field.List {
			r.batch.Columns[i].Offsets = []int32{0}
		}
		if f.dialect.json {
			r.wanted.want(f.layout.columns, field.Leaf, i)
		}
	}
	in, err := f.textOf(b, peek)
	if err != nil {
		return nil, err
	}
	r.in = in
	r.rows = newRows(in, f.dialect, f.options, b.line, b.offset)
	return r, nil
}

// textOf returns a reader of a block, which the caller closes. Storage is told of a block that
// will be read; of a compressed file, which is read from its begin, it reads ahead by itself.
func (f *File) textOf(b block, peek bool) (io.ReadCloser, error) {
	start, end := b.offset, b.offset+b.size
	if f.layout.compression != plain {
		start, end = 0, f.src.Size()
	}
	var src io.ReaderAt = f.src
	if ranger, ok := f.src.(columns.Ranger); ok && !peek && f.layout.compression == plain {
		src = ranger.Ranges([][2]int64{{start, end}})
	}
	in, err := f.layout.compression.stream(io.NewSectionReader(src, start, end-start))
	if err != nil || f.layout.compression == plain {
		return in, err
	}
	if _, err := io.CopyN(io.Discard, in, b.offset); err != nil {
		in.Close()
		return nil, err
	}
	return in, nil
}

// next reads the next batch of at most most rows.
func (r *reader) next(most int) error {
	r.batch.First += int64(r.batch.Rows)
	r.batch.Rows = int(min(int64(most), r.left))
	r.left -= int64(r.batch.Rows)
	r.batch.Lines = slices.Grow(r.batch.Lines[:0], r.batch.Rows)
	for i := range r.batch.Columns {
		c := &r.batch.Columns[i]
		c.Ints, c.Floats, c.Codes = c.Ints[:0], c.Floats[:0], c.Codes[:0]
		r.nulls[i], r.anyNull[i], r.rowNulls[i] = r.nulls[i][:0], false, r.rowNulls[i][:0]
		if c.Offsets != nil {
			c.Offsets = c.Offsets[:1]
		}
	}
	for number := range r.batch.Rows {
		row, line, err := r.rows.next()
		if err == io.EOF {
			return at(line, errors.New("the block has fewer rows than when the run was planned"))
		}
		if err != nil {
			return err
		}
		if r.fields.json {
			err = r.addObject(number, row)
		} else {
			err = r.addFields(row)
		}
		if err != nil {
			return at(line, err)
		}
		r.batch.Lines = append(r.batch.Lines, line)
	}
	for i := range r.batch.Columns {
		c := &r.batch.Columns[i]
		if c.Null = nil; r.anyNull[i] {
			c.Null = r.nulls[i]
		}
		if c.RowNull = nil; slices.Contains(r.rowNulls[i], true) {
			c.RowNull = r.rowNulls[i]
		}
	}
	return nil
}

// addFields adds the row that is fields. An empty one is null.
func (r *reader) addFields(row []byte) error {
	values, err := r.fields.of(row, r.needed)
	if err == nil && len(values) < r.needed {
		err = errors.New("the row has fewer values than when the run was planned")
	}
	if err != nil {
		return err
	}
	for i, leaf := range r.leaves {
		if err := r.add(i, values[leaf], len(values[leaf]) == 0); err != nil {
			return err
		}
	}
	return nil
}

// add appends a value to column i.
func (r *reader) add(i int, v []byte, null bool) (err error) {
	c := &r.batch.Columns[i]
	if null {
		r.anyNull[i] = true
	}
	r.nulls[i] = append(r.nulls[i], null)
	switch c.Type {
	case columns.Float:
		f := 0.
		if !null {
			f, err = floatOf(v)
		}
		c.Floats = append(c.Floats, f)
	case columns.String:
		code := int32(0)
		if !null {
			if code = c.Dict.Code(v); !utf8.Valid(v) {
				err = fmt.Errorf("%q is not UTF-8: write the file as UTF-8", quote.Valid(quote.Short(string(v))))
			}
		}
		c.Codes = append(c.Codes, code)
	default:
		n := int64(0)
		if !null {
			n, err = wholeOf(c.Type, v)
		}
		c.Ints = append(c.Ints, n)
	}
	if err != nil {
		return &lineError{column: r.names[i], err: err}
	}
	return nil
}

// wholeOf returns a truth value or an integer.
func wholeOf(t columns.Type, v []byte) (int64, error) {
	if t == columns.Int {
		return intOf(v)
	}
	b, ok := boolOf(v)
	if !ok {
		return 0, fmt.Errorf("%.40q is neither true nor false, as the column's values were when the run was planned", v)
	}
	return b, nil
}
