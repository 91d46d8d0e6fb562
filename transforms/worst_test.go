package transforms

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/prism"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// TestWorstOfScenarios: the worst examples of every kind of task are the same however predictions
// are divided, have ids but no places, and are sorted.
func TestWorstOfScenarios(t *testing.T) {
	rows := drawExamples(300)
	for _, s := range scenarios(t) {
		t.Run(s.name, func(t *testing.T) {
			prediction := s.prediction
			s.prediction = func(e *example) input.Prediction {
				p := prediction(e)
				p.Example = e.ID
				return p
			}
			s.spec.Worst = &Worst{Count: 5, PerSlice: true, PerLabel: s.spec.Params.Task&naming != 0}
			all := foldPredictions(t, s, rows, len(rows))
			requireEqual(t, all, foldPredictions(t, s, rows, 7))
			for key, data := range all {
				w := mustDecode(t, data).Worst
				require.NotNil(t, w, sliceName(t, key))
				require.Len(t, w.Lists[shuffle.AllLabels], 5)
				require.Equal(t, s.spec.Worst.PerLabel, len(w.Lists) > 1)
				last := math.Inf(1)
				for _, e := range w.Lists[shuffle.AllLabels] {
					require.Greater(t, e.Loss, 0.)
					require.LessOrEqual(t, e.Loss, last)
					last = e.Loss
					require.NotEmpty(t, e.ID.Text())
					require.Empty(t, e.At)
				}
			}
		})
	}
}

// TestWorstOfPredictions: a report of predictions in memory lists their Example, if they have one,
// and no places.
func TestWorstOfPredictions(t *testing.T) {
	weight := 0.
	list := []input.Prediction{
		{Example: "b", Labels: []string{"1"}, Scores: []float64{.25}}, {Example: "a", Labels: []string{"0"}, Scores: []float64{.75}},
		{Example: "free", Labels: []string{"1"}, Scores: []float64{0}, Weight: &weight}, {Labels: []string{"1"}, Scores: []float64{.125}}, {Example: "good", Labels: []string{"1"}, Scores: []float64{.9}},
	}
	dir := filepath.Join(t.TempDir(), "out")
	p, s := beam.NewPipelineWithRoot()
	e, err := Predictions(s, Spec{Params: metrics.Params{Task: metrics.Binary, Scores: true}, Worst: &Worst{Count: 3}}, beam.CreateList(s, list))
	require.NoError(t, err)
	e.WriteReport(s, Output{Dir: dir, Formats: report.Formats()})
	require.NoError(t, prism.Try(func() error { _, err := beam.Run(t.Context(), "prism", p); return err }))
	data, err := os.ReadFile(filepath.Join(dir, "worst_examples.csv"))
	require.NoError(t, err)
	lines, err := csv.NewReader(strings.NewReader(string(data))).ReadAll()
	require.NoError(t, err)
	var found []string
	for _, line := range lines[1:] {
		found = append(found, strings.Join(line[3:5], " ")+" "+strings.Join(line[6:], " "))
	}
	require.Equal(t, []string{"1  1 0 0.125", "2 a 0 1 0.75", "3 b 1 0 0.25"}, found)
	run, err := os.ReadFile(filepath.Join(dir, report.RunJSON))
	require.NoError(t, err)
	require.NotContains(t, string(run), "worst_examples")
}

// TestChangedOfPredictions: a report of predictions in memory lists what broke and what was mended. Equal
// changes are sorted by the margin of the wrong prediction, and what weighs nothing is left out.
func TestChangedOfPredictions(t *testing.T) {
	weight := 0.
	of := func(id, label string, old, now float64) input.Prediction {
		return input.Prediction{Example: id, Labels: []string{label}, Scores: []float64{now}, BaselineScores: []float64{old}}
	}
	free := of("free", "1", 1, 0)
	free.Weight = &weight
	list := []input.Prediction{of("same", "1", .5, 1), of("b", "1", .75, .25), of("a", "0", .375, .875), free, of("", "0", .25, 1), of("mended", "0", .5, 0), of("wrong", "0", .5, 1)}
	dir := filepath.Join(t.TempDir(), "out")
	p, s := beam.NewPipelineWithRoot()
	spec := Spec{Params: metrics.Params{Task: metrics.Binary, Scores: true}, Columns: input.Columns{Score: "Scores", BaselineScore: "BaselineScores"}, Changed: &Worst{Count: 3}}
	e, err := Predictions(s, spec, beam.CreateList(s, list))
	require.NoError(t, err)
	e.WriteReport(s, Output{Dir: dir, Formats: report.Formats()})
	require.NoError(t, prism.Try(func() error { _, err := beam.Run(t.Context(), "prism", p); return err }))
	data, err := os.ReadFile(filepath.Join(dir, "changed_examples.csv"))
	require.NoError(t, err)
	require.Equal(t, `name,slice,label,rank,example,true,baseline_predicted,predicted,baseline_score,score,change
regression,{},,1,,0,0,1,0.25,1,0.75
regression,{},,2,a,0,0,1,0.375,0.875,0.5
regression,{},,3,b,1,1,0,0.75,0.25,0.5
improvement,{},,1,mended,0,1,0,0.5,0,0.5
`, string(data))
}

// TestTooManyWorstInAll: each slice has few enough, but together they may be too many.
func TestTooManyWorstInAll(t *testing.T) {
	s := scenarioNamed(t, "multiclass")
	s.spec.Params.Metrics, s.spec.Params.Curves = []string{"accuracy"}, ""
	s.spec.Worst = &Worst{Count: shuffle.MostWorst, PerSlice: true}
	vocab := asSettled(s.spec).Labels
	vocab.Prepare()
	full := make([]shuffle.WorstExample, shuffle.MostWorst)
	folded := foldPredictions(t, s, drawExamples(100), 100)
	for _, more := range []int{0, 1} {
		out := &evaluable{spec: settled{asSettled(s.spec).With(&vocab)}, vocab: &vocab}
		for key, data := range folded {
			p := mustDecode(t, data)
			p.Worst = &shuffle.Worst{Count: len(full), Lists: map[int32][]shuffle.WorstExample{shuffle.AllLabels: full}}
			if key == shuffle.Overall {
				for label := range shuffle.MostWorstInAll/len(full) - len(folded) + more {
					p.Worst.Lists[int32(label)] = full
				}
			}
			require.NoError(t, out.add(&outcomeElement{Slice: []byte(key), Partial: []byte(encoded(t, p))}))
		}
		r, _, err := (&writeFn{Spec: *asSettled(s.spec)}).report(t.Context(), out)
		if more == 0 {
			require.NoError(t, err)
			require.Len(t, r.Worst, shuffle.MostWorstInAll)
		} else {
			require.EqualError(t, err, "listed examples: those of all labels and slices are more than 200000: in Spec.Worst, lower count, or leave label or slice out of per")
		}
	}
}
