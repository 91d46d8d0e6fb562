package parquet

import (
	"io"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
)

// ranger is a source that records announcements and reads.
type ranger struct {
	columns.Source
	told, read [][2]int64
}

func (r *ranger) Ranges(ranges [][2]int64) io.ReaderAt {
	r.told = append(r.told, ranges...)
	return r
}

func (r *ranger) ReadAt(p []byte, off int64) (int, error) {
	n, err := r.Source.ReadAt(p, off)
	r.read = append(r.read, [2]int64{off, off + int64(n)})
	return n, err
}

// TestReadSaysWhatItReads: exactly the column chunks that are read are announced, and nothing else
// is read.
func TestReadSaysWhatItReads(t *testing.T) {
	src := &ranger{Source: inMemory(fixtures(t, "many.checksums.parquet")["many.checksums.parquet"])}
	f := mustOpen(t, src)
	for g := range f.Groups {
		for i := range f.leaves {
			var want [][2]int64
			for _, c := range []chunk{f.chunks[g][i], f.chunks[g][(i+1)%len(f.leaves)]} {
				want = append(want, [2]int64{c.start, c.start + c.size})
			}
			src.told, src.read = nil, nil
			for _, err := range f.Read(g, []string{f.pathOf(i), f.pathOf((i + 1) % len(f.leaves))}, nil, 1000) {
				require.NoError(t, err)
			}
			require.Equal(t, want, src.told)
			read := map[[2]int64]int64{}
			for _, x := range src.read {
				for _, w := range want {
					if w[0] <= x[0] && x[1] <= w[1] {
						read[w] += x[1] - x[0]
					}
				}
			}
			for _, w := range want {
				require.Equal(t, w[1]-w[0], read[w], "every byte once, and no other")
			}
		}
	}
}

// TestPeekReadsLittle: reading the first rows of a column takes few of its bytes.
func TestPeekReadsLittle(t *testing.T) {
	rows := make([]struct {
		X float64 `parquet:"x"`
	}, 200_000)
	for i := range rows {
		rows[i].X = float64(i)
	}
	src := &ranger{Source: write(t, rows, parquet.PageBufferSize(readSize))}
	f := mustOpen(t, src)
	src.read = nil
	for batch, err := range f.Peek(0, []string{"x"}, nil, 10) {
		require.NoError(t, err)
		require.Equal(t, []float64{0, 1, 2}, batch.Columns[0].Floats[:3])
		break
	}
	require.Empty(t, src.told)
	read := int64(0)
	for _, x := range src.read {
		read += x[1] - x[0]
	}
	require.LessOrEqual(t, read, int64(2*readSize))
	require.Greater(t, f.chunks[0][0].size, int64(20*readSize))
}
