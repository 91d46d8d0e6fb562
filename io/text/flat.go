package text

import (
	"fmt"
	"io"
	"strings"
)

// flat is the census of a file with fields.
type flat struct {
	fields  fields
	columns []column
	file    string
}

func (t *flat) none() census {
	other := &flat{fields: t.fields, columns: make([]column, len(t.columns)), file: t.file}
	other.fields.list, other.fields.text = nil, nil
	for i, c := range t.columns {
		other.columns[i] = column{name: c.name, fixed: c.fixed}
		if c.fixed {
			other.columns[i].classes = c.classes
		}
	}
	return other
}

func (t *flat) follow(behind census) error {
	for i := range t.columns {
		t.columns[i].follow(&behind.(*flat).columns[i])
	}
	return nil
}

func (t *flat) meet(r *rows) (n int64, err error) {
	for ; ; n++ {
		line := r.line
		if r.quick(&t.fields, len(t.columns), false) {
			if err := t.values(line); err != nil {
				return n, at(line, err)
			}
			continue
		}
		row, line, err := r.next()
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		if err := t.row(row, line); err != nil {
			return n, at(line, err)
		}
	}
}

// row adds a row.
func (t *flat) row(row []byte, line int64) error {
	if n, are := t.fields.tooMany(row); are {
		return t.ragged(n)
	}
	values, err := t.fields.of(row, -1)
	if err != nil {
		return err
	}
	if len(values) != len(t.columns) {
		return t.ragged(len(values))
	}
	return t.values(line)
}

// values adds the fields of a row.
func (t *flat) values(line int64) error {
	f := &t.fields
	for i, v := range f.list {
		c := &t.columns[i]
		if i < len(f.numerals) && f.numerals[i].class != 0 && f.nulls == nil {
			c.meetNumber(f.numerals[i].class)
			continue
		}
		if f.nulls != nil && f.isNull(v) {
			continue
		}
		if f.number != "" && c.name == f.number && classOf(v)&^(isInt|isFloat) != 0 {
			return fmt.Errorf("the %s is %.40q: expected a number", c.name, v)
		}
		c.meet(v, place{t.file, line})
	}
	return nil
}

func (t *flat) ragged(n int) error {
	if header := t.fields.header; header != nil {
		return fmt.Errorf("the line has %d fields, but must have %d: %s", n, len(header), strings.Join(header, ", "))
	}
	return fmt.Errorf("the row has %d values, but the header %d names: write as many, and quote values that hold a separator", n, len(t.columns))
}
