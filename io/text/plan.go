package text

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/quote"
)

// layout is the plan of a file: what planning finds out and workers need.
type layout struct {
	compression compression
	columns     []column
	first       int // number of the first block
	blocks      []block
}

// block is a run of consecutive rows.
type block struct {
	offset, size int64 // in the decompressed text
	line         int64 // of the first row
	rows         int64
}

// blockBytes is the approximate size of a block: large enough to be worth a request, small enough
// to occupy many workers.
const blockBytes = 8 << 20

// plan reads the whole file and divides it into blocks of about blockBytes bytes.
func plan(src columns.Source, d dialect, o columns.Options, blockBytes int64) (l layout, err error) {
	if src.Size() == 0 && d.header != nil {
		return l, errors.New("the file is empty")
	}
	if src.Size() == 0 && !d.json {
		return l, errors.New("the file is empty: it must begin with the names of the columns")
	}
	if l.compression, err = compressionOf(src); err != nil {
		return l, err
	}
	in, err := l.compression.stream(io.NewSectionReader(src, 0, src.Size()))
	if err != nil {
		return l, err
	}
	defer in.Close()
	r := newRows(in, d, o, 1, 0)
	if err := r.begin(); err != nil {
		return l, err
	}
	if d.json {
		all := nested{file: src.Name()}
		err = l.find(r, blockBytes, &all)
		l.columns = all.columns
		return l, err
	}
	all := flat{fields: newFields(d, o), file: src.Name()}
	if all.columns, err = d.columnsOf(r, &all.fields); err != nil {
		return l, err
	}
	err = l.find(r, blockBytes, &all)
	l.columns = all.columns
	return l, err
}

func newRows(in io.Reader, d dialect, o columns.Options, line, offset int64) *rows {
	return &rows{in: in, quotes: d.comma != 0 && !d.bare, most: int(o.MaxPage), names: o.Names, line: line, offset: offset}
}

// columnsOf returns the columns of a file with fields. Their names come from the dialect or, if it
// has none, from the first row.
func (d *dialect) columnsOf(r *rows, f *fields) (list []column, err error) {
	if d.header == nil {
		return readHeader(r, f)
	}
	for _, name := range d.header {
		c := column{name: name}
		for _, textual := range d.names {
			if name == textual {
				c.fixed, c.classes = true, isOther
			}
		}
		list = append(list, c)
	}
	return list, nil
}

func readHeader(r *rows, f *fields) (list []column, err error) {
	row, line, err := r.next()
	if err == io.EOF {
		return nil, errors.New("the file has no line: it must begin with the names of the columns")
	}
	if err != nil {
		return nil, err
	}
	if n, are := f.tooMany(row); are {
		return nil, at(line, fmt.Errorf("the header has %d names, and at most %d columns are read: write scores of many labels as one column of lists, in Parquet or JSON lines", n, maxColumns))
	}
	names, err := f.of(row, -1)
	if err != nil {
		return nil, at(line, err)
	}
	numbers := 0
	first := make(map[string]int)
	for i, name := range names {
		switch other, twice := first[string(name)]; {
		case !utf8.Valid(name):
			return nil, at(line, fmt.Errorf("the name of column %d is not UTF-8 (%s): write the file as UTF-8", i+1, quote.Valid(quote.Short(string(name)))))
		case twice && len(name) > 0:
			return nil, at(line, fmt.Errorf("columns %d and %d have the same name, %q: rename one", other+1, i+1, quote.Short(string(name))))
		}
		first[string(name)] = i
		if classOf(name)&^isOther != 0 {
			numbers++
		}
		list = append(list, column{name: string(name)})
	}
	if len(list) == 1 {
		if err := otherSeparator(list[0].name); err != nil {
			return nil, at(line, err)
		}
	}
	if numbers > 0 && numbers == len(names) {
		return nil, at(line, fmt.Errorf("the first line must have the names of the columns, but begins with %q: add a line with names", quote.Short(list[0].name)))
	}
	return list, nil
}

// otherSeparator returns an error if the only name in a header looks like several names with
// another separator.
func otherSeparator(header string) error {
	for _, other := range []struct{ mark, name string }{{",", "commas"}, {"\t", "tabs"}, {";", "semicolons"}, {"|", "vertical bars"}} {
		if strings.Contains(header, other.mark) {
			return fmt.Errorf("the header is one name, which holds %s: divide names and values by commas (format csv) or by tabs (format tsv)", other.name)
		}
	}
	return nil
}

// part returns the layout of some blocks.
func (l *layout) part(first, n int) layout {
	p := *l
	p.first, p.blocks = first, l.blocks[first-l.first:][:n]
	return p
}

// layoutFields encodes and decodes a layout. Offsets and lines are stored as differences from the
// previous block.
func layoutFields(c *wire.Coder, l *layout) {
	wire.Int(c, &l.compression)
	wire.List(c, &l.columns, func(c *wire.Coder, col *column) {
		wire.String(c, &col.name)
		seen := uint64(col.classes)
		c.Uint(&seen)
		col.classes = classes(seen)
		c.Bool(&col.fixed)
		wire.Int(c, &col.in)
		c.Bool(&col.element)
	})
	wire.Int(c, &l.first)
	end, line := int64(0), int64(0) // of the previous block
	wire.List(c, &l.blocks, func(c *wire.Coder, b *block) {
		offset, lines := b.offset-end, b.line-line
		wire.Int(c, &offset)
		wire.Int(c, &lines)
		wire.Int(c, &b.size)
		wire.Int(c, &b.rows)
		b.offset, b.line = end+offset, line+lines
		end, line = b.offset+b.size, b.line
	})
}

// check returns an error if the plan cannot belong to a file of this size and dialect.
func (l *layout) check(size int64, d *dialect) error {
	if l.compression < plain || l.compression > zstandard || l.first < 0 || l.first > 1<<24 {
		return errPlan
	}
	for i := range l.columns {
		c := &l.columns[i]
		if nested := c.in != 0 || c.element; c.in < 0 || c.in > i || nested && !d.json {
			return errPlan
		}
	}
	for _, b := range l.blocks {
		if b.offset < 0 || b.size < 0 || b.rows < 0 || b.offset > 1<<62 || b.size > 1<<62 || l.compression == plain && b.offset+b.size > size {
			return errPlan
		}
	}
	return nil
}

var errPlan = errors.New("the plan of the file is damaged")
