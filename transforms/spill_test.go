package transforms

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/transforms/internal/batches"
	"github.com/beameval/beameval/transforms/internal/fold"
	"github.com/beameval/beameval/transforms/internal/ranges"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// filesIn are the files in a directory.
func filesIn(t testing.TB, dir string) []string {
	list, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	return list
}

// openFiles are the files in a directory that this process has open.
func openFiles(t testing.TB, dir string) []string {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("no list of open files:", err)
	}
	var list []string
	for _, e := range entries {
		if name, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && strings.HasPrefix(name, dir) {
			list = append(list, name)
		}
	}
	return list
}

// spilling is a spec whose scores are sorted and written often.
func spilling(t testing.TB, dir string) Spec {
	spec := binarySpec(t)
	spec.RangeBytes, spec.TempDir = 8*40, dir
	return spec
}

// TestFailedBundlesLeaveNoFiles: whether a bundle fails here or elsewhere.
func TestFailedBundlesLeaveNoFiles(t *testing.T) {
	noLeaks(t)
	dir := t.TempDir()
	rows := drawExamples(300)
	good := written(t, rows, 20)
	rows[290].Score = -1

	f := newFoldFn(spilling(t, dir))
	_, err := bundle(t.Context(), t, f, good, written(t, rows, 20))
	require.ErrorContains(t, err, "expected a probability")
	require.Empty(t, filesIn(t, dir))
	require.NoError(t, foldShard(t.Context(), f, good))
	f.Teardown()
	require.Empty(t, filesIn(t, dir))

	p := &fold.PackFn{Spill: shuffle.Spill{Dir: dir}}
	for range batches.Predictions {
		require.NoError(t, p.ProcessElement(binaryPrediction(&rows[0]), func(int, shuffle.TaskInput) {}))
	}
	require.Len(t, openFiles(t, dir), 1)
	p.Teardown()
	require.Empty(t, filesIn(t, dir))
	require.Empty(t, openFiles(t, dir))
}

// TestTempDirLost: data that cannot be written or are gone are errors of every
// step that needs them.
func TestTempDirLost(t *testing.T) {
	noLeaks(t)
	dir := filepath.Join(t.TempDir(), "temp")
	s := scenario{spec: spilling(t, dir), prediction: binaryPrediction}
	rows := drawExamples(200)
	_, err := bundle(t.Context(), t, newFoldFn(s.spec), written(t, rows, 20))
	require.ErrorContains(t, err, ErrorMark+"writing temporary data: ")

	require.NoError(t, os.Mkdir(dir, 0o700))
	_, pieces := foldedScores(t, s, sampledBounds(t, s, [][]example{rows}), [][]example{rows})
	require.Greater(t, len(pieces), 3)
	require.NotEmpty(t, filesIn(t, dir))
	require.Empty(t, openFiles(t, dir))

	trace := func() (err error) {
		f := newCollectFn(s.spec)
		for at, list := range pieces {
			if err = f.ProcessElement(t.Context(), at, values(list), nil); err != nil {
				return err
			}
		}
		return f.FinishBundle(t.Context(), collected(t, make(folded)))
	}
	require.NoError(t, trace())
	for _, name := range filesIn(t, dir) {
		require.NoError(t, os.Truncate(name, 100))
	}
	require.ErrorContains(t, trace(), "truncated")
	require.NoError(t, os.RemoveAll(dir))
	require.ErrorContains(t, trace(), ErrorMark+"reading temporary data: ")
}

// TestCollectTeardown: a bundle that failed elsewhere leaves no goroutines, and a
// range without scores has nothing to trace.
func TestCollectTeardown(t *testing.T) {
	noLeaks(t)
	s := scenario{spec: spilling(t, ""), prediction: binaryPrediction}
	rows := [][]example{drawExamples(200)}
	_, pieces := foldedScores(t, s, sampledBounds(t, s, rows), rows)
	f := newCollectFn(s.spec)
	for at, list := range pieces {
		require.NoError(t, f.ProcessElement(t.Context(), at, values(list), nil))
	}
	require.NoError(t, f.ProcessElement(t.Context(), 99, values([]ranges.Piece{{Labels: 2}}), nil))
	f.Teardown()
}
