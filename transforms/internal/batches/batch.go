// Package batches reads examples in batches: some rows in decoded columns, to be folded together.
// Batches come from row groups of files or from predictions in memory; a [Slicer] says which slices
// their rows belong to. Package ingest knows what values mean and which rows are bad; package join
// assembles examples whose rows are apart.
//
// Memory belongs to whoever fills it: the columns that [Reader.Read] passes on are the reader's, and
// change with the next batch. What is needed longer must be copied ([CopyOf]). A function with a
// parameter out and a result reuses the memory of out for the result, as append does; the caller
// owns both.
package batches

import (
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/ingest"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// Batch holds some examples. Its columns and lists belong to whoever made it, who reuses them for
// the next batch: a fold must not keep them.
type Batch struct {
	ingest.Input
	Slices []*columns.Column // the slice columns; nil for a hive-style key
	Keys   []files.Key
	Tuples []int32         // by row, if they are known; see Slicer
	Values [][]slice.Value // by row: the values of the slicer's columns, if Tuples are set and a search needs them
	Hashes []uint64        // by row, of what identifies it; set if there are folds and Tuples
	IDs    *columns.Column // the ids of the examples, if queries or worst examples are reported; nil if they have none
	// Place returns the place of a bad row, or for nil the place of any row. If the order of the
	// example's rows was lost, it also sets Bad to what is wrong with the first row.
	Place func(*ingest.Bad) report.SkippedRow
	// At returns the place of the first row of an example. It is nil if examples are not from files.
	At func(row int) report.SkippedRow
}

// Values is the approximate number of scores in a batch: few enough to fit in the cache.
const Values = 32 << 10

// Statistics of many folds and slices do not fit in the cache, so each batch loads every part's
// statistics once; a part is a fold of a slice. To make that worthwhile, a batch has on average
// rowsOfPart rows of each part, but at most mostValues scores.
const (
	rowsOfPart = 128
	mostValues = 8 * Values
)

// assumedListLen is the length of lists that sizing batches assumes.
const assumedListLen = 100

// Rows returns the number of rows of a batch whose rows are divided into at least so many parts, each with
// statistics of its own: folds of slices.
func Rows(j *shuffle.Job, parts int) int {
	values := j.Params.Labels // approximately, of a row
	switch {
	case j.Long:
		values = 1
	case j.Params.Sparse, !j.Params.Scores && j.Encoding != input.Indicator && j.Encoding != input.Distribution:
		values = min(values, assumedListLen)
	case j.Params.Task == metrics.Ranking:
		values = assumedListLen
	}
	values = max(values, 1)
	if g := j.Confidence; g != nil {
		parts = max(parts, g.FineFolds())
	}
	rows := max(Values/values, 64)
	if parts > 1 {
		rows = max(rows, min(rowsOfPart*parts, mostValues/values))
	}
	return rows
}

// Dictionaries holds the tables of the strings of columns, by name. A worker keeps them, so that
// codes mean the same from batch to batch; tables only grow.
type Dictionaries map[string]*columns.Strings

// Table returns the table of a column, and makes it if necessary.
func (d Dictionaries) Table(name string) *columns.Strings {
	if d[name] == nil {
		d[name] = new(columns.Strings)
	}
	return d[name]
}

// Value returns the value of row r of a column of single values.
func Value(col *columns.Column, r int) slice.Value {
	switch {
	case col.IsNull(r):
		return slice.Null()
	case col.Type == columns.String:
		return slice.String(col.Dict.At(col.Codes[r]))
	case col.Type == columns.Float:
		return slice.Float(col.Floats[r])
	case col.Type == columns.Bool:
		return slice.Bool(col.Ints[r] != 0)
	}
	return slice.Int(col.Ints[r])
}
