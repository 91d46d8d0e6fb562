package synthetic

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var errFull = errors.New("disk full")

// fullDisk accepts a number of bytes.
type fullDisk struct{ left int }

func (d *fullDisk) Write(p []byte) (int, error) {
	if d.left -= len(p); d.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWriteFails(t *testing.T) {
	s := Spec{Rows: 50_000, Files: 20, RowGroupSize: 500}
	for _, room := range []int{0, 1000, 10_000} {
		_, err := Write(context.Background(), s, func(string) (io.Writer, error) { return &fullDisk{room}, nil })
		require.ErrorIs(t, err, errFull)
		require.ErrorContains(t, err, "part-000")
	}
	_, err := Write(context.Background(), s, func(name string) (io.Writer, error) {
		if name == ConfigFile {
			return nil, errFull
		}
		return io.Discard, nil
	})
	require.EqualError(t, err, "_evaluate.yaml: disk full")

	_, err = Write(context.Background(), Spec{Task: "x"}, nil)
	require.ErrorContains(t, err, "task: unknown value")
}

func TestWriteStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	files := 0
	_, err := Write(ctx, Spec{Rows: maxRows, RowGroupSize: 1e10}, func(string) (io.Writer, error) {
		files++
		cancel()
		return io.Discard, nil
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 1, files)
}

func BenchmarkWrite(b *testing.B) {
	for _, s := range []Spec{
		{Task: Binary, Rows: 1e6, Weights: true, Slices: []Slice{{"country", 5}}},
		{Task: Multilabel, Rows: 1e5, Float: 32, Slices: []Slice{{"country", 5}}},
		{Task: Multiclass, Rows: 2e5, Float: 32, Predictions: true},
		{Task: Multilabel, Layout: LayoutLabel, Rows: 1e6, Float: 32},
		{Task: Ranking, Layout: LayoutLabel, Rows: 1e6},
		{Task: Regression, Rows: 1e6},
	} {
		b.Run(strings.TrimSpace(s.Task+" "+s.Layout), func(b *testing.B) {
			for b.Loop() {
				_, err := Write(context.Background(), s, func(string) (io.Writer, error) { return io.Discard, nil })
				require.NoError(b, err)
			}
			b.ReportMetric(float64(s.Rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
