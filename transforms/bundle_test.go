package transforms

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/batches"
	"github.com/beameval/beameval/transforms/internal/curves"
	"github.com/beameval/beameval/transforms/internal/element"
	"github.com/beameval/beameval/transforms/internal/fold"
	"github.com/beameval/beameval/transforms/internal/workers"
)

// folded is what a bundle emits: the encoded partial of each slice.
type folded map[string]string

// collected returns a function that puts what is emitted into a map.
func collected(t testing.TB, into folded) func([]byte, element.Partial) {
	return func(key []byte, p element.Partial) {
		require.NotContains(t, into, string(key), "a slice is emitted once a bundle")
		p.Counts.Rows = 0 // of files, which differ
		data, err := p.Encode()
		require.NoError(t, err)
		into[string(key)] = string(data)
	}
}

// bundle folds shards as a runner would.
func bundle(ctx context.Context, t testing.TB, f *fold.Fn, shards ...input.Shard) (folded, error) {
	out := make(folded)
	for _, s := range shards {
		if err := foldShard(ctx, f, s); err != nil {
			return nil, err
		}
	}
	return out, failedIn(t, out, f.FinishBundle(ctx, collected(t, out), func(int, curves.Run) {}, nil))
}

// failedIn returns the error of a bundle or, if it has none, the bad row that ends
// the run, as the evaluation of what bundles emit does.
func failedIn(t testing.TB, out folded, err error) error {
	if err != nil || out[element.Overall] == "" {
		return err
	}
	p := mustDecode(t, out[element.Overall])
	if p.Counts.Failed == nil {
		return nil
	}
	return workers.Mark(p.Counts.Failed)
}

// foldedShards folds shards that have no bad rows.
func foldedShards(t testing.TB, spec Spec, shards ...input.Shard) folded {
	t.Helper()
	out, err := bundle(t.Context(), t, newFoldFn(spec), shards...)
	require.NoError(t, err)
	return out
}

func mustDecode(t testing.TB, data string) element.Partial {
	t.Helper()
	p, err := element.DecodePartial([]byte(data))
	require.NoError(t, err)
	return p
}

// foldShard gives a DoFn the task of a shard.
func foldShard(ctx context.Context, f *fold.Fn, s input.Shard, more ...element.TaskInput) error {
	key, in := fold.ShardTask(s)
	return f.ProcessElement(ctx, key, values(append(more, in)), nil, nil, nil)
}

// requireEqual compares what bundles emit; of a difference it says in which
// slices, not in which bytes.
func requireEqual(t testing.TB, want, got folded) {
	t.Helper()
	var differ []string
	for key, data := range want {
		if got[key] != data {
			differ = append(differ, sliceName(t, key))
		}
	}
	for key := range got {
		if _, ok := want[key]; !ok {
			differ = append(differ, sliceName(t, key))
		}
	}
	require.Empty(t, differ, "slices that differ")
}

// sliceName returns the slice of a key as people read it.
func sliceName(t testing.TB, encoded string) string {
	key, _, err := slice.Decode([]byte(encoded))
	require.NoError(t, err)
	return key.String()
}

func newFoldFn(spec Spec) *fold.Fn {
	f := &fold.Fn{Job: spec.job()}
	f.Setup()
	return f
}

// mergedBundles merges what bundles emitted.
func mergedBundles(t testing.TB, list ...folded) folded {
	sums := make(map[string]element.Partial)
	for _, b := range list {
		for key, data := range b {
			p := mustDecode(t, data)
			if _, ok := sums[key]; !ok {
				sums[key] = element.MergeFn{}.CreateAccumulator()
			}
			sums[key] = element.MergeFn{}.AddInput(sums[key], p)
		}
	}
	out := make(folded)
	for key, p := range sums {
		collected(t, out)([]byte(key), p)
	}
	return out
}

// TestBundles divides the same row groups among bundles of one DoFn instance:
// each gives what is its own, and together they give the whole.
func TestBundles(t *testing.T) {
	shard := written(t, drawExamples(300), 20)
	require.Equal(t, 15, shard.Groups)
	whole := foldedShards(t, binarySpec(t), shard)
	require.Len(t, whole, 1+4+12)

	f := newFoldFn(binarySpec(t))
	var list []folded
	for _, part := range [][2]int{{0, 5}, {5, 1}, {6, 9}} {
		s := shard
		s.First, s.Groups = part[0], part[1]
		got, err := bundle(t.Context(), t, f, s)
		require.NoError(t, err)
		list = append(list, got)
	}
	requireEqual(t, whole, mergedBundles(t, list...))

	nothing, err := bundle(t.Context(), t, f)
	require.NoError(t, err)
	require.Empty(t, nothing, "a bundle without elements")

	s, rest := shard, shard
	s.Groups = 7
	rest.First, rest.Groups = 7, 8
	got, err := bundle(t.Context(), t, f, rest, s)
	require.NoError(t, err)
	requireEqual(t, whole, got) // two elements of one bundle
}

// TestBundleAfterFailure: what a bundle left that failed here is not in the
// next. Harnesses do not use a DoFn again after a failure in another.
func TestBundleAfterFailure(t *testing.T) {
	rows := drawExamples(300)
	shard := written(t, rows, 20)
	want := foldedShards(t, binarySpec(t), shard)

	f := newFoldFn(binarySpec(t))
	rows[10].Score = 2
	_, err := bundle(t.Context(), t, f, shard, written(t, rows, 20))
	require.ErrorContains(t, err, "row group 0, row 10")
	got, err := bundle(t.Context(), t, f, shard)
	require.NoError(t, err)
	requireEqual(t, want, got)
}

// packed returns the tasks of predictions, of so many each.
func packedPredictions(t testing.TB, spec Spec, list []input.Prediction) (tasks []element.TaskInput) {
	f := &fold.PackFn{Spill: element.Spill{Dir: spec.TempDir}}
	emit := func(n int, in element.TaskInput) {
		require.Equal(t, len(tasks), n)
		tasks = append(tasks, through(t, in))
	}
	for _, p := range list {
		require.NoError(t, f.ProcessElement(p, emit))
	}
	require.NoError(t, f.FinishBundle(emit))
	return tasks
}

// foldedTasks folds tasks in one bundle, each with other inputs.
func foldedTasks(t testing.TB, spec Spec, tasks []element.TaskInput, emitRun func(int, curves.Run), others ...element.TaskInput) (folded, error) {
	f := newFoldFn(spec)
	defer f.Teardown()
	for i, task := range tasks {
		if err := f.ProcessElement(t.Context(), i, values(append(others, task)), nil, nil, nil); err != nil {
			return nil, err
		}
	}
	out := make(folded)
	return out, failedIn(t, out, f.FinishBundle(t.Context(), collected(t, out), emitRun, nil))
}

// TestPredictionBundles is TestBundles for predictions in memory, of more and of fewer than
// are folded at a time.
func TestPredictionBundles(t *testing.T) {
	rows := drawExamples(2*batches.Predictions + 10)
	s := scenario{spec: binarySpec(t), prediction: binaryPrediction}
	run := func(rows []example) folded { return foldPredictions(t, s, rows, len(rows)+1) }
	require.Len(t, packedPredictions(t, s.spec, s.predictions(rows)), 3)
	whole := run(rows)
	requireEqual(t, whole, mergedBundles(t, run(rows[:1]), run(rows[1:batches.Predictions+1]), run(nil), run(rows[batches.Predictions+1:])))
	require.EqualValues(t, len(rows), mustDecode(t, whole[element.Overall]).Counts.Read)
}
