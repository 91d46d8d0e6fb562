// Package text reads columns of text files with a row per line: CSV and TSV with a header, JSON
// lines, and TREC runs and qrels, plain or compressed with gzip or zstd.
//
// # Blocks and plans
//
// A text file has no footer. [Open] without a plan therefore reads the whole file once. It divides
// the rows into blocks, infers the type of each column from its values, and rejects malformed
// lines. The result is the plan. Workers open the file with their part of it, and decode only the
// columns and blocks that they need:
//
//	planning      file ─► piece │ piece │ piece │ …   whole rows, which goroutines look at side by side
//	                      columns                     names and types that hold all values
//	                      block │ block               offset, size, first line, number of rows
//	                         │
//	                         ▼ Plan, encoded
//	worker        Open(plan) ─► Read(block, columns)
//
// A block ends at the end of a row, never inside quotes. A compressed file is a single block,
// because it can only be decompressed from its beginning. If a file changes between planning and
// reading, values may no longer fit the plan; that is an error with the line.
//
// # Parsing
//
// The package splits rows into fields itself, because most of the time is spent there: encoding/csv
// would make strings of all values, and LF of CRLF in quotes. Usual rows are read in one pass
// ([fields.quick], [tokens], [shape]), which also finds the values of usual numbers ([numeral]). Rows that are odd or
// wrong are left to slower code, which reads all rows and says what is wrong: [rows.next] and [fields.of], and jsontext
// for JSON.
//
// In JSON, the keys of objects are columns, like the fields of structs in Parquet, and arrays are
// lists. A key that is missing from a row is null.
package text

import (
	"fmt"
	"slices"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/io/columns"
)

// The names of the formats.
const (
	CSV   = "csv"
	TSV   = "tsv"
	Run   = "trec_run"
	Qrels = "trec_qrels"
	JSON  = "jsonl"
)

// File is an open text file. It implements [columns.Planned] and [columns.Inferred].
type File struct {
	columns.Reader
	dialect dialect
	layout  layout
}

// Open opens a text file of a format. If known is nil, it reads the whole file to plan it;
// otherwise known is the plan.
func Open(src columns.Source, format string, o columns.Options, known []byte) (*File, error) {
	return open(src, dialects[format], o, known, blockBytes)
}

func open(src columns.Source, d dialect, o columns.Options, known []byte, blockBytes int64) (*File, error) {
	d.bare = o.NoQuotes
	f := &File{dialect: d}
	err := columns.Open(&f.Reader, src, o, func() (err error) {
		if known == nil {
			f.layout, err = plan(src, d, f.Options, blockBytes)
		} else if err = wire.Decode(known, &f.layout, layoutFields); err == nil {
			err = f.layout.check(src.Size(), &d)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	f.Groups = make([]int64, f.layout.first+len(f.layout.blocks)) // 0 for blocks that are not in the plan
	for i, b := range f.layout.blocks {
		f.Groups[f.layout.first+i] = b.rows
	}
	f.Begin = f.begin
	f.setSchema()
	return f, nil
}

func (f *File) setSchema() {
	leaves := leavesOf(f.layout.columns)
	f.Columns = columns.SchemaOf(len(leaves), func(i int) columns.Field { return leaves[i] })
}

// Metadata returns nothing, because text files have no metadata.
func (f *File) Metadata(string) (string, bool) { return "", false }

// Plan returns the encoded plan of some blocks.
func (f *File) Plan(first, groups int) []byte {
	part := f.layout.part(first, groups)
	data, _ := wire.Encode(&part, layoutFields) // all fields can be encoded
	return data
}

// Agree widens the types of columns so that each type holds the values of all these files. JSON
// files also get the columns of all other files, because a missing key is null.
func (f *File) Agree(with []columns.File) error {
	var texts []*File
	for _, other := range with {
		if t, ok := other.(*File); ok {
			texts = append(texts, t)
		}
	}
	var all nested
	numbers := make([][]int, len(texts)) // numbers of the columns of each file
	for i, t := range texts {
		var err error
		if numbers[i], err = all.merge(t.layout.columns); err != nil {
			return t.Fail(-1, fmt.Errorf("with the files before it, this one has %w: give the same things the same names in all files, or evaluate fewer files at once", err))
		}
	}
	for i, t := range texts {
		if t.dialect.json {
			t.layout.columns = all.columns
		}
		for j := range t.layout.columns {
			if c := &t.layout.columns[j]; !t.dialect.json && !c.fixed {
				c.classes, c.other = all.columns[numbers[i][j]].classes, all.columns[numbers[i][j]].other
			}
		}
		t.setSchema()
	}
	return nil
}

// AsText makes a column text, exactly as the file spells its values. JSON is unaffected: its
// strings are quoted, so an unquoted number is meant to be a number.
func (f *File) AsText(path string) {
	field, err := f.Columns.Lookup(path)
	if err != nil || f.dialect.json {
		return
	}
	f.layout.columns = slices.Clone(f.layout.columns)
	c := &f.layout.columns[field.Leaf]
	c.fixed, c.classes = true, isOther
	f.setSchema()
}
