package parquet

import (
	"io"

	"github.com/beameval/beameval/io/columns"
)

// origin is where column chunks are read from; peek says that little of them will be.
func (f *File) origin(chunks []chunk, peek bool) io.ReaderAt {
	ranger, ok := f.src.(columns.Ranger)
	if peek || !ok {
		return f.src
	}
	ranges := make([][2]int64, len(chunks))
	for i, c := range chunks {
		ranges[i] = [2]int64{c.start, c.start + c.size}
	}
	return ranger.Ranges(ranges)
}
