package transforms

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/prism"
	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/ranges"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// TestPredictionsWithoutColumns: the columns of predictions in memory need no
// names, but for the decisions of those that have scores too.
func TestPredictionsWithoutColumns(t *testing.T) {
	rows := drawExamples(50)
	for _, s := range scenarios(t) {
		list := s.predictions(rows)
		vocab := input.Vocabulary{Names: labelNames}
		want, err := predictionBundle(t, s.spec, vocab, list)
		require.NoError(t, err)
		if s.spec.Params.Scores {
			s.spec.Columns = input.Columns{Prediction: s.spec.Columns.Prediction}
		} else {
			s.spec.Columns = input.Columns{}
		}
		got, err := predictionBundle(t, s.spec, vocab, list)
		require.NoError(t, err)
		requireEqual(t, want, got)

		w := -1.
		list[7].Weight = &w
		_, err = predictionBundle(t, s.spec, vocab, list)
		require.ErrorContains(t, err, `example "example 7": column "Weight": -1: expected a weight of 0 or more`)
	}
}

// TestBadPredictions fail with the name of the example, or are skipped.
func TestBadPredictions(t *testing.T) {
	rows := drawExamples(10)
	for name, c := range map[string]struct {
		scenario string
		change   func(*input.Prediction)
		want     string
	}{
		"no label":    {"multiclass", func(p *input.Prediction) { p.Labels = nil }, `column "class": null: the label is missing`},
		"unknown":     {"multiclass", func(p *input.Prediction) { p.Labels = []string{"z"} }, `column "class": "z": not one of the 4 labels`},
		"few scores":  {"multiclass", func(p *input.Prediction) { p.Scores = p.Scores[:3] }, `column "chances": 3 scores: expected 4`},
		"no score":    {"binary", func(p *input.Prediction) { p.Scores = nil }, `column "score": 0 scores: expected 1`},
		"score":       {"binary", func(p *input.Prediction) { p.Scores = []float64{1.25} }, `column "score": 1.25 (element 0): expected a probability`},
		"sum":         {"multiclass, soft labels", func(p *input.Prediction) { p.Distribution = []float64{.5, .5, .5, 0} }, `column "chances": sum 1.5: expected probabilities of the classes that add up to 1`},
		"no classes":  {"multiclass, soft labels", func(p *input.Prediction) { p.Distribution = nil }, `column "chances": 0 values: expected 4`},
		"duplicate":   {"multilabel", func(p *input.Prediction) { p.Labels = []string{"a", "b", "a"} }, `column "labels": "a": the list names it twice`},
		"weight":      {"regression", func(p *input.Prediction) { w := -2.; p.Weight = &w }, `column "weight": -2: expected a weight of 0 or more`},
		"predictions": {"multiclass, labels found", func(p *input.Prediction) { p.Predicted = nil }, `column "guess": null: the prediction is missing`},
	} {
		t.Run(name, func(t *testing.T) {
			s := scenarioNamed(t, c.scenario)
			var list, good []input.Prediction
			for i := range rows {
				p := s.prediction(&rows[i])
				if i == 7 {
					c.change(&p)
				} else {
					good = append(good, p)
				}
				list = append(list, p)
			}
			vocab := s.spec.Labels
			if vocab.Len() == 0 {
				vocab = input.Vocabulary{Names: labelNames}
			}
			_, err := predictionBundle(t, s.spec, vocab, list)
			require.ErrorContains(t, err, ErrorMark+`example "example 7": `+c.want)
			require.ErrorContains(t, err, ErrorEnd)

			want, err := predictionBundle(t, s.spec, vocab, good)
			require.NoError(t, err)
			s.spec.SkipBadRows = true
			got, err := predictionBundle(t, s.spec, vocab, list)
			require.NoError(t, err)
			for key := range want {
				if key != shuffle.Overall {
					require.Equal(t, want[key], got[key], "a skipped row is in no slice")
				}
			}
			p := mustDecode(t, got[shuffle.Overall])
			require.EqualValues(t, 9, p.Stats.Examples())
			require.EqualValues(t, 10, p.Counts.Read)
			require.Len(t, p.Counts.Sample, 1)
			require.Equal(t, `example "example 7"`, p.Counts.Sample[0].File)
			require.Equal(t, map[string]int64{p.Counts.Sample[0].Reason: 1}, p.Counts.Skipped)
		})
	}
}

func scenarioNamed(t testing.TB, name string) scenario {
	for _, s := range scenarios(t) {
		if s.name == name {
			return s
		}
	}
	panic(fmt.Sprintf("no scenario %q", name))
}

// predictionBundle folds predictions as a runner would.
func predictionBundle(t testing.TB, spec Spec, vocab input.Vocabulary, list []input.Prediction) (folded, error) {
	labels, err := wire.Encode(&vocab, shuffle.VocabularyFields)
	require.NoError(t, err)
	packed := shuffle.TaskInput{Labels: &shuffle.Spilled{Bytes: labels}}
	named := asSettled(spec)
	named.nameFields()
	return foldedTasks(t, named.Spec, packedPredictions(t, spec, list), func(int, ranges.Piece) {}, packed, oneRange)
}

// TestJudgedPredictions: predictions in memory can have judgements of their classes, and need no label then.
func TestJudgedPredictions(t *testing.T) {
	list := []input.Prediction{
		{Labels: []string{"a"}, Predicted: []string{"a"}, Judged: []string{"a"}},
		{Labels: []string{"b"}, Predicted: []string{"a"}, Judged: []string{"b"}},
		{Predicted: []string{"b"}, Judged: []string{"b"}},
		{Predicted: []string{"b"}, Judged: []string{"c"}}, // a label that only judgements name
	}
	spec := Spec{Params: metrics.Params{Task: metrics.Multiclass, Decisions: true, Has: metrics.HasJudgedClass}, PerLabel: PerLabel{All: true}}
	dir := filepath.Join(t.TempDir(), "out")
	p, s := beam.NewPipelineWithRoot()
	e, err := Predictions(s, spec, beam.CreateList(s, list))
	require.NoError(t, err)
	e.WriteReport(s, Output{Dir: dir, Formats: report.Formats()})
	require.NoError(t, prism.Try(func() error { _, err := beam.Run(t.Context(), "prism", p); return err }))
	data, err := os.ReadFile(filepath.Join(dir, "metrics.csv"))
	require.NoError(t, err)
	for _, row := range []string{"judged_rows,{},,4,", "judged_mean,{},c,0.25,", "judge_agreement,{},,1,", "judged_accuracy,{},,0.5,"} {
		require.Contains(t, string(data), row)
	}
	list[3].Judged = nil
	_, err = predictionBundle(t, spec, input.Vocabulary{Names: []string{"a", "b", "c"}}, list)
	require.ErrorContains(t, err, `column "Judged": null: the judgement is missing`)
}
