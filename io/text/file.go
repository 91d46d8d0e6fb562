// Package text reads columns of texts with a row a line: CSV and TSV with a header, and TREC's
// runs and qrels, plain or compressed with gzip or zstd.
//
// A text has no footer. [Open] without a plan reads all of it: it finds blocks of rows, outside
// of quotes, with their numbers of rows and lines, and the types that hold all values of a column. It
// finds what is wrong with lines, too. A worker gets that as the plan, and decodes the columns
// that it wants of the blocks that it wants.
//
// The package splits rows and finds the values of columns itself, because that is where the
// time goes: encoding/csv makes strings of all values of a row. But it leaves rows with
// quotes to encoding/csv.
package text

import (
	"errors"
	"fmt"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/io/columns"
)

// The names of the formats.
const (
	CSV   = "csv"
	TSV   = "tsv"
	Run   = "trec_run"
	Qrels = "trec_qrels"
)

// File is an open text. It is a [columns.Planned] and a [columns.Inferred].
type File struct {
	src     columns.Source
	options columns.Options
	dialect dialect
	layout  layout
	schema  columns.Schema
}

// Open opens a text of a format. Without a plan it reads all of it.
func Open(src columns.Source, format string, o columns.Options, known []byte) (*File, error) {
	return open(src, dialects[format], o, known, blockBytes)
}

func open(src columns.Source, d dialect, o columns.Options, known []byte, blockBytes int64) (*File, error) {
	f := &File{src: src, options: o, dialect: d}
	var err error
	if known == nil {
		f.layout, err = plan(src, d, o, blockBytes)
	} else if err = wire.Decode(known, &f.layout, layoutFields); err == nil {
		err = f.layout.check(src.Size())
	}
	if err != nil {
		return nil, f.fail(-1, err)
	}
	f.setSchema()
	return f, nil
}

func (f *File) setSchema() {
	var readable []columns.Field
	var unreadable []columns.Unreadable
	for i := range f.layout.columns {
		field := f.layout.columns[i].field(i)
		if f.layout.columns[i].name == "" {
			unreadable = append(unreadable, columns.Unreadable{Name: field.Name, Reason: "the header has no name for it"})
			continue
		}
		readable = append(readable, field)
	}
	f.schema = columns.NewSchema(readable, unreadable)
}

// Schema returns the columns.
func (f *File) Schema() columns.Schema { return f.schema }

// RowGroups returns the number of rows of each block, 0 for those that are not in the plan.
func (f *File) RowGroups() []int64 {
	rows := make([]int64, f.layout.first+len(f.layout.blocks))
	for i, b := range f.layout.blocks {
		rows[f.layout.first+i] = b.rows
	}
	return rows
}

// Metadata returns nothing: texts have none.
func (f *File) Metadata(string) (string, bool) { return "", false }

// Dictionary returns nothing: texts have none.
func (f *File) Dictionary(rowGroup int, path string, _ *columns.Strings) (bool, error) {
	if _, err := f.schema.Lookup(path); err != nil {
		return false, f.fail(rowGroup, err)
	}
	return false, nil
}

// Plan returns what was found about some blocks.
func (f *File) Plan(first, groups int) []byte {
	part := f.layout.part(first, groups)
	data, err := wire.Encode(&part, layoutFields)
	if err != nil {
		panic(fmt.Sprintf("text: encoding a plan: %v", err)) // the fields fail only for lengths below 0
	}
	return data
}

// Agree gives columns that several texts have types that hold the values of all of them.
func (f *File) Agree(with []columns.File) {
	all := make(map[string]column)
	each := func(do func(c *column)) {
		for _, other := range with {
			t, ok := other.(*File)
			for i := 0; ok && i < len(t.layout.columns); i++ {
				do(&t.layout.columns[i])
			}
		}
	}
	each(func(c *column) {
		sum, met := all[c.name]
		if !met {
			sum = *c
		}
		sum.classes |= c.classes
		if sum.other.line == 0 {
			sum.other = c.other
		}
		all[c.name] = sum
	})
	each(func(c *column) {
		if sum := all[c.name]; !c.fixed {
			c.classes, c.other = sum.classes, sum.other
		}
	})
	for _, other := range with {
		if t, ok := other.(*File); ok {
			t.setSchema()
		}
	}
}

// fail returns an error with its place.
func (f *File) fail(group int, err error) error {
	e := &columns.Error{File: f.src.Name(), RowGroup: group, Row: -1, Err: err}
	if in := (*lineError)(nil); errors.As(err, &in) {
		e.RowGroup, e.Line, e.Column, e.Err = max(group, 0), in.line, in.column, in.err
	}
	return e
}
