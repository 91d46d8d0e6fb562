// Package columns defines columns of files independently of the format: typed [Batch]es of
// [Column]s, their [Schema], the names by which users refer to them, and errors with a location.
//
// A reader of a format returns a [File]. It decodes selected columns of consecutive rows into
// slices: integers and booleans as int64, floating-point numbers as float64, text as codes of a
// table of distinct strings. A column below a list or map has offsets:
//
//	rows       [0.5, 0.1]  []  null  [0.7]
//	Offsets    0  2  2  2  3
//	Floats     0.5  0.1  0.7
//	RowNull    false  false  true  false
//
// Rows are never materialised, and this package does not know what columns mean. The readers are
// sibling packages, which package formats lists. The code that they share is here: [Reader]
// validates requests and makes batches, and [Logical], [Moment] and [Decimal] define types and
// conversions. A reader knows only how its format stores the values.
//
// # Names of columns
//
// Users name columns as they think of them. The path of a leaf therefore omits the levels that only
// the encoding of lists and maps adds:
//
//	score double                              score
//	m struct<score: double>                   m.score
//	scores list<double>                       scores
//	scores list<struct<label: …, score: …>>   scores.label, scores.score
//	scores map<string, double>                scores.key, scores.value
//
// A name may be enclosed in backquotes. A dot inside backquotes is part of the name. Backquotes are
// needed where a path could refer to two leaves:
//
//	a.b double, beside a struct<b: double>    `a.b`, `a`.`b`
package columns

import "iter"

// File is an open file whose rows are divided into groups that can be read independently: the row
// groups of a Parquet file, the record batches of an Arrow file, or blocks of lines of a text file.
// Several goroutines may use it concurrently.
type File interface {
	// Schema returns the leaf columns of the file.
	Schema() Schema
	// RowGroups returns the number of rows of each row group.
	RowGroups() []int64
	// Metadata returns a value of the key-value metadata of the file.
	Metadata(key string) (string, bool)
	// Dictionary adds the dictionary of a column of texts or integers, these as text, of a row group
	// to a table without reading anything else. complete is true if every value of the rows is known
	// to be in the dictionary; if it is false, the table is unchanged. A dictionary may contain
	// values that no row has.
	Dictionary(rowGroup int, path string, into *Strings) (complete bool, err error)
	// Read reads some columns of a row group in batches of at most most rows. A batch is valid
	// until the next one. An error is an [Error] and ends the iteration. The codes of a text column
	// refer to the table at the same index of dicts; columns may share a table. Where dicts is nil
	// or too short, the column gets a table of its own.
	Read(rowGroup int, paths []string, dicts []*Strings, most int) iter.Seq2[*Batch, error]
	// Peek is like Read, but for callers that are unlikely to need more than the first batch: it
	// reads fewer bytes at a time.
	Peek(rowGroup int, paths []string, dicts []*Strings, most int) iter.Seq2[*Batch, error]
}

// Planned is a [File] in a format without a footer. The positions of its row groups and the types
// of its columns were found by reading the whole file.
type Planned interface {
	File
	// Plan returns what was found about the given row groups, so that workers need not find it
	// again: they open the file with the plan and read only these row groups, whose numbers do not
	// change. It is nil if workers need no plan.
	Plan(first, groups int) []byte
}

// Doubtful is a [File] that may be read although something in it is odd.
type Doubtful interface {
	File
	// Warning returns what is odd, or "".
	Warning() string
}

// Inferred is a [File] whose column types were inferred from its values.
type Inferred interface {
	File
	// Agree widens the types of columns so that each type holds the values of all these files. It
	// ignores files of other readers. It fails if the files have too many columns together.
	Agree(files []File) error
	// AsText makes a column text, exactly as the file spells its values. Files whose values show
	// their type, such as strings in JSON, ignore it.
	AsText(path string)
}
