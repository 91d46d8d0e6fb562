package report_test

import (
	"encoding/json"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/reporttest"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/report/document/evaluation"
	"github.com/beameval/beameval/io/report/export"
	"github.com/beameval/beameval/io/slice"
)

func TestReadReturnsWhatWasWritten(t *testing.T) {
	for name, build := range reporttest.Reports {
		t.Run(name, func(t *testing.T) {
			want := build()
			f := reporttest.Write(t, want)
			got, err := report.Read(f.Bytes(report.MetricsJSON))
			require.NoError(t, err)
			if want.Confidence != nil {
				readReplicates(t, f, got)
			}
			requireSameReport(t, want, got)
		})
	}
}

// requireSameReport compares reports, except for what metrics.json does not contain.
func requireSameReport(t *testing.T, want, got *report.Report) {
	t.Helper()
	reasons := map[bool]string{true: "not a number", false: "infinite"}
	require.Len(t, got.Metrics, len(want.Metrics))
	want.Curves, want.Thresholds, want.Queries, want.Histograms = nil, nil, nil, nil
	for i := range want.Metrics {
		w, g := &want.Metrics[i], &got.Metrics[i]
		if math.IsNaN(w.Value) || math.IsInf(w.Value, 0) {
			require.True(t, math.IsNaN(g.Value))
			if w.Undefined == "" {
				w.Undefined = reasons[math.IsNaN(w.Value)]
			}
			w.Value, g.Value = 0, 0
		}
		if v := w.Bounds; v != nil && math.IsInf(v.Low, 0) && math.IsNaN(v.High) {
			w.Bounds = nil
		}
		requireSameNumbers(t, w.Replicates, g.Replicates)
		w.Replicates, g.Replicates = nil, nil
		if c := w.Confidence; c != nil {
			require.NotNil(t, g.Confidence)
			requireSameNumbers(t, []float64{c.Low, c.High, c.StdError, c.DOF},
				[]float64{g.Confidence.Low, g.Confidence.High, g.Confidence.StdError, g.Confidence.DOF})
			require.Equal(t, []any{c.Folds, c.Method, strings.ReplaceAll(c.NoInterval, "\xff", `\xff`)},
				[]any{g.Confidence.Folds, g.Confidence.Method, g.Confidence.NoInterval})
			w.Confidence, g.Confidence = nil, nil
		}
		for j := range w.Slice {
			if v := &w.Slice[j].Value; math.IsNaN(v.Float()) {
				*v = slice.String("NaN")
			}
		}
	}
	want.Confusion = slices.DeleteFunc(want.Confusion, func(c report.ConfusionCell) bool {
		return len(c.Slice) > 0 || c.Count == 0 || len(want.Labels) > 50
	})
	if len(want.Confusion) == 0 {
		want.Confusion = nil
	}
	want.Meanings = nil // which is not written
	require.Equal(t, reporttest.WithoutNaN(want.Gates), reporttest.WithoutNaN(got.Gates))
	want.Gates, got.Gates = nil, nil
	require.Equal(t, want, got)
}

// requireSameNumbers treats all numbers that are not finite as NaN, and negative zero as zero.
func requireSameNumbers(t *testing.T, want, got []float64) {
	t.Helper()
	require.Len(t, got, len(want))
	for i, f := range want {
		if math.IsInf(f, 0) {
			f = math.NaN()
		}
		require.Equal(t, math.Float64bits(f+0), math.Float64bits(got[i]))
	}
}

func TestReadFails(t *testing.T) {
	for _, text := range []string{
		``,
		`{}`,
		`{"schema":"beameval.report/v2"}`,
		`[]`,
		`{"schema":"beameval.report/v1","metrics":[{"name":"f1"}]}`,
		`{"schema":"beameval.report/v1","metrics":[{"name":"f1","slice":null}]}`,
		`{"schema":"beameval.report/v1","metrics":[{"name":"f1","slice":{"a":[]}}]}`,
		`{"schema":"beameval.report/v1","metrics":[{"name":"f1","slice":{},"value":"1"}]}`,
		`{"schema":"beameval.report/v1","confusion":{"labels":["a","b"],"matrix":[[1,2]]}}`,
		`{"schema":"beameval.report/v1","confusion":{"labels":["a"],"matrix":[[1,2]]}}`,
		`{"schema":"beameval.report/v1","confusion":{"labels":["a"],"matrix":[[0.5]]}}`,
		`{"schema":"beameval.report/v1","confusion":{"labels":["a"],"matrix":[[1e999]],"counts":[[1]]}}`,
		`{"schema":"beameval.report/v1","confusion":{"labels":["a"],"matrix":[[1]],"counts":[]}}`,
		`{"schema":"beameval.report/v1","confusion":{"per_label":[{"label":"a","tp":1}]}}`,
		`{"schema":"beameval.report/v1","confidence":{"digests":[{"rows":1,"digest":"g"}]}}`,
		`{"schema":"beameval.report/v1","confidence":{"digests":[{"rows":1,"digest":"00000000000000001"}]}}`,
		`{"schema":"beameval.report/v1","confidence":{"seed":-1}}`,
		`{"schema":"beameval.report/v1","metrics":[{"name":"f1","slice":{},"groups":"1"}]}`,
		`{"schema":"beameval.report/v1","gates":[{"metric":"f1","slice":{},"label":null,"value":1,"verdict":"passed"}]}`,
	} {
		_, err := report.Read([]byte(text))
		require.Error(t, err, text)
	}
}

func TestWeightThatIsNotFinite(t *testing.T) {
	r := &report.Report{Task: "binary", Confusion: []report.ConfusionCell{{True: "0", Predicted: "0", Count: 1, Weight: math.Inf(1)}}}
	got, err := report.Read(reporttest.Write(t, r).Bytes(report.MetricsJSON))
	require.NoError(t, err)
	require.Len(t, got.Confusion, 1)
	require.Equal(t, int64(1), got.Confusion[0].Count)
	require.True(t, math.IsNaN(got.Confusion[0].Weight))
}

func TestIntervalWithoutAnEnd(t *testing.T) {
	inf := math.Inf(1)
	for _, test := range []struct{ in, out *report.Bounds }{
		{&report.Bounds{Low: 0.25, High: 0.5}, &report.Bounds{Low: 0.25, High: 0.5}},
		{&report.Bounds{Low: 0.25, High: inf}, &report.Bounds{Low: 0.25, High: inf}},
		{&report.Bounds{Low: math.NaN(), High: 0.5}, &report.Bounds{Low: -inf, High: 0.5}},
		{&report.Bounds{Low: -inf, High: math.NaN()}, nil},
	} {
		r := &report.Report{Task: "binary", Metrics: []report.Row{{Name: "roc_auc", Value: 0.5, Bounds: test.in}}}
		f := reporttest.Write(t, r)
		got, err := report.Read(f.Bytes(report.MetricsJSON))
		require.NoError(t, err)
		require.Equal(t, test.out, got.Metrics[0].Bounds)
	}
}

func TestConfusionOfManyClassesIsNotInline(t *testing.T) {
	for _, test := range []struct {
		classes int
		inline  bool
	}{{50, true}, {51, false}} {
		r := &report.Report{Task: "multiclass"}
		for i := range test.classes {
			class := string(rune('A' + i))
			r.Confusion = append(r.Confusion, report.ConfusionCell{
				True: class, Predicted: class, TrueIndex: test.classes - i, PredictedIndex: test.classes - i, Count: 1, Weight: 1,
			})
		}
		f := reporttest.Write(t, r)
		var got struct {
			Confusion *struct {
				Labels []string
				Matrix [][]int64
			}
		}
		require.NoError(t, json.Unmarshal(f.Bytes(report.MetricsJSON), &got))
		require.Equal(t, test.inline, got.Confusion != nil)
		require.Contains(t, f.Created, report.ConfusionParquet)
		if test.inline {
			require.Equal(t, string(rune('A'+49)), got.Confusion.Labels[0], "classes have the order of their indices")
			require.Equal(t, int64(1), got.Confusion.Matrix[49][49])
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"empty", "ranking", "multiclass", "curves", "confidence", "preference"} {
		f.Add(reporttest.Write(f, reporttest.Reports[name]()).Bytes(report.MetricsJSON))
	}
	f.Add([]byte(`{"schema":"beameval.report/v1","labels":["a"],"config":{"k":[1]},"metrics":[` +
		`{"name":"f1","slice":{"x":null,"y":-0.5},"label":"a","value":null,"undefined":"none","support":1}],` +
		`"confusion":{"per_label":[{"label":"a","tp":0.5,"fp":0,"fn":0,"tn":null,"counts":{"tp":1,"fp":0,"fn":0,"tn":1}}]}}`))
	f.Add([]byte(`{"schema":"beameval.report/v1","task":"preference","ranks":[{"system":"x"}],"comparisons":[{"a":"x","b":"x","a_wins":1}]}`))
	rewrite := func(t *testing.T, r *report.Report) string {
		var f reporttest.Files
		require.NoError(t, export.Write(r, nil, []report.Format{report.Markdown}, f.Create))
		require.NoError(t, evaluation.Summary(r, io.Discard, document.Screen{}))
		return f.Content[report.MetricsJSON].String()
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := report.Read(data)
		if err != nil {
			return
		}
		require.NoError(t, evaluation.Write(r, document.Page, io.Discard))
		first := rewrite(t, r)
		again, err := report.Read([]byte(first))
		require.NoError(t, err)
		require.Equal(t, first, rewrite(t, again))
	})
}

func TestReadReturnsCountsOfRows(t *testing.T) {
	want := report.RowCounts{
		Read: 9, Evaluated: 8, Skipped: map[string]int64{"null label": 1},
		Truth: &report.TruthCounts{Examples: 10, Unmatched: 1}, Clipped: &report.ClippedCounts{Probabilities: 3, Excess: 1.3e-5}, NegativeAsZero: 2,
		Predictions: &report.PredictionCounts{Compared: 8, Disagree: 2, Explained: 1, Share: 0.25},
	}
	got, err := report.Read(reporttest.Write(t, &report.Report{Task: "binary", Rows: want}).Bytes(report.MetricsJSON))
	require.NoError(t, err)
	require.Equal(t, want, got.Rows)
}
