package fold

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/batches"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// BenchmarkFold folds batches of columns as they come from files, with every
// metric of the task.
func BenchmarkFold(b *testing.B) {
	scores := func(task metrics.Task) metrics.Params {
		return metrics.Params{Task: task, Scores: true, Decisions: true}
	}
	for _, c := range []struct {
		name   string
		labels int
		spec   input.Spec
	}{
		{"binary, weighted, 5 slices", 1, input.Spec{
			Params: scores(metrics.Binary), Columns: input.Columns{Label: "label", Score: "score", Weight: "weight"},
			Labels: input.NumberedLabels(2), Slices: []input.Slice{{{Column: "country"}}},
		}},
		{"multilabel of 20", 20, input.Spec{
			Params: scores(metrics.Multilabel), Columns: input.Columns{Label: "label", Score: "score"}, Encoding: input.Names,
			Labels: input.NumberedLabels(20),
		}},
		{"multiclass of 10", 10, input.Spec{
			Params: scores(metrics.Multiclass), Columns: input.Columns{Label: "label", Score: "score"}, Labels: input.NumberedLabels(10),
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			j := &shuffle.Job{Spec: c.spec}
			j.Decision, j.RangeBytes = &input.Decision{Threshold: .5}, 32<<20
			j.Params.Bins, j.Params.LogLossEps, j.Params.Curves = 10, 0x1p-52, metrics.ExactCurves
			var err error
			j.Params.Metrics, err = j.Params.Select(nil, metrics.DefaultArguments())
			require.NoError(b, err)
			f, err := newFolder(*j, &j.Labels, new(shuffle.Bounds), new(firstBad))
			require.NoError(b, err)
			in := randomBatch(j, c.labels)
			require.NoError(b, f.fold(in))
			b.ReportAllocs()
			for b.Loop() {
				if err := f.fold(in); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*float64(in.Rows)/b.Elapsed().Seconds()/1e6, "Mrows/s")
		})
	}
}

// randomBatch draws predictions for a batch. A tenth of the labels of a multilabel example
// are true; probabilities of classes add up to 1.
func randomBatch(j *shuffle.Job, labels int) *batches.Batch {
	r := rand.New(rand.NewPCG(1, 2))
	list := make([]input.Prediction, batches.Values/labels)
	for i := range list {
		p, weight, total := &list[i], 2*r.Float64(), 0.
		p.Weight, p.Slices = &weight, map[string]string{"country": []string{"de", "fr", "it", "jp", "us"}[r.IntN(5)]}
		for label := range labels {
			p.Scores = append(p.Scores, r.Float64())
			total += p.Scores[label]
			if j.Params.Task == metrics.Multilabel && r.IntN(10) == 0 {
				p.Labels = append(p.Labels, fmt.Sprint(label))
			}
		}
		if j.Params.Task != metrics.Multilabel {
			p.Labels = []string{fmt.Sprint(r.IntN(max(2, labels)))}
		}
		if j.Params.Task == metrics.Multiclass {
			for label := range p.Scores {
				p.Scores[label] /= total
			}
		}
	}
	return batches.OfPredictions(j, batches.NewSlicer(j).Columns, make(batches.Dictionaries), list)
}
