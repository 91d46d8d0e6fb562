package transforms

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/transforms/internal/ingest"
)

// foldPredictions folds examples so many at a time.
func foldPredictions(t testing.TB, s scenario, rows []example, size int) folded {
	t.Helper()
	vocab := s.spec.labels()
	if vocab.Len() == 0 {
		vocab = Vocabulary{Names: labelNames}
	}
	f, err := newFolder(s.spec, &vocab)
	require.NoError(t, err)
	for chunk := range slices.Chunk(rows, size) {
		var list []Prediction
		for i := range chunk {
			list = append(list, s.prediction(&chunk[i]))
		}
		b := f.columnar(list)
		b.where = func(bad *ingest.Bad) report.SkippedRow { return report.SkippedRow{File: fmt.Sprint(bad.Row)} }
		require.NoError(t, f.fold(b))
	}
	out := make(folded)
	require.NoError(t, f.emit(collected(t, out)))
	return out
}

// TestFoldingOnceAndOften: many rows of a cell are folded once and merged into
// each slice, few are folded into each. Both come to the same bits.
func TestFoldingOnceAndOften(t *testing.T) {
	rows := examples(900)
	for _, s := range scenarios(t) {
		t.Run(s.name, func(t *testing.T) {
			at1 := foldPredictions(t, s, rows, 1)
			require.Len(t, at1, 1+4+12)
			requireEqual(t, at1, foldPredictions(t, s, rows, len(rows)))
			requireEqual(t, at1, foldPredictions(t, s, rows, 40))
		})
	}
}

// TestSlicesAddUp: the overall slice holds what the slices of a column do.
func TestSlicesAddUp(t *testing.T) {
	s := scenarios(t)[0]
	s.spec.Slices = []Slice{by("device")}
	out := foldPredictions(t, s, examples(500), 100)
	require.Len(t, out, 4)
	sum := mergeFn{}.CreateAccumulator()
	for key, data := range out {
		if key != overall {
			p, err := decodePartial([]byte(data))
			require.NoError(t, err)
			require.Zero(t, p.counts.Read, "only the overall slice has counts")
			sum = mergeFn{}.AddInput(sum, p)
		}
	}
	all, err := decodePartial([]byte(out[overall]))
	require.NoError(t, err)
	sum.counts.Read, sum.counts.Found = 500, all.counts.Found
	data, err := encodePartial(sum)
	require.NoError(t, err)
	require.True(t, out[overall] == string(data))
}

// TestMergedFolders: two folders merge to what one would have folded.
func TestMergedFolders(t *testing.T) {
	rows := examples(600)
	spec := binarySpec(t)
	spec.SkipBadRows = true
	for i := range 40 {
		rows[7*i].Score = -1
	}
	fold := func(parts ...[]example) folded {
		vocab := NumberedLabels(2)
		var all *folder
		for _, part := range parts {
			f, err := newFolder(spec, &vocab)
			require.NoError(t, err)
			var list []Prediction
			for i := range part {
				list = append(list, binaryPrediction(&part[i]))
			}
			b := f.columnar(list)
			b.where = func(bad *ingest.Bad) report.SkippedRow { return report.SkippedRow{File: list[bad.Row].Example} }
			require.NoError(t, f.fold(b))
			if all == nil {
				all = f
				continue
			}
			require.NoError(t, all.merge(f))
		}
		out := make(folded)
		require.NoError(t, all.emit(collected(t, out)))
		return out
	}
	want := fold(rows)
	requireEqual(t, want, fold(rows[:50], rows[50:400], rows[400:]))
	requireEqual(t, want, fold(rows[400:], rows[:1], rows[1:400]))
}
