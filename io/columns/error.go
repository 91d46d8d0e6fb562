package columns

import (
	"fmt"

	"github.com/beameval/beameval/io/quote"
)

// Error locates a failure to read a file. Fields that do not apply are negative or empty.
type Error struct {
	File     string
	RowGroup int    // from 0
	Column   string // path
	Row      int64  // within the row group, from 0; if a page cannot be decoded, its first row
	Line     int64  // of a text file, from 1; replaces the row group in messages; 0 if there is none
	Err      error
}

// Error returns a message of one line. Long values from the file are shortened.
func (e *Error) Error() string {
	s := e.File
	switch {
	case e.Line > 0:
		s += fmt.Sprintf(": line %d", e.Line)
	case e.RowGroup >= 0:
		s += fmt.Sprintf(": row group %d", e.RowGroup)
	}
	if e.Column != "" {
		s += fmt.Sprintf(": column %q", e.Column)
	}
	if e.Row >= 0 {
		s += fmt.Sprintf(": row %d", e.Row)
	}
	return quote.Message(s + ": " + e.Err.Error())
}

func (e *Error) Unwrap() error { return e.Err }
