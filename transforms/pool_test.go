package transforms

import (
	"context"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/batches"
	"github.com/beameval/beameval/transforms/internal/join"
)

// counted is a context that counts, as a runner's does.
func counted(ctx context.Context) context.Context {
	return metrics.SetPTransformID(metrics.SetBundleID(ctx, "bundle"), "fold")
}

func counters(ctx context.Context) map[string]int64 {
	values := make(map[string]int64)
	for _, c := range metrics.ResultsExtractor(ctx).AllMetrics().Counters() {
		values[c.Name()] += c.Result()
	}
	return values
}

// noLeaks fails the test if goroutines are left at its end.
func noLeaks(t *testing.T) {
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		after := 0
		for range 200 {
			if after = runtime.NumGoroutine(); after <= before {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		stacks := make([]byte, 1<<20)
		t.Errorf("%d goroutines were running, now %d:\n%s", before, after, stacks[:runtime.Stack(stacks, true)])
	})
}

// TestCounters counts rows and row groups that many goroutines fold.
func TestCounters(t *testing.T) {
	shard := written(t, drawExamples(400), 2)
	spec := binarySpec(t)
	spec.Goroutines = 8
	for range 10 {
		ctx := counted(t.Context())
		_, err := bundle(ctx, t, newFoldFn(spec), shard, shard)
		require.NoError(t, err)
		require.Equal(t, map[string]int64{RowsCounter: 800, RowGroupsCounter: 400}, counters(ctx))
	}
}

// TestBadRowPasses: after a bad row that ends the run, only row groups before it are
// read.
func TestBadRowPasses(t *testing.T) {
	noLeaks(t)
	rows := drawExamples(1000)
	for _, i := range []int{995, 725, 728} {
		rows[i].Score = -1
	}
	shard := written(t, rows, 10)
	ctx := counted(t.Context())
	spec := binarySpec(t)
	spec.Goroutines = 1
	f := newFoldFn(spec)
	late, early := shard, shard
	late.First, late.RowGroups, early.RowGroups = 72, 28, 72
	got, err := bundle(ctx, t, f, late, early)
	require.EqualError(t, err, ErrorMark+shard.File+`: row group 72, row 5: column "score": -1: expected a probability within [0, 1]; `+
		`set Params.ScoreType to Logit or RawScore if these are not probabilities (set Spec.SkipBadRows to count and skip bad rows)`+ErrorEnd)
	require.Len(t, got, 1, "nothing else is emitted")
	require.Equal(t, map[string]int64{RowsCounter: 730, RowGroupsCounter: 73}, counters(ctx))
}

// TestBadRows end the bundle, in the middle of a shard whose row groups are still being
// queued, or in its last row group.
func TestBadRows(t *testing.T) {
	for i, want := range map[int]string{25: "row group 2, row 5: ", 999: "row group 99, row 9: "} {
		noLeaks(t)
		rows := drawExamples(1000)
		rows[i].Score = -1
		_, err := bundle(t.Context(), t, newFoldFn(binarySpec(t)), written(t, rows, 10))
		require.ErrorContains(t, err, want+`column "score": -1: expected a probability`)
	}
}

// TestTeardown: a bundle that failed elsewhere may be the last of a DoFn.
func TestTeardown(t *testing.T) {
	shard := written(t, drawExamples(100), 10)
	noLeaks(t)
	f := newFoldFn(binarySpec(t))
	require.NoError(t, foldShard(t.Context(), f, shard))
	f.Teardown()
	f.Teardown()
}

func TestMissingFile(t *testing.T) {
	noLeaks(t)
	good, gone := written(t, drawExamples(100), 10), written(t, drawExamples(10), 10)
	require.NoError(t, os.Remove(gone.File))
	_, err := bundle(t.Context(), t, newFoldFn(binarySpec(t)), good, gone)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, gone.File)

	_, err = labelsIn(t.Context(), gone, "class")
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, gone.File)
}

// grown is a shard whose file has changed since it was planned.
func grown(t *testing.T) (s input.Shard) {
	s = written(t, drawExamples(10), 10)
	file, err := os.OpenFile(s.File, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = file.WriteString("more")
	require.NoError(t, err)
	require.NoError(t, file.Close())
	return s
}

func TestChangedFile(t *testing.T) {
	noLeaks(t)
	shard := grown(t)
	_, fold := bundle(t.Context(), t, newFoldFn(binarySpec(t)), shard)
	_, labels := labelsIn(t.Context(), shard, "class")
	ids := &join.KeysFn{Example: "class"}
	ids.Setup()
	keys := ids.ProcessElement(t.Context(), shard, nil)
	if keys == nil {
		keys = ids.FinishBundle(t.Context(), nil)
	}
	for _, err := range []error{fold, labels, keys} {
		require.ErrorIs(t, err, files.ErrChanged)
		require.ErrorContains(t, err, ErrorMark+shard.File+": the file has changed since the run was planned: ")
	}
}

// TestFileChangesWhileRead: what was read before the change and after it is nothing.
func TestFileChangesWhileRead(t *testing.T) {
	shard := written(t, drawExamples(100), 10)
	content, err := os.ReadFile(shard.File)
	require.NoError(t, err)
	open, file, err := batches.Open(t.Context(), shard)
	require.NoError(t, err)
	defer file.Close()
	n := 0
	reader := batches.Reader{Names: []string{"class"}, Dicts: make(batches.Dictionaries), Rows: 2}
	err = reader.Read(t.Context(), open, 3, func(*columns.Numbers, int, []*columns.Column) error {
		if n++; n == 1 {
			require.NoError(t, os.WriteFile(shard.File, content, 0o600))
			later := time.Now().Add(time.Second)
			require.NoError(t, os.Chtimes(shard.File, later, later))
		}
		return nil
	})
	require.Equal(t, 5, n)
	require.ErrorIs(t, err, files.ErrChanged)
}

func TestDamagedFile(t *testing.T) {
	noLeaks(t)
	shard := written(t, drawExamples(10), 10)
	require.NoError(t, os.WriteFile(shard.File, make([]byte, 1000), 0o600))
	shard.Version = ""
	_, err := bundle(t.Context(), t, newFoldFn(binarySpec(t)), shard)
	require.ErrorContains(t, err, shard.File+": not a Parquet file")
}

func TestCancelledContext(t *testing.T) {
	shard := written(t, drawExamples(100), 1)
	noLeaks(t)
	ctx, cancel := context.WithCancel(t.Context())
	f := newFoldFn(binarySpec(t))
	require.NoError(t, foldShard(ctx, f, shard))
	cancel()
	require.ErrorIs(t, foldShard(ctx, f, shard), context.Canceled)

	_, err := bundle(ctx, t, f, shard)
	require.ErrorIs(t, err, context.Canceled)
	_, err = labelsIn(ctx, shard, "class")
	require.ErrorIs(t, err, context.Canceled)
}

// TestWrongColumns: columns that are not what the spec says are errors that
// name the file, not panics.
func TestWrongColumns(t *testing.T) {
	noLeaks(t)
	shard := written(t, drawExamples(10), 10)
	for want, columns := range map[string]input.Columns{
		`no column "grade"`: {Label: "mail", Score: "grade"},
		`column "class" is string: the score of task binary must be of numbers`:             {Label: "mail", Score: "class"},
		`column "labels" is list<string>: the label of task binary must be one value a row`: {Label: "labels", Score: "score"},
		`no score column`: {Label: "mail"},
	} {
		spec := binarySpec(t)
		spec.Columns = columns
		_, err := bundle(t.Context(), t, newFoldFn(spec), shard)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, shard.File)
	}
}
