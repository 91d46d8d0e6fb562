package transforms

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
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

func TestSpill(t *testing.T) {
	for _, dir := range []string{"", t.TempDir()} {
		s := &spill{dir: dir}
		data := []byte("first")
		first, err := s.write(data)
		require.NoError(t, err)
		copy(data, "xxxxx") // the caller reuses it
		none, err := s.write(nil)
		require.NoError(t, err)
		second, err := s.write([]byte("the second"))
		require.NoError(t, err)
		require.NoError(t, s.close())
		require.NoError(t, s.close())
		later, err := s.write([]byte("later"))
		require.NoError(t, err)
		require.NoError(t, s.close())
		s.abandon() // nothing since
		for want, at := range map[string]spilled{"first": first, "": none, "the second": second, "later": later} {
			require.Equal(t, dir == "", at.File == "")
			got, err := at.read()
			require.NoError(t, err)
			require.Equal(t, want, string(got))
		}
		if dir != "" {
			require.Len(t, filesIn(t, dir), 2, "a file each time")
			require.Empty(t, openFiles(t, dir))
		}
	}
}

func TestSpillErrors(t *testing.T) {
	dir := t.TempDir()
	_, err := (&spill{dir: filepath.Join(dir, "none")}).write([]byte("x"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, "writing temporary data: ")

	s := &spill{dir: dir}
	at, err := s.write([]byte("12345"))
	require.NoError(t, err)
	require.NoError(t, s.close())
	require.NoError(t, os.Truncate(at.File, 4))
	_, err = at.read()
	require.ErrorContains(t, err, "reading temporary data: "+at.File+": truncated: ")
	for _, wrong := range []spilled{{File: at.File, Offset: -1, Size: 2}, {File: at.File, Size: -1}, {File: at.File, Offset: 1 << 62, Size: 1 << 62}} {
		_, err = wrong.read()
		require.ErrorContains(t, err, "truncated")
	}
	require.NoError(t, os.Remove(at.File))
	_, err = at.read()
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// spilling is a spec whose scores are sorted and written often.
func spilling(t testing.TB, dir string) Spec {
	spec := binarySpec(t)
	spec.WorkerScores, spec.TempDir = 40, dir
	return spec
}

// TestFailedBundlesLeaveNoFiles: whether a bundle fails here or elsewhere.
func TestFailedBundlesLeaveNoFiles(t *testing.T) {
	noLeaks(t)
	dir := t.TempDir()
	rows := examples(300)
	good := written(t, rows, 20)
	rows[290].Score = -1

	f := newFoldFn(spilling(t, dir))
	_, err := bundle(t.Context(), t, f, good, written(t, rows, 20))
	require.ErrorContains(t, err, "expected a probability")
	require.Empty(t, filesIn(t, dir))
	require.NoError(t, foldShard(t.Context(), f, good))
	f.Teardown()
	require.Empty(t, filesIn(t, dir))

	p := &foldPredictionsFn{Spec: spilling(t, dir)}
	p.Setup()
	fold := func(rows []example) {
		for range predictionBatch {
			require.NoError(t, p.ProcessElement(t.Context(), binaryPrediction(&rows[0]), nil, nil))
		}
	}
	fold(rows)
	require.Len(t, openFiles(t, dir), 1)
	require.NoError(t, p.ProcessElement(t.Context(), binaryPrediction(&rows[290]), nil, nil))
	out := make(folded)
	require.ErrorContains(t, failedIn(t, out, p.FinishBundle(t.Context(), collected(t, out), nil)), "expected a probability")
	require.Empty(t, filesIn(t, dir))
	fold(rows)
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
	rows := examples(200)
	_, err := bundle(t.Context(), t, newFoldFn(s.spec), written(t, rows, 20))
	require.ErrorContains(t, err, ErrorMark+"writing temporary data: ")

	require.NoError(t, os.Mkdir(dir, 0o700))
	_, scoreRuns := foldedScores(t, s, [][]example{rows})
	pieces := cutPieces(t, s.spec, scoreRuns)
	require.Greater(t, len(pieces), 3)
	require.Len(t, filesIn(t, dir), 2)
	require.Empty(t, openFiles(t, dir))

	cut := func() error {
		f := &cutFn{TempDir: dir}
		defer f.Teardown()
		return f.ProcessElement(0, values([]labelCuts{{Bounds: []uint64{1 << 63}}}), values(scoreRuns[0]), func(labelRange, piece) {})
	}
	sweep := func() (err error) {
		f := &sweepFn{Params: s.spec.Params}
		for at, list := range pieces {
			if err = f.ProcessElement(t.Context(), at, values(list), nil); err != nil {
				return err
			}
		}
		return f.FinishBundle(t.Context(), nil)
	}
	require.NoError(t, cut())
	for _, name := range filesIn(t, dir) {
		require.NoError(t, os.Truncate(name, 100))
	}
	require.ErrorContains(t, cut(), "truncated")
	require.ErrorContains(t, sweep(), "truncated")
	require.NoError(t, os.RemoveAll(dir))
	require.ErrorContains(t, cut(), ErrorMark+"reading temporary data: ")
	require.ErrorContains(t, sweep(), ErrorMark+"reading temporary data: ")
}

// TestSweepTeardown: a bundle that failed elsewhere leaves no goroutines, and a
// range without scores is an error.
func TestSweepTeardown(t *testing.T) {
	noLeaks(t)
	s := scenario{spec: spilling(t, ""), prediction: binaryPrediction}
	_, scoreRuns := foldedScores(t, s, [][]example{examples(200)})
	f := &sweepFn{Params: s.spec.Params}
	for at, list := range cutPieces(t, s.spec, scoreRuns) {
		require.NoError(t, f.ProcessElement(t.Context(), at, values(list), nil))
	}
	err := f.ProcessElement(t.Context(), labelRange{3, 2}, values[piece](nil), nil)
	require.EqualError(t, err, ErrorMark+"no scores in range 2 of label 3"+ErrorEnd)
	require.Nil(t, f.pool)
	f.Teardown()
}
