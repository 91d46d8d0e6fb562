package columns

import (
	"errors"
	"fmt"
)

// Error says where in a file reading failed. Parts that do not apply are
// negative or empty.
type Error struct {
	File     string
	RowGroup int    // from 0
	Column   string // path
	Row      int64  // within the row group, from 0; of a page that cannot be decoded, its first
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

var errShort = errors.New("the encoded values end early")

// contain turns a panic into an error: the decoders of parquet-go index into
// damaged bytes without checking everything first.
func contain(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("corrupt: %v", p)
	}
}
