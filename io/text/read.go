package text

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/quote"
)

// reader reads some columns of a block.
type reader struct {
	*columns.Wanted
	in      io.Closer
	options columns.Options
	rows    *rows
	fields  fields
	needed  int // number of leading fields to split
	nulls   []columns.Flags

	// JSON
	object   object
	wanted   wanted
	known    known[*wanted] // of rows of one shape
	rowNulls []columns.Flags
	listNull []bool // whether the list of each column is null in the current row
}

func (f *File) begin(w *columns.Wanted) (columns.Rows, error) {
	i := w.RowGroup - f.layout.first
	if i < 0 {
		return nil, fmt.Errorf("there is no block %d", w.RowGroup)
	}
	n := len(w.Fields)
	r := &reader{
		Wanted: w, options: f.Options, fields: newFields(f.dialect, f.Options),
		nulls: make([]columns.Flags, n), rowNulls: make([]columns.Flags, n), listNull: make([]bool, n),
	}
	r.fields.skip = skipped(w.Fields)
	for i, field := range w.Fields {
		r.needed = max(r.needed, field.Leaf+1)
		if field.List {
			w.Batch.Columns[i].Offsets = []int32{0}
		}
		if f.dialect.json {
			r.wanted.want(f.layout.columns, field.Leaf, i)
		}
	}
	b := f.layout.blocks[i]
	in, err := f.textOf(w, b)
	if err != nil {
		return nil, err
	}
	r.in = in
	r.rows = newRows(in, f.dialect, f.Options, b.line, b.offset)
	return r, nil
}

// skipped reports for each column before the last that is read whether it is not.
func skipped(read []columns.Field) (are []bool) {
	for _, field := range read {
		for len(are) <= field.Leaf {
			are = append(are, true)
		}
		are[field.Leaf] = false
	}
	return are
}

func (r *reader) Close() { r.in.Close() }

// textOf returns a reader of a block, which the caller closes. It announces a plain block to the
// storage. A compressed file is read from its beginning, where sequential read-ahead does as well.
func (f *File) textOf(w *columns.Wanted, b block) (io.ReadCloser, error) {
	start, end := b.offset, b.offset+b.size
	var src io.ReaderAt = f.Source
	if f.layout.compression == plain {
		src = w.Ranges(f.Source, [2]int64{start, end})
	} else {
		start, end = 0, f.Source.Size()
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

// Next reads the next batch.
func (r *reader) Next() error {
	r.Batch.Lines = slices.Grow(r.Batch.Lines[:0], r.Batch.Rows)
	for i := range r.Batch.Columns {
		c := &r.Batch.Columns[i]
		c.Clear()
		r.nulls[i].Reset()
		r.rowNulls[i].Reset()
		if c.Offsets != nil {
			c.Offsets = c.Offsets[:1]
		}
	}
	for number := range r.Batch.Rows {
		line, err := r.row(number)
		if err != nil {
			return err
		}
		r.Batch.Lines = append(r.Batch.Lines, line)
	}
	for i := range r.Batch.Columns {
		c := &r.Batch.Columns[i]
		c.Null, c.RowNull = r.nulls[i].UpTo(c.Len()), r.rowNulls[i].UpTo(r.Batch.Rows)
	}
	return nil
}

// row reads the next row, and returns its line.
func (r *reader) row(number int) (line int64, err error) {
	line = r.rows.line
	if r.rows.quick(&r.fields, r.needed, true) {
		err = r.addFields()
	} else {
		var row []byte
		row, line, err = r.rows.next()
		switch {
		case err == io.EOF:
			err = errors.New("the block has fewer rows than when the run was planned")
		case err != nil:
			return line, err
		case r.fields.json:
			err = r.addObject(number, row)
		default:
			err = r.split(row)
		}
	}
	if err != nil {
		err = at(line, err)
	}
	return line, err
}

// split adds a row of fields of any kind.
func (r *reader) split(row []byte) error {
	values, err := r.fields.of(row, r.needed)
	if err == nil && len(values) < r.needed {
		err = errors.New("the row has fewer values than when the run was planned")
	}
	if err != nil {
		return err
	}
	return r.addFields()
}

// addFields adds the fields of a row. See [fields.isNull].
func (r *reader) addFields() error {
	f := &r.fields
	for i := range r.Fields {
		leaf := r.Fields[i].Leaf
		v, number := f.list[leaf], numeral{}
		if leaf < len(f.numerals) {
			number = f.numerals[leaf]
		}
		if err := r.add(i, v, number, f.isNull(v)); err != nil {
			return err
		}
	}
	return nil
}

// add appends a value to column i. number is the value if that is known.
func (r *reader) add(i int, v []byte, number numeral, null bool) (err error) {
	c := &r.Batch.Columns[i]
	switch {
	case null:
		r.nulls[i].Set(c.Len())
		c.AppendZero()
	case c.Type == columns.Float:
		var f float64
		f, err = number.float(v)
		c.Floats = append(c.Floats, f)
	case c.Type == columns.String:
		if err = r.options.CheckName(len(v)); err != nil {
			break
		}
		if c.Codes = append(c.Codes, c.Dict.Code(v)); !utf8.Valid(v) {
			err = fmt.Errorf("%q is not UTF-8: write the file as UTF-8", quote.Valid(quote.Short(string(v))))
		}
	default:
		var n int64
		n, err = wholeOf(c.Type, v, number)
		c.Ints = append(c.Ints, n)
	}
	if err != nil {
		return inColumn(r.Paths[i], err)
	}
	return nil
}

// wholeOf parses a boolean or an integer.
func wholeOf(t columns.Type, v []byte, number numeral) (int64, error) {
	if t == columns.Int {
		return number.int(v)
	}
	b, ok := boolOf(v)
	if !ok {
		return 0, fmt.Errorf("%.40q is neither true nor false, as the column's values were when the run was planned", v)
	}
	return b, nil
}
