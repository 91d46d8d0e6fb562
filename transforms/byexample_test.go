package transforms

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/fold"
	"github.com/beameval/beameval/transforms/internal/ingest"
	"github.com/beameval/beameval/transforms/internal/join"
	"github.com/beameval/beameval/transforms/internal/ranges"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// arrangement is a way to lay rows out in files.
type arrangement struct {
	name                 string
	shuffle              bool
	files, group, shards int // group: rows of a row group; shards of each file
}

var arrangements = []arrangement{
	{"in order", false, 1, 1 << 20, 1},
	{"row groups cut examples", false, 1, 5, 1},
	{"shards cut examples", false, 1, 3, 4},
	{"files cut examples", false, 5, 1 << 20, 1},
	{"shuffled", true, 1, 1 << 20, 1},
	{"shuffled over files", true, 3, 9, 2},
}

// arranged writes rows to new files.
func arranged[T any](t testing.TB, r *rand.Rand, a arrangement, rows []T) []input.Shard {
	t.Helper()
	shards, _ := placed(t, r, a, rows)
	return shards
}

// placed is arranged, and returns the place of each row.
func placed[T any](t testing.TB, r *rand.Rand, a arrangement, rows []T) ([]input.Shard, []report.SkippedRow) {
	t.Helper()
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	if a.shuffle {
		order = r.Perm(len(rows))
	}
	dir, places := t.TempDir(), make([]report.SkippedRow, len(rows))
	for i := range a.files {
		name := filepath.Join(dir, fmt.Sprintf("%d.parquet", i))
		var list []T
		for at, from := range order[len(rows)*i/a.files : len(rows)*(i+1)/a.files] {
			list = append(list, rows[from])
			places[from] = report.SkippedRow{File: name, RowGroup: at / a.group, Row: int64(at % a.group)}
		}
		write(t, name, list, a.group)
	}
	found, err := input.FindShards(t.Context(), dir)
	require.NoError(t, err)
	var shards []input.Shard
	for _, s := range found {
		n := min(a.shards, s.RowGroups)
		for i := range n {
			some := s
			some.First, some.RowGroups = s.First+s.RowGroups*i/n, s.RowGroups*(i+1)/n-s.RowGroups*i/n
			shards = append(shards, some)
		}
	}
	return shards, places
}

// bundles runs DoFns on elements in a random order and in bundles of random sizes.
func bundles[E any](r *rand.Rand, list []E, begin func() (process func(E) error, finish func() error)) error {
	list = slices.Clone(list)
	r.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
	for len(list) > 0 {
		n := 1 + r.IntN(len(list))
		process, finish := begin()
		for _, e := range list[:n] {
			if err := process(e); err != nil {
				return err
			}
		}
		if err := finish(); err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

// assembly folds examples put together from rows as a runner would, but with everything
// in a random order, and by a random number of goroutines.
type assembly struct {
	t    testing.TB
	r    *rand.Rand
	spec Spec

	out  []folded
	rest map[int][]shuffle.TaskInput // what is shuffled
}

func newAssembly(t testing.TB, r *rand.Rand, spec Spec) *assembly {
	spec.Goroutines = 1 + r.IntN(4)
	return &assembly{t: t, r: r, spec: spec, rest: make(map[int][]shuffle.TaskInput)}
}

// run folds examples put together of rows; truth is nil if it is beside them.
func (a *assembly) run(shards, truth []input.Shard) (folded, error) {
	var err error
	if a.spec.Truth == nil {
		err = a.whole(shards)
	} else if err = a.scatter(shards, false); err == nil {
		err = a.scatter(truth, true)
	}
	if err == nil {
		err = a.parts()
	}
	if err != nil {
		return nil, err
	}
	out := mergedBundles(a.t, a.out...)
	return out, failedIn(a.t, out, nil)
}

func (a *assembly) emitRows(bucket int, p shuffle.TaskInput) {
	require.Equal(a.t, bucket, p.Rows.Bucket)
	a.rest[bucket] = append(a.rest[bucket], through(a.t, p))
}

func (a *assembly) emit() func([]byte, shuffle.Partial) {
	out := make(folded)
	a.out = append(a.out, out)
	return collected(a.t, out)
}

func (a *assembly) scatter(shards []input.Shard, truth bool) error {
	return bundles(a.r, shards, func() (func(input.Shard) error, func() error) {
		f := &join.ScatterFn{Job: asSettled(a.spec).Job, Side: map[bool]input.Side{true: input.OfTruth}[truth]}
		f.Setup()
		return func(s input.Shard) error { return f.ProcessElement(a.t.Context(), s, nil, nil) },
			func() error { return f.FinishBundle(a.t.Context(), a.emitRows, a.emit()) }
	})
}

// tasks returns the tasks of shards.
func (a *assembly) tasks(shards []input.Shard) (map[int][]shuffle.TaskInput, error) {
	byBucket := make(map[int][]shuffle.Spilled)
	err := bundles(a.r, shards, func() (func(input.Shard) error, func() error) {
		job := asSettled(a.spec).Job
		f := join.NewKeysFn(&job)
		f.Setup()
		emit := func(bucket int, k shuffle.Spilled) {
			byBucket[bucket] = append(byBucket[bucket], through(a.t, k))
		}
		return func(s input.Shard) error { return f.ProcessElement(a.t.Context(), s, emit) }, func() error { return f.FinishBundle(a.t.Context(), emit) }
	})
	if err != nil {
		return nil, err
	}
	of := make(map[int][]shuffle.TaskInput)
	emit := func(task int, p shuffle.TaskInput) {
		of[task] = append(of[task], through(a.t, p))
	}
	for _, s := range shards {
		emit(fold.ShardTask(s))
	}
	for bucket, list := range byBucket {
		if err := a.findScattered(bucket, list, emit); err != nil {
			return nil, err
		}
	}
	return of, nil
}

// findScattered finds the scattered examples of a bucket whose hashes arrive together or one by one.
func (a *assembly) findScattered(bucket int, list []shuffle.Spilled, emit func(int, shuffle.TaskInput)) error {
	if a.r.IntN(2) == 0 {
		return new(join.FindScatteredFn).ProcessElement(bucket, values(list), emit)
	}
	f := new(join.FindScatteredPerKeyFn)
	f.ProcessElement(nil, bucket, list[0], nil) // of a bundle that failed
	f.StartBundle(nil)
	for _, stored := range list {
		f.ProcessElement(nil, bucket, stored, nil)
	}
	return f.FinishBundle(emit)
}

func (a *assembly) whole(shards []input.Shard) error {
	tasks, err := a.tasks(shards)
	if err != nil {
		return err
	}
	return a.fold(tasks)
}

func (a *assembly) parts() error { return a.fold(a.rest) }

// fold folds tasks: in bundles of several, or one by one in bundles of their own.
func (a *assembly) fold(tasks map[int][]shuffle.TaskInput) error {
	keys, noScores := slices.Sorted(maps.Keys(tasks)), func(int, ranges.Piece) {}
	inputs := func(key int) []shuffle.TaskInput {
		list := append(tasks[key], oneRange)
		a.r.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
		return list
	}
	if a.r.IntN(2) == 0 {
		f := (&fold.Fn{Job: asSettled(a.spec).Job}).OneByOne().(*fold.PerKeyFn)
		f.Setup()
		defer f.Teardown()
		for _, key := range keys {
			f.ProcessElement(nil, key, tasks[key][0], nil, nil, nil) // of a bundle that failed
			f.StartBundle(nil, nil, nil)
			for _, in := range inputs(key) {
				f.ProcessElement(nil, key, in, nil, nil, nil)
			}
			if err := f.FinishBundle(a.t.Context(), a.emit(), noScores, a.emitRows); err != nil {
				return err
			}
		}
		return nil
	}
	return bundles(a.r, keys, func() (func(int) error, func() error) {
		f := newFoldFn(a.spec)
		return func(key int) error {
				return f.ProcessElement(a.t.Context(), key, values(inputs(key)), nil, nil, nil)
			}, func() error {
				return f.FinishBundle(a.t.Context(), a.emit(), noScores, a.emitRows)
			}
	})
}

// assembled folds examples put together from rows, and requires that no row is bad.
func assembled(t testing.TB, r *rand.Rand, spec Spec, shards, truth []input.Shard) folded {
	t.Helper()
	out, err := newAssembly(t, r, spec).run(shards, truth)
	require.NoError(t, err)
	return out
}

// countsOf are the counts of merged partials, but for findings.
func countsOf(t testing.TB, merged folded) shuffle.RowCounts {
	t.Helper()
	p := mustDecode(t, merged[shuffle.Overall])
	p.Counts.Found = ingest.Findings{}
	return p.Counts
}

// withoutTruthCounts is merged partials without the counts of truth, which examples
// with labels beside have none of.
func withoutTruthCounts(t testing.TB, merged folded) folded {
	t.Helper()
	out := maps.Clone(merged)
	p := mustDecode(t, out[shuffle.Overall])
	p.Counts.TruthRead, p.Counts.Unmatched = 0, 0
	out[shuffle.Overall] = encoded(t, p)
	return out
}

// everywhere runs a test for every arrangement.
func everywhere(t *testing.T, test func(t *testing.T, r *rand.Rand, a arrangement)) {
	for i, a := range arrangements {
		t.Run(a.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, uint64(i)))
			test(t, r, a)
		})
	}
}

// TestTruthElsewhere: labels from other files give what labels beside the
// predictions do, in every kind of task.
func TestTruthElsewhere(t *testing.T) {
	noLeaks(t)
	rows := drawExamples(80)
	judged := append(slices.Clone(rows), drawExamples(83)[80:]...) // three are without a prediction
	for i := range 3 {
		judged[80+i].ID = fmt.Sprint("other ", i)
	}
	beside := written(t, rows, 70)
	for _, s := range scenarios(t) {
		if vocab := asSettled(s.spec).Labels; vocab.Len() == 0 || asSettled(s.spec).countsLabels() {
			continue // which are those of TestLayoutsInPipelines
		}
		t.Run(s.name, func(t *testing.T) {
			want := foldedShards(t, s.spec, beside)
			spec := withTruth(s.spec)
			everywhere(t, func(t *testing.T, r *rand.Rand, a arrangement) {
				got := assembled(t, r, spec, arranged(t, r, a, rows), arranged(t, r, a, judged))
				requireEqual(t, want, withoutTruthCounts(t, got))
				counts := countsOf(t, got)
				require.Equal(t, shuffle.RowCounts{Read: 80, TruthRead: 83, Unmatched: 3}, counts)
			})
		})
	}
}

// withTruth is a spec whose labels are in files of their own.
func withTruth(spec Spec) Spec {
	spec.Truth = &Truth{Columns: input.Columns{Example: "id", Label: spec.Columns.Label}}
	spec.Columns.Example, spec.Columns.Label = "id", ""
	return spec
}
