package fold

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/batches"
	"github.com/beameval/beameval/transforms/internal/element"
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
		job    element.Job
	}{
		{"binary, weighted, 5 slices", 1, element.Job{
			Params: scores(metrics.Binary), Columns: input.Columns{Label: "label", Score: "score", Weight: "weight"},
			Labels: input.NumberedLabels(2), SliceSets: []element.SliceSet{{{Column: "country"}}},
		}},
		{"multilabel of 20", 20, element.Job{
			Params: scores(metrics.Multilabel), Columns: input.Columns{Label: "label", Score: "score"},
			Encoding: input.Indices, Labels: input.NumberedLabels(20),
		}},
		{"multiclass of 10", 10, element.Job{
			Params: scores(metrics.Multiclass), Columns: input.Columns{Label: "label", Score: "score"}, Labels: input.NumberedLabels(10),
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			j := &c.job
			j.Decision.Threshold, j.WorkerScores = .5, 2<<20
			j.Params.Bins, j.Params.LogLossEps, j.Params.Curves = 10, 0x1p-52, metrics.ExactCurves
			var err error
			j.Params.Metrics, err = j.Params.Select(nil, metrics.DefaultArguments())
			require.NoError(b, err)
			f, err := newFolder(*j, &j.Labels, new(firstBad))
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

// randomBatch draws as many rows as are read at a time. A tenth of the labels
// of a multilabel example are true; probabilities of classes add up to 1.
func randomBatch(j *element.Job, labels int) *batches.Batch {
	r := rand.New(rand.NewPCG(1, 2))
	b := new(batches.Batch)
	b.Rows = batches.Values / labels
	b.Label = &columns.Column{Type: columns.Int}
	b.Score = &columns.Column{Type: columns.Float}
	if labels > 1 {
		b.Score.Offsets = []int32{0}
	}
	if j.Params.Task == metrics.Multilabel {
		b.Label.Offsets = []int32{0}
	}
	if j.Columns.Weight != "" {
		b.Weight = &columns.Column{Type: columns.Float}
	}
	country := &columns.Column{Type: columns.String, Dict: new(columns.Strings)}
	for range b.Rows {
		first, total := len(b.Score.Floats), 0.
		for label := range labels {
			x := r.Float64()
			total += x
			b.Score.Floats = append(b.Score.Floats, x)
			if b.Label.Offsets != nil && r.IntN(10) == 0 {
				b.Label.Ints = append(b.Label.Ints, int64(label))
			}
		}
		switch {
		case b.Label.Offsets != nil:
			b.Label.Offsets = append(b.Label.Offsets, int32(len(b.Label.Ints)))
		default:
			b.Label.Ints = append(b.Label.Ints, r.Int64N(max(2, int64(labels))))
		}
		if j.Params.Task == metrics.Multiclass {
			for i := range b.Score.Floats[first:] {
				b.Score.Floats[first+i] /= total
			}
		}
		if labels > 1 {
			b.Score.Offsets = append(b.Score.Offsets, int32(len(b.Score.Floats)))
		}
		if b.Weight != nil {
			b.Weight.Floats = append(b.Weight.Floats, 2*r.Float64())
		}
		country.Codes = append(country.Codes, country.Dict.CodeOf([]string{"de", "fr", "it", "jp", "us"}[r.IntN(5)]))
	}
	if len(j.SliceSets) > 0 {
		b.Slices = []*columns.Column{country}
	}
	return b
}
