package transforms

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
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
		spec   Spec
	}{
		{"binary, weighted, 5 slices", 1, Spec{
			Params: scores(metrics.Binary), Columns: Roles{Label: "label", Score: "score", Weight: "weight"},
			Decision: &Decision{Threshold: .5}, Slices: []Slice{by("country")},
		}},
		{"multilabel of 20", 20, Spec{
			Params: scores(metrics.Multilabel), Columns: Roles{Label: "label", Score: "score"},
			Encoding: Indices, Decision: &Decision{Threshold: .5}, Labels: NumberedLabels(20),
		}},
		{"multiclass of 10", 10, Spec{
			Params: scores(metrics.Multiclass), Columns: Roles{Label: "label", Score: "score"}, Labels: NumberedLabels(10),
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			spec := complete(b, c.spec)
			vocab := spec.labels()
			f, err := newFolder(spec, &vocab)
			require.NoError(b, err)
			in := randomBatch(&spec, c.labels)
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
func randomBatch(spec *Spec, labels int) *batch {
	r := rand.New(rand.NewPCG(1, 2))
	b := new(batch)
	b.Rows = batchValues / labels
	b.Label = &columns.Column{Type: columns.Int}
	b.Score = &columns.Column{Type: columns.Float}
	if labels > 1 {
		b.Score.Offsets = []int32{0}
	}
	if spec.Params.Task == metrics.Multilabel {
		b.Label.Offsets = []int32{0}
	}
	if spec.Columns.Weight != "" {
		b.Weight = &columns.Column{Type: columns.Float}
	}
	var countries []any
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
		if spec.Params.Task == metrics.Multiclass {
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
		countries = append(countries, []string{"de", "fr", "it", "jp", "us"}[r.IntN(5)])
	}
	if len(spec.Slices) > 0 {
		b.slices = []*columns.Column{columnOf(new(columns.Strings), countries...)}
		b.slices[0].Null = nil
	}
	return b
}
