package transforms

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/ranges"
	"github.com/beameval/beameval/transforms/internal/shuffle"
	"github.com/beameval/beameval/transforms/internal/workers"
)

// tied rounds the scores of examples, so that many are equal. The last label is
// true for none, and there is a device of a single example and one of the highest
// scores: slices with scores in few ranges.
func tied(rows []example) []example {
	r := rand.New(rand.NewPCG(3, 4))
	for i := range rows {
		e := &rows[i]
		e.Score = math.Round(8*e.Score) / 8
		clear(e.Chances)
		for range 8 {
			e.Chances[r.IntN(len(e.Chances))] += 1. / 8
		}
		for k := range e.Logits {
			e.Logits[k] = math.Round(e.Logits[k])
		}
		for k := range e.Ranked {
			e.Ranked[k].Score = math.Round(e.Ranked[k].Score)
		}
		e.Target = math.Round(e.Target)
		e.Estimate = math.Round(e.Estimate)
		last := labelNames[len(labelNames)-1]
		if e.Class == last {
			e.Class = labelNames[0]
		}
		e.Labels = slices.DeleteFunc(e.Labels, func(label string) bool { return label == last })
		switch {
		case i == 7:
			e.Device = "single"
		case e.Score == 1:
			e.Device = "high"
		}
	}
	return rows
}

// curveScenarios are the scenarios with exact curves.
func curveScenarios(t testing.TB) []scenario {
	var list []scenario
	for _, s := range scenarios(t) {
		vocab := asSettled(s.spec).Labels
		if spec := asSettled(s.spec).With(&vocab); spec.Params.Curving() {
			list = append(list, s)
		}
	}
	var names []string
	for _, s := range list {
		names = append(names, s.spec.Params.Metrics...)
	}
	require.Subset(t, names, []string{"roc_auc", "roc_auc_ovr_macro", "roc_auc_ovo_macro", "roc_auc_micro", "ndcg_micro", "median_absolute_error"})
	return list
}

// badRows makes every eleventh row one that cannot be evaluated.
func badRows(rows []example) []example {
	for i := 3; i < len(rows); i += 11 {
		rows[i].Weight = -1
	}
	return rows
}

// divided shuffles rows and divides them among parts of many sizes, one of
// them empty.
func divided(rows []example, parts int) [][]example {
	r := rand.New(rand.NewPCG(5, uint64(parts)))
	rows = slices.Clone(rows)
	r.Shuffle(len(rows), func(i, k int) { rows[i], rows[k] = rows[k], rows[i] })
	list := make([][]example, parts+1)
	for _, e := range rows {
		i := min(r.IntN(parts), r.IntN(parts))
		list[i] = append(list[i], e)
	}
	return list
}

// byKey are the values of keys, as a runner groups them.
type byKey[K comparable, V any] map[K][]V

func (g byKey[K, V]) add(key K, value V) { g[key] = append(g[key], value) }

// values iterates like a runner: into one variable.
func values[V any](list []V) func(*V) bool {
	all := workers.Elements[V](list)
	return all.Take()
}

// foldedScores folds the predictions of parts, a bundle each, and returns the merged partials, and by
// range the scores and totals.
func foldedScores(t testing.TB, s scenario, bounds shuffle.TaskInput, parts [][]example) (folded, byKey[int, ranges.Piece]) {
	var list []folded
	pieces := make(byKey[int, ranges.Piece])
	for _, rows := range parts {
		out, err := foldedTasks(t, s.spec, packedPredictions(t, s.spec, s.predictions(rows)), func(at int, p ranges.Piece) { pieces.add(at, through(t, p)) }, bounds)
		require.NoError(t, err)
		list = append(list, out)
	}
	merged, out := mergedBundles(t, list...), make(folded)
	f := &ranges.TotalsFn{Spill: shuffle.Spill{Dir: s.spec.TempDir}}
	passOn, tell := collected(t, out), func(at int, p ranges.Piece) { pieces.add(at, through(t, p)) }
	f.StartBundle(passOn, tell)
	for key, data := range merged {
		require.NoError(t, f.ProcessElement([]byte(key), mustDecode(t, data), passOn, tell))
	}
	require.NoError(t, f.FinishBundle(passOn, tell))
	f.Teardown()
	return out, pieces
}

// sampledBounds are bounds from samples of parts, a bundle each.
func sampledBounds(t testing.TB, s scenario, parts [][]example) shuffle.TaskInput {
	var samples []ranges.Sample
	emit := func(_ int, s ranges.Sample) { samples = append(samples, through(t, s)) }
	f := &ranges.SamplePredictionsFn{Job: asSettled(s.spec).Job}
	for _, rows := range parts {
		for _, p := range s.predictions(rows) {
			f.ProcessElement(p, emit)
		}
		f.FinishBundle(emit)
	}
	var given shuffle.TaskInput
	choose := &ranges.BoundsFn{RangeBytes: asSettled(s.spec).Job.RangeBytes, Division: s.spec.Division}
	choose.ProcessElement(0, values(samples), func(bounds shuffle.TaskInput) { given = through(t, bounds) })
	return given
}

func newCollectFn(spec Spec) *ranges.CollectFn {
	f := &ranges.CollectFn{Job: asSettled(spec).Job}
	f.Setup()
	return f
}

// tracedRanges traces ranges in bundles of at most the given size.
func tracedRanges(t testing.TB, spec Spec, pieces byKey[int, ranges.Piece], size int) []folded {
	var list []folded
	f := newCollectFn(spec)
	finish := func() {
		out := make(folded)
		require.NoError(t, f.FinishBundle(t.Context(), collected(t, out)))
		list = append(list, out)
	}
	n := 0
	for at, p := range pieces {
		require.NoError(t, f.ProcessElement(t.Context(), at, values(p), nil))
		if n++; n%size == 0 {
			finish()
		}
	}
	finish()
	f.Teardown()
	return list
}

// evaluatedBundles evaluates parts without a runner, a bundle each: the merged
// partials of the slices, and how many ranges there were.
func evaluatedBundles(t testing.TB, s scenario, parts ...[]example) (folded, int) {
	return evaluatedWithin(t, s, sampledBounds(t, s, parts), parts)
}

// evaluatedWithin is evaluatedBundles with ranges of these bounds.
func evaluatedWithin(t testing.TB, s scenario, bounds shuffle.TaskInput, parts [][]example) (folded, int) {
	others, pieces := foldedScores(t, s, bounds, parts)
	return mergedBundles(t, append(tracedRanges(t, s.spec, pieces, 5), others)...), len(pieces)
}

// rowsOfBundles are the metric rows of merged partials.
func rowsOfBundles(t testing.TB, spec Spec, b folded) map[string]string {
	vocab := asSettled(spec).Labels
	all := make(map[string]string)
	for key, data := range b {
		p := mustDecode(t, data)
		out := &evaluable{spec: settled{asSettled(spec).With(&vocab)}, vocab: &vocab}
		rows, _, err := out.rows(nil, &p)
		require.NoError(t, err)
		for _, row := range rows {
			label := ""
			if row.Label != nil {
				label = *row.Label
			}
			all[fmt.Sprintf("%s %s[%s]", sliceName(t, key), row.Name, label)] = rowText(row)
		}
	}
	return all
}

// TestRangesOfScores: metrics are the same however scores are divided among
// bundles, runs, ranges and files, with ties and without.
func TestRangesOfScores(t *testing.T) {
	t.Parallel()
	for name, rows := range map[string][]example{"distinct": badRows(drawExamples(120)), "tied": badRows(tied(drawExamples(120)))} {
		for _, s := range curveScenarios(t) {
			t.Run(s.name+", "+name, func(t *testing.T) {
				s.spec.SkipBadRows = true
				whole, ranges := evaluatedBundles(t, s, rows)
				want := rowsOfBundles(t, s.spec, whole)
				most := 0
				dir := t.TempDir()
				for _, c := range []struct {
					scores int // in a range
					dir    string
				}{{0, dir}, {7, ""}, {50, dir}} {
					s.spec.RangeBytes, s.spec.TempDir = 8*c.scores, c.dir
					got, n := evaluatedBundles(t, s, divided(rows, 4)...)
					require.Equal(t, want, rowsOfBundles(t, s.spec, got), "%v", c)
					most = max(most, n)
				}
				require.Greater(t, most, 2*ranges, "scores were divided")
				s.spec.RangeBytes = 8 * 20
				got, n := evaluatedWithin(t, s, oneRange, divided(rows, 4))
				require.Equal(t, want, rowsOfBundles(t, s.spec, got), "a range that is too large is traced in parts")
				require.Equal(t, 1, n)
			})
		}
	}
}

// TestBoundedCurves: bins of scores do not depend on how rows are divided either.
func TestBoundedCurves(t *testing.T) {
	t.Parallel()
	rows := badRows(tied(drawExamples(300)))
	for _, s := range curveScenarios(t) {
		if s.spec.Params.Task == metrics.Regression {
			continue // has exact medians only
		}
		t.Run(s.name, func(t *testing.T) {
			s.spec.Params.Metrics, s.spec.Params.Curves, s.spec.Params.CurveBins = nil, metrics.BoundedCurves, 20
			s.spec = complete(t, s.spec)
			s.spec.SkipBadRows = true
			whole, ranges := evaluatedBundles(t, s, rows)
			require.Zero(t, ranges, "no scores are sorted")
			got, _ := evaluatedBundles(t, s, divided(rows, 5)...)
			requireEqual(t, whole, got)
		})
	}
}

// TestInputsOnRunner: metrics of one file and of several, from files and from memory,
// through temporary files, with few ranges of scores and with many, are equal to the last
// bit.
func TestInputsOnRunner(t *testing.T) {
	t.Parallel()
	rows, dir := badRows(tied(drawExamples(200))), t.TempDir()
	one := written(t, rows, 30)
	var several []input.Shard
	for _, part := range divided(rows, 3) {
		if len(part) > 0 {
			several = append(several, written(t, part, 11))
		}
	}
	var names []string
	var evaluations []func(beam.Scope) Evaluation
	all := scenarios(t)
	if testing.Short() {
		all = all[:len(all)/2]
	}
	for _, s := range all {
		s.spec.SkipBadRows = true
		with := func(scores int, dir string) Spec {
			spec := s.spec
			spec.RangeBytes, spec.TempDir = 8*scores, dir
			return spec
		}
		names = append(names, s.name)
		evaluations = append(evaluations, inFiles(s.spec, one), inFiles(with(50, dir), several...), inMemory(with(9, ""), s.predictions(rows)))
	}
	got, err := rowsOf(t, evaluations...)
	require.NoError(t, err)
	require.NotEmpty(t, filesIn(t, dir))
	for i, name := range names {
		require.Greater(t, len(got[3*i]), 17*10, "17 slices")
		require.Equal(t, got[3*i], got[3*i+1], name)
		require.Equal(t, got[3*i], got[3*i+2], name)
	}
}

// TestTwoClasses: each of two classes is the positive one of its own curve, as it
// is of more.
func TestTwoClasses(t *testing.T) {
	rows := drawExamples(100)
	names := []string{"ham", "spam"}
	signed := func(e *example) []float64 { return []float64{-e.Score, e.Score} }
	two := scenario{
		spec: complete(t, Spec{
			Params: metrics.Params{Task: metrics.Multiclass, Scores: true, ScoreType: metrics.Logit, Decisions: true}, Labels: input.Vocabulary{Names: names},
		}),
		prediction: func(e *example) input.Prediction {
			return named(e, input.Prediction{Labels: []string{e.Mail}, Scores: signed(e)})
		},
	}
	b, _ := evaluatedBundles(t, two, rows)
	got := rowsOfBundles(t, two.spec, b)
	two.spec.RangeBytes = 8 * 10
	b, _ = evaluatedBundles(t, two, divided(rows, 3)...)
	require.Equal(t, got, rowsOfBundles(t, two.spec, b))

	for label, name := range names {
		one := scenario{
			spec: complete(t, Spec{
				Params: metrics.Params{Task: metrics.Binary, Scores: true, ScoreType: metrics.Logit, Decisions: true}, PositiveLabel: name,
			}),
			prediction: func(e *example) input.Prediction {
				return named(e, input.Prediction{Labels: []string{e.Mail}, Scores: signed(e)[label : label+1]})
			},
		}
		b, _ = evaluatedBundles(t, one, rows)
		want := rowsOfBundles(t, one.spec, b)
		require.Equal(t, valueOf(t, want, "overall average_precision[]"), valueOf(t, got, "overall average_precision["+name+"]"))
	}
}

// valueOf returns the value of one of the rows of bundles.
func valueOf(t testing.TB, rows map[string]string, name string) float64 {
	require.Contains(t, rows, name)
	row, err := rowOf(rows[name])
	require.NoError(t, err)
	return row.Value
}
