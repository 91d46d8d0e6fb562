package columns

import (
	"fmt"
	"slices"
)

// Numbers locates consecutive rows of a row group in terms that people can look up.
type Numbers struct {
	First int64   // index of the first row within the row group
	Lines []int64 // for text files: the line on which each row begins, from 1; otherwise nil
}

// Place returns the place of row i. The rows belong to the given row group.
func (n *Numbers) Place(rowGroup, i int) Place {
	if n.Lines != nil {
		return Place{RowGroup: rowGroup, Line: n.Lines[i]}
	}
	return Place{RowGroup: rowGroup, Row: n.First + int64(i)}
}

// Append appends the number of each row: its line or, if there are no lines, its index within the
// row group.
func (n *Numbers) Append(to []int64, rows int) []int64 {
	if n.Lines != nil {
		return append(to, n.Lines...)
	}
	for i := range rows {
		to = append(to, n.First+int64(i))
	}
	return to
}

// Clone returns a copy that stays valid after the batch.
func (n *Numbers) Clone() Numbers { return Numbers{n.First, slices.Clone(n.Lines)} }

// Place is the position of a row in its file.
type Place struct {
	RowGroup int
	Row      int64 // within the row group, from 0
	Line     int64 // of a text file, from 1, instead of Row; otherwise 0
}

func (p Place) String() string {
	if p.Line > 0 {
		return fmt.Sprintf("line %d", p.Line)
	}
	return fmt.Sprintf("row group %d, row %d", p.RowGroup, p.Row)
}
