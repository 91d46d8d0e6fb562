package tabular

import (
	"cmp"
	"io"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/slice"
)

// Table declares a table of a report, from which follows how it is written and read.
type Table[T any] struct {
	Name         string // of the files, without suffix, and of the member of metrics.json
	Row          string // what a row is, in errors of metrics.json; "" if that does not have the table
	CSV, Parquet bool   // whether there are such files; a table in CSV is in Parquet, too
	Schema       string // what the Parquet file calls its rows; Name if it is ""
	Columns      func(ofSlices []string) []Column[T]
	// OwnSlices makes columns only for the slices of the rows, not for all slices of the report.
	OwnSlices bool
	Empty     bool          // whether there are files without rows, too
	Read      func([]T)     // completes rows that were read from the Parquet file; nil if they are complete
	Shown     func(*T) bool // of the rows of the Parquet file, what report.html shows; nil if it shows all
	Order     Order[T]      // of the rows of files; none if they are in order when they are computed
}

// ColumnsOf returns the columns of rows. known are the columns of slices of the report.
func (t *Table[T]) ColumnsOf(known []string, rows []T) []Column[T] {
	if t.OwnSlices {
		known = nil
	}
	for _, c := range t.Columns(nil) {
		if c.key != nil {
			known = ListOf(rows).SliceColumns(known, func(row *T) slice.Key { return *c.key(row) })
		}
	}
	return t.Columns(known)
}

// WriteCSV writes rows as CSV.
func (t *Table[T]) WriteCSV(w io.Writer, known []string, rows []T) error {
	return ListOf(rows).WriteCSV(w, t.ColumnsOf(known, rows))
}

// WriteParquet writes rows as Parquet.
func (t *Table[T]) WriteParquet(w io.Writer, known []string, rows []T) error {
	return ListOf(rows).WriteParquet(w, cmp.Or(t.Schema, t.Name), t.ColumnsOf(known, rows))
}

// ReadParquet reads the rows of a Parquet file that report.html shows; the list is never nil. Numbers that are null
// become NaN, and ids texts.
func (t *Table[T]) ReadParquet(file columns.Source) ([]T, error) {
	rows, err := ReadAll(file, "report: "+t.Name+".parquet", t.Columns(nil), t.Shown)
	if err == nil && t.Read != nil {
		t.Read(rows)
	}
	return rows, err
}

// JSON returns rows to write, or to read, as the member of metrics.json.
func (t *Table[T]) JSON(rows []T) *Rows[T] { return RowsOf(t.Row, t.Columns(nil), rows) }

// Place returns a function that returns the slice and the label of a row; nil if rows have no slice.
func (t *Table[T]) Place() func(*T) (key slice.Key, label *string) {
	var place Column[T]
	for _, c := range t.Columns(nil) {
		if c.key != nil {
			place.key = c.key
		}
		if c.label != nil {
			place.label = c.label
		}
	}
	if place.key == nil {
		return nil
	}
	return func(row *T) (slice.Key, *string) {
		if place.label == nil {
			return *place.key(row), nil
		}
		return *place.key(row), *place.label(row)
	}
}

// Names calls named with the names that rows have beside their slice and label, and id with their ids.
func (t *Table[T]) Names(rows []T, named func(string), id func(slice.Value)) {
	for _, c := range t.Columns(nil) {
		for i := range rows {
			if c.named != nil {
				named(*c.named(&rows[i]))
			}
			if c.id != nil {
				id(*c.id(&rows[i]))
			}
		}
	}
}
