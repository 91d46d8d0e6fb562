package transforms

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
)

// TestEvaluatedSlices: a report is the same whether the writer computes the metrics or gets them, for all
// tasks, with and without intervals, score histograms included.
func TestEvaluatedSlices(t *testing.T) {
	for _, s := range withBaselines(scenarios(t)) {
		if !asSettled(s.spec).labelled() {
			continue
		}
		for _, confidence := range []*Confidence{nil, {Folds: 12}} {
			s := s
			s.spec.Confidence, s.spec.Params.ScoreHistograms = confidence, true
			complete, err := settle(s.spec, true)
			require.NoError(t, err)
			s.spec = complete.Spec
			all, _ := evaluatedBundles(t, s, drawExamples(120))
			vocab := asSettled(s.spec).Labels
			vocab.Prepare()
			var dirs []string
			for _, evaluated := range []bool{false, true} {
				out := &evaluable{spec: settled{asSettled(s.spec).With(&vocab)}, vocab: &vocab}
				require.NoError(t, out.spec.Params.Complete())
				if confidence != nil {
					out.without, err = jackknives(&out.spec.Params, s.spec.Confidence.Metrics)
					require.NoError(t, err)
				}
				out.baseline, err = out.ofBaseline()
				require.NoError(t, err)
				for key, data := range all {
					e := outcomeElement{Slice: []byte(key), Partial: []byte(data)}
					if evaluated {
						p := mustDecode(t, data)
						e, err = out.evaluated([]byte(key), p)
						require.NoError(t, err)
						require.NotEmpty(t, e.Rows)
						require.Equal(t, data, encoded(t, p), "the partial is unchanged")
					}
					require.NoError(t, out.add(&e))
				}
				slices.SortFunc(out.slices, func(a, b sliceStatistics) int { return a.key.Compare(b.key) })
				dir := filepath.Join(t.TempDir(), "report")
				require.NoError(t, (&writeFn{Spec: *asSettled(s.spec), Output: Output{Dir: dir, Formats: report.Formats(), ID: "a run"}}).write(t.Context(), out))
				dirs = append(dirs, dir)
			}
			names := requireSameFiles(t, dirs[0], dirs[1])
			require.Equal(t, s.spec.Params.Has&metrics.HasBaseline != 0, slices.Contains(names, "differences.parquet"))
		}
	}
}

// withBaselines adds scenarios with the scores of a baseline: the model's in reverse order.
func withBaselines(list []scenario) []scenario {
	for _, s := range list {
		if p := &s.spec.Params; p.Task&(metrics.Binary|metrics.Multiclass) == 0 || !p.Scores || p.Sparse {
			continue
		}
		prediction := s.prediction
		s.name, s.spec.Columns.BaselineScore = s.name+", baseline", "old"
		s.prediction = func(e *example) input.Prediction {
			p := prediction(e)
			if p.BaselineScores = slices.Clone(p.Scores); len(p.Scores) == 1 {
				p.BaselineScores[0] = 1 - p.Scores[0]
			}
			slices.Reverse(p.BaselineScores)
			return p
		}
		list = append(list, s)
	}
	return list
}

// requireSameFiles requires that two reports have the same files with the same bytes, except run.json,
// and returns their names.
func requireSameFiles(t *testing.T, a, b string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(a)
	require.NoError(t, err)
	require.Greater(t, len(entries), 3)
	others, err := os.ReadDir(b)
	require.NoError(t, err)
	require.Len(t, others, len(entries))
	for _, e := range entries {
		want, err := os.ReadFile(filepath.Join(a, e.Name()))
		require.NoError(t, err)
		got, err := os.ReadFile(filepath.Join(b, e.Name()))
		require.NoError(t, err)
		require.True(t, e.Name() == report.RunJSON || string(want) == string(got), "%s of %s and %s", e.Name(), a, b)
		names = append(names, e.Name())
	}
	return names
}

// TestEvaluatedRows: rows come back as they were, and each text travels once.
func TestEvaluatedRows(t *testing.T) {
	label := "a label"
	want := evaluatedRows{labels: []int{3}, rows: []report.Row{
		{Name: "accuracy", Value: 0.5, Support: 7, Replicates: []float64{1, 2}, Folds: []int32{0, 5}, Confidence: &report.Confidence{Low: 0, High: 1, Method: "jackknife"}},
		{Name: "recall", Label: &label, Value: 0.25, Undefined: "accuracy", Bounds: &report.Bounds{Low: -1, High: 1}},
		{Name: "recall", Label: new("accuracy")},
	}}
	data, err := wire.Encode(&want, evaluatedFields)
	require.NoError(t, err)
	var got evaluatedRows
	require.NoError(t, wire.Decode(data, &got, evaluatedFields))
	require.Equal(t, want, got)
	for i := range data {
		require.Error(t, wire.Decode(data[:i], &got, evaluatedFields), "%d of %d bytes", i, len(data))
	}
}

// FuzzDecodeEvaluatedRows: whatever the bytes, decoding ends with rows that can be encoded, or an error.
func FuzzDecodeEvaluatedRows(f *testing.F) {
	data, err := wire.Encode(&evaluatedRows{rows: []report.Row{{Name: "f1", Value: math.NaN(), Undefined: "no positives"}, {Name: "f1", Label: new("f1")}}}, evaluatedFields)
	require.NoError(f, err)
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		var rows evaluatedRows
		if wire.Decode(data, &rows, evaluatedFields) == nil {
			_, err := wire.Encode(&rows, evaluatedFields)
			require.NoError(t, err)
		}
	})
}
