// Package formats is the table of the formats of files of rows, and opens files by it.
//
// To add a format, write a package beside this one that returns a [columns.File], and add a
// row to the table. A format without a footer that says where rows are returns a
// [columns.Planned]: what it finds when a file is first opened is all that workers need.
package formats

import (
	"fmt"
	"slices"
	"strings"

	"github.com/beameval/beameval/io/arrow"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/parquet"
	"github.com/beameval/beameval/io/text"
)

// Parquet is the name of the format of files whose ending says nothing else.
const Parquet = "parquet"

// format is a format of files of rows.
type format struct {
	name    string // in configurations
	endings files.Endings
	text    bool // a file may also be compressed: its ending is followed by one of compressed
	// open opens a file. A plan, which is not nil, is that of a [columns.Planned] of the same
	// file; without a plan, the whole file may have to be read.
	open func(src columns.Source, o columns.Options, plan []byte) (columns.File, error)
}

// table has a row for each format, Parquet first.
var table = []format{
	{Parquet, files.Endings{".parquet", ".parq"}, false, openParquet},
	{text.CSV, files.Endings{".csv"}, true, openText(text.CSV)},
	{text.TSV, files.Endings{".tsv"}, true, openText(text.TSV)},
	{text.JSON, files.Endings{".jsonl", ".ndjson"}, true, openText(text.JSON)},
	{text.Run, files.Endings{".run"}, true, openText(text.Run)},
	{text.Qrels, files.Endings{".qrels"}, true, openText(text.Qrels)},
	{"arrow", files.Endings{".arrow", ".feather"}, false, openArrow},
}

// openParquet opens Parquet, whose footer is the plan.
func openParquet(src columns.Source, o columns.Options, _ []byte) (columns.File, error) {
	return parquet.Open(src, o)
}

// openText returns what opens texts of a format.
func openText(name string) func(columns.Source, columns.Options, []byte) (columns.File, error) {
	return func(src columns.Source, o columns.Options, plan []byte) (columns.File, error) {
		return text.Open(src, name, o, plan)
	}
}

// openArrow opens Arrow, whose footer is the plan.
func openArrow(src columns.Source, o columns.Options, _ []byte) (columns.File, error) {
	return arrow.Open(src, o)
}

// compressed are the endings of compressed texts.
var compressed = []string{".gz", ".zst"}

// Names returns the names of all formats.
func Names() []string {
	names := make([]string, len(table))
	for i, f := range table {
		names[i] = f.name
	}
	return names
}

// Endings returns the endings of files of a format; "" is any.
func Endings(name string) files.Endings {
	var plain, packed files.Endings
	for _, f := range table {
		if name != "" && name != f.name {
			continue
		}
		plain = append(plain, f.endings...)
		for _, ending := range f.endings {
			for _, c := range compressed {
				if f.text {
					packed = append(packed, ending+c)
				}
			}
		}
	}
	return append(plain, packed...)
}

// Of returns the format of a file by its ending: Parquet if that says nothing.
func Of(file string) string {
	for _, f := range table {
		for _, ending := range Endings(f.name) {
			if strings.HasSuffix(file, ending) {
				return f.name
			}
		}
	}
	return Parquet
}

// Open opens a file of a format; "" is that of its ending. A plan, which is not nil, is that of
// a [columns.Planned] of the same file.
func Open(src columns.Source, name string, o columns.Options, plan []byte) (columns.File, error) {
	if name == "" {
		name = Of(src.Name())
	}
	i := slices.IndexFunc(table, func(f format) bool { return f.name == name })
	if i < 0 {
		return nil, fmt.Errorf("%s: no format %q; there are %s", src.Name(), name, strings.Join(Names(), ", "))
	}
	return table[i].open(src, o, plan)
}
