package columns

import "fmt"

// Error says where in a file reading failed. Fields that do not apply are negative or
// empty.
type Error struct {
	File     string
	RowGroup int    // from 0
	Column   string // path
	Row      int64  // within the row group, from 0; if a page cannot be decoded, its first row
	Err      error
}

func (e *Error) Error() string {
	s := e.File
	if e.RowGroup >= 0 {
		s += fmt.Sprintf(": row group %d", e.RowGroup)
	}
	if e.Column != "" {
		s += fmt.Sprintf(": column %q", e.Column)
	}
	if e.Row >= 0 {
		s += fmt.Sprintf(": row %d", e.Row)
	}
	return s + ": " + e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }
