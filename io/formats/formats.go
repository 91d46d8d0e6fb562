// Package formats opens files of rows by their format and has the table of formats.
//
// To add a format, write a sibling package that returns a [columns.File], and add a row to the
// table. A format without a footer returns a [columns.Planned]: what it finds when a file is first
// opened is all that workers need.
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

// Parquet is the format of files whose extension is unknown.
const Parquet = "parquet"

// format describes a format of files of rows.
type format struct {
	name    string // in configurations
	also    string // another name
	endings files.Endings
	text    bool // files may be compressed, with an ending of compressed after their own
	// open opens a file of the format with this name. If plan is not nil, it is the plan of a
	// [columns.Planned] of the same file; without it, the whole file may have to be read.
	open func(src columns.Source, name string, o columns.Options, plan []byte) (columns.File, error)
}

// table lists the formats, Parquet first.
var table = []format{
	{Parquet, "", files.Endings{".parquet", ".parq"}, false, openParquet},
	{text.CSV, "", files.Endings{".csv"}, true, openText},
	{text.TSV, "", files.Endings{".tsv"}, true, openText},
	{text.JSON, "", files.Endings{".jsonl", ".ndjson"}, true, openText},
	{text.Run, "run", files.Endings{".run"}, true, openText},
	{text.Qrels, "qrels", files.Endings{".qrels"}, true, openText},
	{"arrow", "", files.Endings{".arrow", ".arrows", ".feather"}, false, openArrow},
}

// openParquet opens a Parquet file, which needs no plan because it has a footer.
func openParquet(src columns.Source, _ string, o columns.Options, _ []byte) (columns.File, error) {
	return parquet.Open(src, o)
}

// openText opens a text file, which is planned by reading the whole file.
func openText(src columns.Source, name string, o columns.Options, plan []byte) (columns.File, error) {
	return text.Open(src, name, o, plan)
}

// openArrow opens an Arrow file or a stream, which is planned by reading the headers of its
// messages.
func openArrow(src columns.Source, _ string, o columns.Options, plan []byte) (columns.File, error) {
	return arrow.Open(src, o, plan)
}

// IsText reports whether files of a format are texts.
func IsText(name string) bool {
	return slices.ContainsFunc(table, func(f format) bool { return f.name == name && f.text })
}

// compressed lists the endings of compressed text files.
var compressed = []string{".gz", ".zst"}

// Names returns the names of all formats, further names of the same last.
func Names() (names []string) {
	for _, f := range table {
		names = append(names, f.name)
	}
	for _, f := range table {
		if f.also != "" {
			names = append(names, f.also)
		}
	}
	return names
}

// Canonical returns the first name of a format.
func Canonical(name string) string {
	for _, f := range table {
		if f.also == name && name != "" {
			return f.name
		}
	}
	return name
}

// Endings returns the file name endings of a format, or of all formats if name is empty.
func Endings(name string) files.Endings {
	name = Canonical(name)
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

// Of returns the format that the ending of a file name indicates, or Parquet if it indicates none.
func Of(file string) string {
	if format := ofEnding(file); format != "" {
		return format
	}
	return Parquet
}

func ofEnding(file string) string {
	file = strings.ToLower(file)
	for _, f := range table {
		for _, ending := range Endings(f.name) {
			if strings.HasSuffix(file, ending) {
				return f.name
			}
		}
	}
	return ""
}

// Recognize returns the format of a file whose ending says nothing and whose content is a TREC run
// or qrels file. For all others it returns "".
func Recognize(src columns.Source) string {
	if ofEnding(src.Name()) != "" {
		return ""
	}
	return text.Recognize(src)
}

// Open opens a file in the named format, or the format indicated by its ending if the name is
// empty. If plan is not nil, it is the plan of a [columns.Planned] of the same file.
func Open(src columns.Source, name string, o columns.Options, plan []byte) (columns.File, error) {
	if name == "" {
		name = Of(src.Name())
	}
	name = Canonical(name)
	i := slices.IndexFunc(table, func(f format) bool { return f.name == name })
	if i < 0 {
		return nil, fmt.Errorf("%s: no format %q; there are %s", src.Name(), name, strings.Join(Names(), ", "))
	}
	return table[i].open(src, name, o, plan)
}
