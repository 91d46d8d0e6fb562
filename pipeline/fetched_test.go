package pipeline

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/clouds"
)

// wide is a row with many columns; only two distant ones are evaluated.
type wide struct {
	A     float64 `parquet:"a"`
	Label int64   `parquet:"label"`
	B     float64 `parquet:"b"`
	C     float64 `parquet:"c"`
	D     float64 `parquet:"d"`
	Score float64 `parquet:"score"`
	E     float64 `parquet:"e"`
	F     float64 `parquet:"f"`
	G     float64 `parquet:"g"`
	H     float64 `parquet:"h"`
}

const wideColumns, evaluatedBytes = 10, 16 // a row

// TestBytesFetched: a run fetches hardly more of a file than the columns that it evaluates, with
// few requests.
func TestBytesFetched(t *testing.T) {
	for _, c := range []struct {
		name               string
		files, rows, group int
		// The most requests for content of all files: while planning, which looks at the first
		// values of the first file, and in all.
		planning, all int64
	}{
		{"one row group", 1, 200_000, 200_000, 3, 3 + 1 + 2},
		{"several row groups", 1, 200_000, 50_000, 3, 3 + 1 + 4*2},
		{"files of 400 KB", 5, 5_000, 5_000, 5 + 2, 5 + 2 + 5*3},
		{"files of 80 KB", 5, 1_000, 1_000, 5 + 1, 5 + 1 + 5},
		{"files of 20 KB", 5, 250, 250, 5, 5 + 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows := make([]wide, c.files*c.rows)
			f := rand.New(rand.NewPCG(1, 2)).Float64
			for i := range rows {
				rows[i] = wide{f(), int64(i % 2), f(), f(), f(), f(), f(), f(), f(), f()}
			}
			local := write(t, rows, c.files, c.group)
			clouds.Each(t, func(t *testing.T, bucket *clouds.Bucket) {
				bucket.Upload(t, local, "in/")
				cfg := parse(t, "task: binary\ninput: {columns: {label: label, score: score}}\nmetrics: [accuracy]\n", bucket.Name+"/in")
				cfg.Output.Dir = filepath.Join(t.TempDir(), "report")
				plan, err := Make(t.Context(), cfg)
				require.NoError(t, err)
				require.LessOrEqual(t, bucket.Reads.Load(), c.planning)
				require.NoError(t, execute(t.Context(), plan, "prism"))

				wanted := int64(c.rows) * evaluatedBytes
				require.LessOrEqual(t, bucket.Bytes.Load(), int64(c.files)*(wanted*115/100+256<<10))
				require.LessOrEqual(t, bucket.Reads.Load(), c.all)
				require.GreaterOrEqual(t, bucket.Bytes.Load(), int64(c.files)*wanted, "not everything was counted")
			})
			info, err := os.Stat(filepath.Join(local, "part-0.parquet"))
			require.NoError(t, err)
			require.Greater(t, info.Size(), int64(c.rows)*8*wideColumns)
		})
	}
}
