// Package text reads columns of texts with a row a line: CSV and TSV with a header, JSON lines,
// and TREC's runs and qrels, plain or compressed with gzip or zstd.
//
// A text has no footer. [Open] without a plan reads all of it: it finds blocks of rows, outside
// of quotes, with their numbers of rows and lines, and the types that hold all values of a column. It
// finds what is wrong with lines, too. A worker gets that as the plan, and decodes the columns
// that it wants of the blocks that it wants.
//
// The package splits rows and finds the values of columns itself, because that is where the
// time goes: encoding/csv makes strings of all values of a row. But it leaves rows with
// quotes to encoding/csv, and JSON to jsontext.
//
// In JSON, the keys of objects are columns, as the fields of structs are in Parquet, and arrays
// are lists. A key that a row does not have is null.
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

// File is an open text. It is a [columns.Planned] and a [columns.Inferred].
type File struct {
	columns.Reader
	dialect dialect
	layout  layout
}

// Open opens a text of a format. Without a plan it reads all of it.
func Open(src columns.Source, format string, o columns.Options, known []byte) (*File, error) {
	return open(src, dialects[format], o, known, blockBytes)
}

func open(src columns.Source, d dialect, o columns.Options, known []byte, blockBytes int64) (*File, error) {
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
	f.Groups = make([]int64, f.layout.first+len(f.layout.blocks)) // 0 for those that are not in the plan
	for i, b := range f.layout.blocks {
		f.Groups[f.layout.first+i] = b.rows
	}
	f.Begin = f.begin
	f.setSchema()
	return f, nil
}

func (f *File) setSchema() {
	leaves := leavesOf(f.layout.columns)
	f.Columns = columns.SchemaOf(len(leaves), func(i int) columns.Leaf { return leaves[i] })
}

// Metadata returns nothing: texts have none.
func (f *File) Metadata(string) (string, bool) { return "", false }

// Plan returns what was found about some blocks.
func (f *File) Plan(first, groups int) []byte {
	part := f.layout.part(first, groups)
	data, err := wire.Encode(&part, layoutFields)
	if err != nil {
		panic(fmt.Sprintf("text: encoding a plan: %v", err)) // the fields fail only for lengths below 0
	}
	return data
}

// Agree gives columns that several texts have types that hold the values of all of them. Texts
// of JSON have the columns of all others, too, as a key that no row has is null.
func (f *File) Agree(with []columns.File) error {
	var texts []*File
	for _, other := range with {
		if t, ok := other.(*File); ok {
			texts = append(texts, t)
		}
	}
	var all nested
	numbers := make([][]int, len(texts)) // of the columns of each text
	for i, t := range texts {
		for j := range t.layout.columns {
			c := &t.layout.columns[j]
			in := 0
			if c.in > 0 {
				in = numbers[i][c.in-1] + 1
			}
			n, err := all.add(child{in, c.name, c.element})
			if err != nil {
				return t.Fail(-1, fmt.Errorf("with the files before it, this one has %w: give the same things the same names in all files, or evaluate fewer files at once", err))
			}
			numbers[i] = append(numbers[i], n)
			all.columns[n].merge(c)
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

// AsText has a column read as the text that the file has. Strings of JSON have quotes, so that
// numbers are not meant to be text there.
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
