// Package batches reads examples in batches: some rows in columns, decoded, to be folded
// at once. Batches come from row groups of Parquet files or from predictions in memory; a
// [Slicer] says which slices their rows are in. What values mean, and which rows are bad,
// package ingest knows; rows of one example that lie apart are for package examples.
package batches

import (
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/element"
	"github.com/beameval/beameval/transforms/internal/ingest"
)

// Batch is some examples.
type Batch struct {
	ingest.Input
	Slices []*columns.Column // the slice columns; nil: a hive-style key
	Keys   []files.Key
	Tuples []int32         // of the rows, if they are known; see Slicer
	Hashes []uint64        // of what identifies the rows, if there are groups and Tuples
	IDs    *columns.Column // of the queries, if each is reported
	// Place returns the place of a bad row; of nil, that of any. If the order of the
	// example's rows was lost, it puts what is wrong with the first of them into Bad.
	Place func(*ingest.Bad) report.SkippedRow
}

// Values is about how many scores a batch holds: few enough to stay in the cache.
const Values = 32 << 10

// Statistics of many groups do not stay in the cache: a batch fetches each of them once. So that this pays, a
// batch has rowsOfGroup rows of each group, on average, or as many as make mostValues scores if these are fewer.
const (
	rowsOfGroup = 128
	mostValues  = 8 * Values
)

// assumedListLen is the length assumed for lists when sizing batches.
const assumedListLen = 100

// Rows returns how many rows a batch has.
func Rows(j *element.Job) int {
	values := j.Params.Labels // of a row, about
	switch {
	case j.Long:
		values = 1
	case j.Params.Sparse, !j.Params.Scores && j.Encoding != input.Indicator && j.Encoding != input.Distribution:
		values = min(values, assumedListLen)
	case j.Params.Task == metrics.Ranking:
		values = assumedListLen
	}
	values = max(values, 1)
	rows := max(Values/values, 64)
	if g := j.Grouping; g != nil {
		rows = max(rows, min(rowsOfGroup*g.Groups, mostValues/values))
	}
	return rows
}

// Dictionaries are the tables of the strings of columns, by name.
type Dictionaries map[string]*columns.Strings

// Table returns the table of a column, new if need be.
func (d Dictionaries) Table(name string) *columns.Strings {
	if d[name] == nil {
		d[name] = new(columns.Strings)
	}
	return d[name]
}

// Value returns the value of row r of a column of single values.
func Value(col *columns.Column, r int) slice.Value {
	switch {
	case col.Null != nil && col.Null[r]:
		return slice.Null()
	case col.Type == columns.String:
		return slice.String(col.Dict.Values()[col.Codes[r]])
	case col.Type == columns.Float:
		return slice.Float(col.Floats[r])
	case col.Type == columns.Bool:
		return slice.Bool(col.Ints[r] != 0)
	}
	return slice.Int(col.Ints[r])
}
