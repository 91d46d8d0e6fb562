package parquet

import (
	"io"

	"github.com/beameval/beameval/io/columns"
)

// origin is where column chunks are read from.
type origin struct {
	io.ReaderAt
	peek bool // little of them will be read
}

func (f *File) origin(chunks []chunk, peek bool) origin {
	ranger, ok := f.src.(columns.Ranger)
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
