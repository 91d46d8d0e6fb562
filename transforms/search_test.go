package transforms

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/prism"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/sliceline"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// searched are predictions that are bad where color is red, with sizes from 0 to 199.
func searched(n int) (list []input.Prediction) {
	for i := range n {
		p := input.Prediction{
			Example: fmt.Sprint(i), Labels: []string{fmt.Sprint(i * 7 % 2)}, Scores: []float64{.5 + .4*float64(i*7%2*2-1)},
			Slices: map[string]string{"color": []string{"red", "green", "blue"}[i%3], "size": fmt.Sprint(i % 200)},
		}
		if i%3 == 0 && i%5 > 0 {
			p.Scores[0] = 1 - p.Scores[0]
		}
		list = append(list, p)
	}
	return list
}

// TestSearchOfPredictions searches predictions in memory, whose columns have texts, also in the
// bundles that job servers need.
func TestSearchOfPredictions(t *testing.T) {
	for _, bundles := range []int{0, 70} {
		testSearch(t, bundles)
	}
}

func testSearch(t *testing.T, bundles int) {
	dir := filepath.Join(t.TempDir(), "out")
	p, s := beam.NewPipelineWithRoot()
	spec := Spec{
		Params: metrics.Params{Task: metrics.Binary, Scores: true}, Confidence: &Confidence{},
		Search: &Search{Columns: []SliceColumn{{Column: "color"}, {Column: "size", Quantiles: 4}}, Measure: "zero_one_loss", Level: 3, MinSupport: 20},
	}
	spec.Division.Lanes, spec.Division.Bundles = bundles, bundles > 0
	e, err := Predictions(s, spec, beam.CreateList(s, searched(3000)))
	require.NoError(t, err)
	e.WriteReport(s, Output{Dir: dir, Formats: report.Formats()})
	require.NoError(t, prism.Try(func() error { _, err := beam.Run(t.Context(), "prism", p); return err }))
	data, err := os.ReadFile(filepath.Join(dir, report.MetricsJSON))
	require.NoError(t, err)
	r, err := report.Read(data)
	require.NoError(t, err)
	require.Len(t, r.Search.Found, 1)
	f := r.Search.Found[0]
	require.Equal(t, "color=red", f.Key.String())
	require.True(t, f.Confirmed)
	require.InDelta(t, .8, f.Value, .05)
	require.Zero(t, f.Rest)
	require.Len(t, r.Search.LeftOut, 1) // slices that are red, too
}

func TestSearchRules(t *testing.T) {
	_, s := beam.NewPipelineWithRoot()
	list := beam.CreateList(s, searched(10))
	for why, change := range map[string]func(*Spec){
		"half of the folds confirm":                 func(s *Spec) { s.Confidence = nil },
		"with at least 20 Folds":                    func(s *Spec) { s.Confidence = &Confidence{Folds: 19} },
		"Search.Columns has 0 columns":              func(s *Spec) { s.Search.Columns = nil },
		`Search has column "color" twice`:           func(s *Spec) { s.Search.Columns = append(s.Search.Columns, s.Search.Columns[0]) },
		`Search.Measure is "mae"`:                   func(s *Spec) { s.Search.Measure = "mae" },
		"Search.Level is 7":                         func(s *Spec) { s.Search.Level = 7 },
		"Search.Top is 1001":                        func(s *Spec) { s.Search.Top = 1001 },
		"Search.MinSupport is -1":                   func(s *Spec) { s.Search.MinSupport = -1 },
		"Search.Alpha is 1.5":                       func(s *Spec) { s.Search.Alpha = 1.5 },
		"Search.MostValues is 1":                    func(s *Spec) { s.Search.MostValues = 1 },
		`Search: column "color" may have only Bins`: func(s *Spec) { s.Search.Columns[0].Values = []SliceValue{{Text: "red"}} },
	} {
		spec := Spec{Params: metrics.Params{Task: metrics.Binary, Scores: true}, Confidence: &Confidence{}, Search: &Search{Columns: []SliceColumn{{Column: "color"}}}}
		change(&spec)
		_, err := Predictions(s, spec, list)
		require.ErrorContains(t, err, why)
	}
}

// withSearches are partials with what each stage of a search collects.
func withSearches(t testing.TB) []shuffle.Partial {
	counts, e := sliceline.NewCounts(2, 2), &sliceline.Examples{Rows: []int32{0, 1, 2}, Numbers: [][]int32{{0, 1, 1}, {0, 0, 1}}, Errors: []float64{1, 2, 4}}
	for _, column := range []int{0, 1} {
		for _, value := range []string{"a", "b"} {
			_, ok := counts.Number(column, value)
			require.True(t, ok)
		}
	}
	counts.Add(e)
	plan, sums := counts.Plan(sliceline.Options{Alpha: .95, MinSupport: 1, Level: 2, Top: 3}, nil), new(sliceline.Sums)
	require.NotEmpty(t, plan.Best)
	tracker := sliceline.NewTracker(plan)
	for _, column := range tracker.Columns() {
		e.Numbers[column] = []int32{tracker.Code(column, "a"), tracker.Code(column, "b"), tracker.Code(column, "b")}
	}
	tracker.Add(sums, 3, e, nil)
	stats := make([]*metrics.Partial, len(plan.Best))
	for i := range stats {
		stats[i] = partials(t, scenarios(t)[0], drawExamples(3))[0].Stats
	}
	list := []shuffle.Partial{shuffle.NewPartial(), shuffle.NewPartial(), shuffle.NewPartial()}
	list[0].Search = &shuffle.Searched{Counts: counts}
	list[1].Search = &shuffle.Searched{Plan: plan, Sums: sums}
	list[2].Search = &shuffle.Searched{Plan: plan, Sums: sums, Stats: stats}
	return list
}

// TestSearchesAreMerged: merging leaves its inputs unchanged, and does not depend on the order.
func TestSearchesAreMerged(t *testing.T) {
	for _, p := range withSearches(t) {
		before := encoded(t, p)
		a, b := shuffle.NewPartial(), shuffle.NewPartial()
		q := through(t, p)
		a.Merge(&p)
		require.Equal(t, before, encoded(t, a))
		a.Merge(&q)
		b.Merge(&q)
		b.Merge(&p)
		require.Equal(t, encoded(t, a), encoded(t, b))
		require.Equal(t, before, encoded(t, p))
		require.NotEqual(t, before, encoded(t, a))
	}
}
