package columns

import "io"

// Source is a file with random access.
type Source interface {
	io.ReaderAt
	Size() int64
	Name() string // for messages
}

// Ranger is a [Source] that wants to know beforehand what will be read of it, because requests
// for it are slow, as those for remote files are.
type Ranger interface {
	Source
	// Ranges returns a reader of the source for somebody who will read each of these ranges,
	// from its start to before its end.
	Ranges(ranges [][2]int64) io.ReaderAt
}
