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
	"github.com/beameval/beameval/transforms/internal/ingest"
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
func arranged[T any](t testing.TB, r *rand.Rand, a arrangement, rows []T) []Shard {
	t.Helper()
	shards, _ := placed(t, r, a, rows)
	return shards
}

// placed is arranged, and returns the place of each row.
func placed[T any](t testing.TB, r *rand.Rand, a arrangement, rows []T) ([]Shard, []report.SkippedRow) {
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
	found, err := FindShards(t.Context(), dir)
	require.NoError(t, err)
	var shards []Shard
	for _, s := range found {
		n := min(a.shards, s.Groups)
		for i := range n {
			part := s
			part.First, part.Groups = s.First+s.Groups*i/n, s.Groups*(i+1)/n-s.Groups*i/n
			shards = append(shards, part)
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

// throughCoder is a value as it arrives.
func throughCoder[E any](t testing.TB, e E, encode func(E) []byte, decode func([]byte) (E, error)) E {
	t.Helper()
	data := encode(e)
	back, err := decode(data)
	require.NoError(t, err)
	require.Equal(t, data, encode(back))
	return back
}

// assembly runs the steps of byExample as a runner would, but with everything in a
// random order.
type assembly struct {
	t    testing.TB
	r    *rand.Rand
	spec Spec

	out  []folded
	rest map[int][]taskPart // what is shuffled
}

func newAssembly(t testing.TB, r *rand.Rand, spec Spec) *assembly {
	return &assembly{t: t, r: r, spec: spec, rest: make(map[int][]taskPart)}
}

// run folds examples put together of rows; truth is nil if it is beside them.
func (a *assembly) run(shards, truth []Shard) (folded, error) {
	var err error
	if a.spec.truth == nil {
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

func (a *assembly) emitRows(part int, p taskPart) {
	require.Equal(a.t, part, p.Rows.Part)
	a.rest[part] = append(a.rest[part], throughCoder(a.t, p, encodeTaskPart, decodeTaskPart))
}

func (a *assembly) emit() func([]byte, partial) {
	out := make(folded)
	a.out = append(a.out, out)
	return collected(a.t, out)
}

func (a *assembly) scatter(shards []Shard, truth bool) error {
	return bundles(a.r, shards, func() (func(Shard) error, func() error) {
		f := &scatterFn{Spec: a.spec, Truth: truth}
		f.Setup()
		return func(s Shard) error { return f.ProcessElement(a.t.Context(), s, nil, nil) },
			func() error { return f.FinishBundle(a.t.Context(), a.emitRows, a.emit()) }
	})
}

// tasks returns the tasks of shards.
func (a *assembly) tasks(shards []Shard) (map[int][]taskPart, error) {
	byPart := make(map[int][]shardKeys)
	err := bundles(a.r, shards, func() (func(Shard) error, func() error) {
		f := &keysFn{Example: a.spec.Columns.Example, TempDir: a.spec.TempDir}
		emit := func(part int, k shardKeys) {
			byPart[part] = append(byPart[part], throughCoder(a.t, k, encodeShardKeys, decodeShardKeys))
		}
		return func(s Shard) error { return f.ProcessElement(a.t.Context(), s, emit) }, func() error { return f.FinishBundle(emit) }
	})
	if err != nil {
		return nil, err
	}
	of := make(map[int][]taskPart)
	emit := func(task int, p taskPart) {
		of[task] = append(of[task], throughCoder(a.t, p, encodeTaskPart, decodeTaskPart))
	}
	for _, s := range shards {
		emit(shardToTask(s))
	}
	for part, list := range byPart {
		if err := scatteredOf(part, values(list), emit); err != nil {
			return nil, err
		}
	}
	return of, nil
}

func (a *assembly) whole(shards []Shard) error {
	tasks, err := a.tasks(shards)
	if err != nil {
		return err
	}
	return a.fold(tasks)
}

func (a *assembly) parts() error { return a.fold(a.rest) }

func (a *assembly) fold(tasks map[int][]taskPart) error {
	return bundles(a.r, slices.Sorted(maps.Keys(tasks)), func() (func(int) error, func() error) {
		f := newFoldFn(a.spec)
		return func(key int) error {
				list := tasks[key]
				a.r.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
				return f.ProcessElement(a.t.Context(), key, values(list), nil, nil, nil)
			}, func() error {
				return f.FinishBundle(a.t.Context(), a.emit(), func(int, scoreRun) {}, a.emitRows)
			}
	})
}

// countsOf are the counts of merged partials, but for findings.
func countsOf(t testing.TB, merged folded) rowCounts {
	t.Helper()
	p, err := decodePartial([]byte(merged[overall]))
	require.NoError(t, err)
	p.counts.Found = ingest.Findings{}
	return p.counts
}

// withoutTruthCounts is merged partials without the counts of truth, which examples
// with labels beside have none of.
func withoutTruthCounts(t testing.TB, merged folded) folded {
	t.Helper()
	out := maps.Clone(merged)
	p, err := decodePartial([]byte(out[overall]))
	require.NoError(t, err)
	p.counts.TruthRead, p.counts.Unmatched = 0, 0
	out[overall] = encoded(t, p)
	return out
}

// everywhere runs a test for every arrangement, with one core or several, and for the
// last with both.
func everywhere(t *testing.T, test func(t *testing.T, r *rand.Rand, a arrangement)) {
	for i, a := range arrangements {
		t.Run(a.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, uint64(i)))
			if i%2 == 0 || i == len(arrangements)-1 {
				cores(t, 1)
				test(t, r, a)
			}
			if i%2 == 1 {
				cores(t, 4)
				test(t, r, a)
			}
		})
	}
}

// TestTruthElsewhere: labels from other files give what labels beside the
// predictions do, in every kind of task.
func TestTruthElsewhere(t *testing.T) {
	noLeaks(t)
	rows := examples(150)
	judged := append(slices.Clone(rows), examples(153)[150:]...) // three are without a prediction
	for i := range 3 {
		judged[150+i].ID = fmt.Sprint("other ", i)
	}
	beside := written(t, rows, 70)
	for _, s := range scenarios(t) {
		if vocab := s.spec.labels(); vocab.Len() == 0 || s.spec.counts() {
			continue // which are those of TestLayoutsInPipelines
		}
		t.Run(s.name, func(t *testing.T) {
			want, err := bundle(t.Context(), t, newFoldFn(s.spec), beside)
			require.NoError(t, err)
			spec := withTruth(s.spec)
			everywhere(t, func(t *testing.T, r *rand.Rand, a arrangement) {
				got, err := newAssembly(t, r, spec).run(arranged(t, r, a, rows), arranged(t, r, a, judged))
				require.NoError(t, err)
				requireEqual(t, want, withoutTruthCounts(t, got))
				counts := countsOf(t, got)
				require.Equal(t, rowCounts{Read: 150, TruthRead: 153, Unmatched: 3}, counts)
			})
		})
	}
}

// withTruth is a spec whose labels are in files of their own.
func withTruth(spec Spec) Spec {
	spec.truth = &Truth{Columns: Roles{Example: "id", Label: spec.Columns.Label}}
	spec.Columns.Example, spec.Columns.Label = "id", ""
	return spec
}
