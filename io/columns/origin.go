package columns

import "io"

// Ranger is a [Source] that wants to know beforehand what will be read of it, because requests
// for it are slow, as those for remote files are.
type Ranger interface {
	Source
	// Ranges returns a reader of the source for somebody who will read each of these ranges,
	// from its start to before its end.
	Ranges(ranges [][2]int64) io.ReaderAt
}

// origin is where column chunks are read from.
type origin struct {
	io.ReaderAt
	peek bool // little of them will be read
}

func (f *File) origin(chunks []chunk, peek bool) origin {
	ranger, ok := f.src.(Ranger)
	if peek || !ok {
		return origin{f.src, peek}
	}
	ranges := make([][2]int64, len(chunks))
	for i, c := range chunks {
		ranges[i] = [2]int64{c.start, c.start + c.size}
	}
	return origin{ranger.Ranges(ranges), false}
}

// sips reads little at a time, however much is wanted.
type sips struct{ io.Reader }

const sip = 64 << 10

func (s sips) Read(p []byte) (int, error) { return s.Reader.Read(p[:min(len(p), sip)]) }
