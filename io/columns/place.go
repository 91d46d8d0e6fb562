package columns

import (
	"fmt"
	"slices"
)

// Numbers say where consecutive rows of a row group are, as people find them.
type Numbers struct {
	First int64   // of the first row within the row group, from 0
	Lines []int64 // of a text: the line where each row begins, from 1; otherwise nil
}

// Place returns the place of one of the rows, which are of this row group.
func (n *Numbers) Place(rowGroup, i int) Place {
	if n.Lines != nil {
		return Place{RowGroup: rowGroup, Line: n.Lines[i]}
	}
	return Place{RowGroup: rowGroup, Row: n.First + int64(i)}
}

// Append appends the number of each of so many rows: its line or, without lines, its number
// within the row group.
func (n *Numbers) Append(to []int64, rows int) []int64 {
	if n.Lines != nil {
		return append(to, n.Lines...)
	}
	for i := range rows {
		to = append(to, n.First+int64(i))
	}
	return to
}

// Clone returns a copy for somebody who needs it longer than the batch.
func (n *Numbers) Clone() Numbers { return Numbers{n.First, slices.Clone(n.Lines)} }

// Place is where a row is in its file.
type Place struct {
	RowGroup int
	Row      int64 // within the row group, from 0
	Line     int64 // of a text, from 1, instead of Row; otherwise 0
}

func (p Place) String() string {
	if p.Line > 0 {
		return fmt.Sprintf("line %d", p.Line)
	}
	return fmt.Sprintf("row group %d, row %d", p.RowGroup, p.Row)
}
