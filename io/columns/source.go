package columns

import (
	"fmt"
	"io"
)

// Source is a file with random access.
type Source interface {
	io.ReaderAt
	Size() int64
	Name() string // for messages
}

// ReadFull is ReadAt, also for sources that report the end of the file together with the last
// bytes.
func ReadFull(src io.ReaderAt, p []byte, offset int64) error {
	n, err := src.ReadAt(p, offset)
	switch {
	case n == len(p):
		return nil
	case err == nil || err == io.EOF:
		return io.ErrUnexpectedEOF
	}
	return err
}

// maxFooter is how long a footer may be. It is read whole, before anything in it can be checked.
const maxFooter = 64 << 20

// CheckFooter returns an error if a footer is too long to be read.
func CheckFooter(length int64) error {
	if length > maxFooter {
		return fmt.Errorf("a footer of %d bytes, and at most %d are read: write larger row groups, fewer columns or less metadata", length, maxFooter)
	}
	return nil
}

// Ranger is a [Source] that wants to know beforehand what will be read of it, because requests
// for it are slow, as those for remote files are.
type Ranger interface {
	Source
	// Ranges returns a reader of the source for somebody who will read each of these ranges,
	// from its start to before its end.
	Ranges(ranges [][2]int64) io.ReaderAt
}
