package report

import (
	"fmt"

	"github.com/beameval/beameval/io/columns"
)

// SkippedRow is an input row that was skipped, and the reason.
type SkippedRow struct {
	File     string `json:"file"`
	RowGroup int    `json:"row_group"` // below 0: it is not from a file
	Row      int64  `json:"row"`
	Line     int64  `json:"line,omitempty"` // of a text; otherwise 0
	Column   string `json:"column"`
	Value    string `json:"value"`
	Reason   string `json:"reason"`
}

// RowAt returns the row at a place of a file.
func RowAt(file string, at columns.Place) SkippedRow {
	return SkippedRow{File: file, RowGroup: at.RowGroup, Row: at.Row, Line: at.Line}
}

// Place says where the row is, for messages.
func (r *SkippedRow) Place() string {
	if r.RowGroup < 0 {
		return r.File
	}
	return fmt.Sprintf("%s: %s", r.File, columns.Place{RowGroup: r.RowGroup, Row: r.Row, Line: r.Line})
}

// writtenRow is a skipped row in run.json: one of a text has a line instead of a row group.
type writtenRow struct {
	File     string `json:"file"`
	RowGroup *int   `json:"row_group,omitempty"`
	Row      *int64 `json:"row,omitempty"`
	Line     int64  `json:"line,omitempty"`
	Column   string `json:"column"`
	Value    string `json:"value"`
	Reason   string `json:"reason"`
}

func writtenRows(rows []SkippedRow) []writtenRow {
	list := make([]writtenRow, len(rows))
	for i, r := range rows {
		list[i] = writtenRow{r.File, nil, nil, r.Line, r.Column, r.Value, r.Reason}
		if r.Line == 0 {
			list[i].RowGroup, list[i].Row = &r.RowGroup, &r.Row
		}
	}
	return list
}
