// Package columns is what the columns of files look like, whatever the format: typed [Batch]es
// of [Column]s, their [Schema] and the names that users give them, and errors with a place.
//
// A reader of a format returns a [File]. It decodes some columns of some rows side by side into
// slices: integers and booleans as int64, floating point as float64, texts as codes of a table
// of distinct strings. A column below one list or map has offsets. Rows are never built, and
// nobody knows here what columns mean. The readers are packages beside this one; package
// formats has the table of them. What they do alike is here: [Reader] checks what is asked for and makes
// batches, and [Logical], [Moment] and [Decimal] say what values are and how they are converted. A
// reader knows how they are stored.
//
// # Names of columns
//
// Users name columns as they think of them. The path of a leaf therefore leaves out what only
// the encoding of lists and maps adds:
//
//	score double                              score
//	m struct<score: double>                   m.score
//	scores list<double>                       scores
//	scores list<struct<label: …, score: …>>   scores.label, scores.score
//	scores map<string, double>                scores.key, scores.value
//
// A name may be in backquotes. A dot inside backquotes is part of the name. Backquotes are
// needed where a path could mean two leaves:
//
//	a.b double, beside a struct<b: double>    `a.b`, `a`.`b`
package columns

import "iter"

// File is an open file of rows, in groups that can be read apart from each other: the row
// groups of a Parquet file, the record batches of an Arrow file, blocks of lines of a text.
// Several goroutines may use it at once.
type File interface {
	// Schema returns the leaf columns of the file.
	Schema() Schema
	// RowGroups returns the number of rows of each row group.
	RowGroups() []int64
	// Metadata returns a value of the key-value metadata of the file.
	Metadata(key string) (string, bool)
	// Dictionary adds the dictionary of a textual column of a row group to a table, and reads
	// nothing else. complete is true if all values of the rows are known to be in the
	// dictionary; otherwise the table is unchanged. A dictionary may hold values that no row
	// has.
	Dictionary(rowGroup int, path string, into *Strings) (complete bool, err error)
	// Read reads some columns of a row group side by side, in batches of at most most rows. A
	// batch is valid until the next one. An error, which is an [Error], ends the batches. The
	// codes of a textual column refer to the table at the same index of dicts, which columns
	// may share. Where dicts is too short or nil, the column gets a table of its own.
	Read(rowGroup int, paths []string, dicts []*Strings, most int) iter.Seq2[*Batch, error]
	// Peek is Read for a caller that will hardly want more than the first batch: it reads few
	// bytes at a time.
	Peek(rowGroup int, paths []string, dicts []*Strings, most int) iter.Seq2[*Batch, error]
}

// Planned is a [File] whose format has no footer: where its row groups are, and which types its
// columns have, was found by reading all of it.
type Planned interface {
	File
	// Plan returns what was found about row groups from the first on, so that workers need not
	// find it again: they open the file with it, and read only these row groups. Their numbers
	// stay the same.
	Plan(first, groups int) []byte
}

// Inferred is a [File] whose columns have types that were inferred from its values.
type Inferred interface {
	File
	// Agree gives columns that several of these files have types that hold the values of all of
	// them. It leaves files of other readers alone. It is an error if all have too many columns.
	Agree(files []File) error
	// AsText has a column read as the text that the file has, unless values say themselves
	// what they are, as in JSON.
	AsText(path string)
}
