package transforms

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/batches"
	"github.com/beameval/beameval/transforms/internal/fold"
	"github.com/beameval/beameval/transforms/internal/ranges"
	"github.com/beameval/beameval/transforms/internal/shuffle"
	"github.com/beameval/beameval/transforms/internal/workers"
)

// folded is what a bundle emits: the encoded partial of each slice.
type folded map[string]string

// collected returns a function that puts emitted elements into a map.
func collected(t testing.TB, into folded) func([]byte, shuffle.Partial) {
	return func(key []byte, p shuffle.Partial) {
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
	return out, failedIn(t, out, f.FinishBundle(ctx, collected(t, out), func(int, ranges.Piece) {}, nil))
}

// failedIn returns the error of a bundle or, if it has none, the bad row that ends
// the run, as the evaluation of what bundles emit does.
func failedIn(t testing.TB, out folded, err error) error {
	if err != nil || out[shuffle.Overall] == "" {
		return err
	}
	p := mustDecode(t, out[shuffle.Overall])
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

func mustDecode(t testing.TB, data string) shuffle.Partial {
	t.Helper()
	p, err := shuffle.DecodePartial([]byte(data))
	require.NoError(t, err)
	return p
}

// oneRange are the bounds of a single range of scores.
var oneRange = shuffle.TaskInput{Bounds: new(shuffle.Bounds)}

// foldShard gives a DoFn the task of a shard.
func foldShard(ctx context.Context, f *fold.Fn, s input.Shard, more ...shuffle.TaskInput) error {
	key, in := fold.ShardTask(s)
	return f.ProcessElement(ctx, key, values(append(more, oneRange, in)), nil, nil, nil)
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
	f := &fold.Fn{Job: asSettled(spec).Job}
	f.Setup()
	return f
}

// mergedBundles merges what bundles emitted.
func mergedBundles(t testing.TB, list ...folded) folded {
	sums := make(map[string]*shuffle.Partial)
	for _, b := range list {
		for key, data := range b {
			p := mustDecode(t, data)
			if sums[key] == nil {
				sums[key] = new(shuffle.NewPartial())
			}
			sums[key].Merge(&p)
		}
	}
	out := make(folded)
	for key, p := range sums {
		collected(t, out)([]byte(key), *p)
	}
	return out
}

// TestBundles divides the same row groups among bundles of one DoFn instance:
// each bundle gives its own part, and together they give the whole.
func TestBundles(t *testing.T) {
	shard := written(t, drawExamples(300), 20)
	require.Equal(t, 15, shard.RowGroups)
	whole := foldedShards(t, binarySpec(t), shard)
	require.Len(t, whole, 1+4+12)

	f := newFoldFn(binarySpec(t))
	var list []folded
	for _, part := range [][2]int{{0, 5}, {5, 1}, {6, 9}} {
		s := shard
		s.First, s.RowGroups = part[0], part[1]
		got, err := bundle(t.Context(), t, f, s)
		require.NoError(t, err)
		list = append(list, got)
	}
	requireEqual(t, whole, mergedBundles(t, list...))

	nothing, err := bundle(t.Context(), t, f)
	require.NoError(t, err)
	require.Empty(t, nothing, "a bundle without elements")

	s, rest := shard, shard
	s.RowGroups = 7
	rest.First, rest.RowGroups = 7, 8
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
func packedPredictions(t testing.TB, spec Spec, list []input.Prediction) (tasks []shuffle.TaskInput) {
	f := &fold.PackFn{Spill: shuffle.Spill{Dir: spec.TempDir}}
	emit := func(n int, in shuffle.TaskInput) {
		require.Equal(t, len(tasks), n)
		tasks = append(tasks, through(t, in))
	}
	for _, p := range list {
		require.NoError(t, f.ProcessElement(p, emit))
	}
	require.NoError(t, f.FinishBundle(emit))
	return tasks
}

// foldedTasks folds tasks in one bundle, each with other inputs, and in further passes if it takes them.
func foldedTasks(t testing.TB, spec Spec, tasks []shuffle.TaskInput, emitScores func(int, ranges.Piece), others ...shuffle.TaskInput) (folded, error) {
	list, err := foldedPasses(t, spec, tasks, emitScores, others...)
	if err != nil || len(list) == 1 {
		return list[0], err
	}
	return mergedBundles(t, list...), nil
}

// foldedPasses is foldedTasks, and returns what each pass emits.
func foldedPasses(t testing.TB, spec Spec, tasks []shuffle.TaskInput, emitScores func(int, ranges.Piece), others ...shuffle.TaskInput) ([]folded, error) {
	f := newFoldFn(spec)
	defer f.Teardown()
	f.StartBundle(nil, nil, nil)
	for i, task := range tasks {
		if err := f.ProcessElement(t.Context(), i, values(append(others, task)), nil, nil, nil); err != nil {
			return []folded{nil}, err
		}
	}
	list, again := []folded{{}}, make(byKey[int, shuffle.TaskInput])
	emit := func(key []byte, p shuffle.Partial) {
		passOn, emitInput := collected(t, list[0]), func(lane int, in shuffle.TaskInput) { again.add(lane, through(t, in)) }
		new(fold.AgainFn).ProcessElement(key, through(t, p), passOn, emitInput)
	}
	if err := f.FinishBundle(t.Context(), emit, emitScores, nil); err != nil {
		return list, err
	}
	for key, inputs := range again {
		out := make(folded)
		require.NoError(t, f.ProcessElement(t.Context(), key, values(inputs), collected(t, out), nil, nil))
		list = append(list, out)
	}
	return list, failedIn(t, list[0], nil)
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
	require.EqualValues(t, len(rows), mustDecode(t, whole[shuffle.Overall]).Counts.Read)
}

// foldPredictions folds examples so many at a time.
func foldPredictions(t testing.TB, s scenario, rows []example, size int) folded {
	t.Helper()
	spec := s.spec
	if !asSettled(spec).labelled() {
		spec.Labels = input.Vocabulary{Names: labelNames}
	}
	var tasks []shuffle.TaskInput
	for chunk := range slices.Chunk(rows, size) {
		tasks = append(tasks, packedPredictions(t, spec, s.predictions(chunk))...)
	}
	out, err := foldedTasks(t, spec, tasks, func(int, ranges.Piece) {}, oneRange)
	require.NoError(t, err)
	return out
}

// TestFoldingOnceAndOften: many rows of a cell are folded once and merged into
// each slice, few are folded into each. Both come to the same bits.
func TestFoldingOnceAndOften(t *testing.T) {
	t.Parallel()
	rows := drawExamples(900)
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
	out := foldPredictions(t, s, drawExamples(500), 100)
	require.Len(t, out, 4)
	sum := shuffle.NewPartial()
	for key, data := range out {
		if key != shuffle.Overall {
			p := mustDecode(t, data)
			require.Zero(t, p.Counts.Read, "only the element.Overall slice has counts")
			sum.Merge(&p)
		}
	}
	all := mustDecode(t, out[shuffle.Overall])
	sum.Counts.Read, sum.Counts.Found = 500, all.Counts.Found
	data, err := sum.Encode()
	require.NoError(t, err)
	require.True(t, out[shuffle.Overall] == string(data))
}

// TestGoroutines: what several goroutines fold is merged to what one would have folded.
func TestGoroutines(t *testing.T) {
	rows := drawExamples(600)
	for i := range 40 {
		rows[7*i].Score = -1
	}
	s := scenario{spec: binarySpec(t), prediction: binaryPrediction}
	s.spec.SkipBadRows, s.spec.Goroutines = true, 1
	want := foldPredictions(t, s, rows, 600)
	for _, s.spec.Goroutines = range []int{2, 7} {
		requireEqual(t, want, foldPredictions(t, s, rows, 20))
	}
}

// slicesIn returns the slices of a bundle as people read them.
func slicesIn(t testing.TB, b folded) []string {
	var list []string
	for key := range b {
		list = append(list, sliceName(t, key))
	}
	return list
}

// TestHiveColumns: a folder's key is a slice column of files without a column of
// that name.
func TestHiveColumns(t *testing.T) {
	shard := written(t, drawExamples(50), 20)
	shard.Keys = []files.Key{{Name: "day", Value: "7"}, {Name: "device", Value: "from the folder"}}
	spec := binarySpec(t)
	spec.Slices = []Slice{by("day"), by("device")}
	got := foldedShards(t, spec, shard)
	require.ElementsMatch(t, []string{"overall", `day="7"`, "device=desk", "device=phone", `device="null"`}, slicesIn(t, got))

	shard.Keys = nil
	_, err := bundle(t.Context(), t, newFoldFn(spec), shard)
	require.ErrorContains(t, err, shard.File)
	require.ErrorContains(t, err, `no column "day"`)
}

// TestColumnOfTwoRoles: one column may be read for several roles and slices.
func TestColumnOfTwoRoles(t *testing.T) {
	spec := binarySpec(t)
	spec.Columns.Prediction = "mail"
	spec.Slices = []Slice{by("mail")}
	shard := written(t, drawExamples(50), 20)
	got := foldedShards(t, spec, shard)
	require.ElementsMatch(t, []string{"overall", "mail=ham", "mail=spam"}, slicesIn(t, got))
}

// TestRowNumbers counts rows within their row group, over batches.
func TestRowNumbers(t *testing.T) {
	type row struct {
		Label int64 `parquet:"label"`
	}
	rows := make([]row, 300)
	for _, i := range []int{5, 63, 64, 199, 200, 299} {
		rows[i].Label = -1
	}
	spec := complete(t, Spec{
		Params: metrics.Params{Task: metrics.Multiclass, Decisions: true}, Columns: input.Columns{Label: "label", Prediction: "label"},
		Labels: input.NumberedLabels(batches.Values), // so that a batch has few rows
	})
	shard := written(t, rows, 200)
	foldWith := func(skip bool) (folded, error) {
		spec.SkipBadRows = skip
		return bundle(t.Context(), t, newFoldFn(spec), shard)
	}
	got, err := foldWith(true)
	require.NoError(t, err)
	p := mustDecode(t, got[shuffle.Overall])
	var places []string
	for _, s := range p.Counts.Sample {
		require.Equal(t, report.SkippedRow{
			File: shard.File, RowGroup: s.RowGroup, Row: s.Row, Column: "label", Value: "-1", Reason: "label out of range",
		}, s)
		places = append(places, fmt.Sprint(s.RowGroup, ":", s.Row))
	}
	require.Equal(t, []string{"0:5", "0:63", "0:64", "0:199", "1:0", "1:99"}, places)
	require.EqualValues(t, 300, p.Counts.Read)
	require.EqualValues(t, 294, p.Stats.Examples())

	shard.First, shard.RowGroups = 1, 1
	_, err = foldWith(false)
	require.ErrorContains(t, err, shard.File+`: row group 1, row 0: column "label": -1: expected a label index from 0 to 32767`)
}
