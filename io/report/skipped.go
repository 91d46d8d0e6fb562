package report

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"github.com/beameval/beameval/io/columns"
)

// SkippedRow is an input row that was skipped, with the reason.
type SkippedRow struct {
	File     string `json:"file"`
	RowGroup int    `json:"row_group"` // negative if the row is not from a file
	Row      int64  `json:"row"`
	Line     int64  `json:"line,omitempty"` // of a text file, which has neither row groups nor row numbers; otherwise 0
	Column   string `json:"column"`
	Value    string `json:"value"`
	Reason   string `json:"reason"`
}

// RowAt returns the row at a place in a file.
func RowAt(file string, at columns.Place) SkippedRow {
	if at.Line > 0 {
		return SkippedRow{File: file, Line: at.Line}
	}
	return SkippedRow{File: file, RowGroup: at.RowGroup, Row: at.Row}
}

// Place describes the location of the row for messages.
func (r *SkippedRow) Place() string {
	if r.RowGroup < 0 {
		return r.File
	}
	return fmt.Sprintf("%s: %s", r.File, columns.Place{RowGroup: r.RowGroup, Row: r.Row, Line: r.Line})
}

// ComparePlaces orders rows by file, line, row group and row. Predictions in memory may share a
// place; they are ordered by what is wrong with them.
func ComparePlaces(a, b SkippedRow) int {
	return cmp.Or(
		strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.RowGroup, b.RowGroup), cmp.Compare(a.Row, b.Row),
		strings.Compare(a.Reason, b.Reason), strings.Compare(a.Column, b.Column), strings.Compare(a.Value, b.Value),
	)
}

// MarshalJSON writes a row of a text file with its line instead of row group and row.
func (r SkippedRow) MarshalJSON() ([]byte, error) {
	type plain SkippedRow // without this method
	var row any = plain(r)
	if r.Line > 0 {
		row = struct {
			plain
			RowGroup *int   `json:"row_group,omitempty"`
			Row      *int64 `json:"row,omitempty"`
		}{plain: plain(r)}
	}
	var written bytes.Buffer
	err := newEncoder(&written).Encode(row)
	return written.Bytes(), err
}
