package transforms

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/metricstest"
)

// distances is a statistic of one's own: the sum of |target - estimate|.
type distances struct {
	sum    exact.Sum
	weight exact.Tally
}

func newDistances(*metrics.Params) *distances { return new(distances) }

func (s *distances) Fold(b *metrics.Batch, rows []int32) {
	for _, r := range rows {
		w := 1.0
		if b.Weight != nil {
			w = b.Weight[r]
		}
		s.sum.AddProduct(w, math.Abs(b.Target[r]-b.Estimate[r]))
		s.weight.Add(w)
	}
}

func (s *distances) Merge(from metrics.Statistic) {
	f := from.(*distances)
	s.sum.Merge(&f.sum)
	s.weight.Merge(&f.weight)
}

func (s *distances) Append(dst []byte) []byte  { return s.weight.Append(s.sum.Append(dst)) }
func (s *distances) Decode(d *metrics.Decoder) { s.sum.Decode(d); s.weight.Decode(d) }
func (s *distances) Reset()                    { s.sum.Reset(); s.weight.Reset() }

func init() {
	RegisterSlice("a_kind", func(v ...slice.Value) slice.Value {
		if v[0].Text() == "phone" {
			return slice.String("mobile")
		}
		return slice.String("fixed")
	})
	RegisterSlice("at_home", func(v ...slice.Value) slice.Value {
		if v[0].Text() == "desk" && v[1].Text() != "country 2" {
			return slice.String("mobile") // as limited slices of the test have it
		}
		return slice.String("fixed")
	})
	RegisterSlice("panicking_slice", func(...slice.Value) slice.Value { panic("as asked for") })
	metrics.Register(
		metrics.Metric{
			Name: "my_f1", Tasks: metrics.Binary | metrics.Multilabel, Definition: "F1 as defined by us", Better: metrics.Higher, Scale: confidence.F1,
			Formula: metrics.OfCounts(func(c metrics.Counts) metrics.Value {
				v := metrics.Ratio(2*c.TP, 2*c.TP+c.FN+c.FP, "no positive examples and no predicted positives")
				v.Trials = c.TP + c.FP + c.FN
				return v
			}),
		},
		metrics.Metric{
			Name: "my_brier", Tasks: metrics.Multiclass, Definition: "squared distance", Better: metrics.Lower, Scale: confidence.Log, Needs: metrics.NeedProbabilities,
			Formula: metrics.MeanOf(func(b *metrics.Batch, row int32) float64 {
				total := 0.0
				for class, p := range b.Probability[int(row)*b.Labels:][:b.Labels] {
					if class == int(b.Class[row]) {
						p--
					}
					total += float64(p * p)
				}
				return total
			}),
		},
		metrics.Metric{
			Name: "my_mae", Tasks: metrics.Regression, Definition: "mean distance", Better: metrics.Lower, Scale: confidence.Log,
			Formula: metrics.OfStatistic("distances", newDistances, func(s *distances) metrics.Value {
				if s.weight.Weight() == 0 {
					return metrics.Undefined("no examples")
				}
				return metrics.Value{Number: s.sum.Float64() / s.weight.Weight()}
			}),
		},
		metrics.Metric{
			Name: "beyond", Tasks: metrics.Regression, Definition: "a mistake",
			Formula: metrics.MeanOf(func(b *metrics.Batch, row int32) float64 { return b.Score[row] }),
		},
	)
}

func TestLawsOfOwnStatistic(t *testing.T) {
	batch := &metrics.Batch{Rows: 4, Target: []float64{1, 1e17, 0.1, 3}, Estimate: []float64{0, 0.3, 0, 3}, Weight: []float64{1, 0, 0.7, 1}}
	metricstest.Laws(t, newDistances, &metrics.Params{Task: metrics.Regression}, batch)
}

// rebuilt are specs with metrics that the package has too, by their names there.
func rebuilt(t *testing.T) map[string]Spec {
	specs := make(map[string]Spec)
	for scenario, names := range map[string][]string{
		"binary": {"my_f1=f1"}, "multilabel": {"my_f1=f1", "my_f1_macro=f1_macro", "my_f1_micro=f1_micro", "my_f1_weighted=f1_weighted"},
		"multiclass": {"my_brier=brier"}, "regression": {"my_mae=mae"},
	} {
		spec := inGroups(scenarioNamed(t, scenario).spec, 12)
		spec.Params.Metrics, spec.Params.Curves = names, metrics.NoCurves
		specs[scenario] = spec
	}
	return specs
}

// sides returns the specs with our metrics and with the metrics that are built anew.
func sides(spec Spec) (ours, anew Spec) {
	ours, anew = spec, spec
	ours.Params.Metrics, anew.Params.Metrics = nil, nil
	for _, pair := range spec.Params.Metrics {
		name, of, _ := strings.Cut(pair, "=")
		ours.Params.Metrics, anew.Params.Metrics = append(ours.Params.Metrics, of), append(anew.Params.Metrics, name)
	}
	return ours, anew
}

// TestCustomMetricsInPipelines: a metric that is built anew has the same rows, replicates and
// intervals, in every slice, from files and from memory.
func TestCustomMetricsInPipelines(t *testing.T) {
	t.Parallel()
	rows := drawExamples(180)
	var evaluations []func(beam.Scope) Evaluation
	names := strings.NewReplacer("my_", "")
	for name, spec := range rebuilt(t) {
		ours, anew := sides(spec)
		s := scenarioNamed(t, name)
		memory := anew
		memory.Confidence = &Confidence{Folds: anew.Confidence.Folds, Seed: anew.Confidence.Seed} // by example
		evaluations = append(evaluations, inFiles(ours, written(t, rows, 50)), inFiles(anew, written(t, rows, 31)), inMemory(memory, s.predictions(rows)))
	}
	got, err := rowsOf(t, evaluations...)
	require.NoError(t, err)
	for i := 0; i < len(got); i += 3 {
		want := decodedRows(t, got[i])
		require.NotEmpty(t, want)
		require.Greater(t, len(want[0].Replicates), 10)
		for _, other := range got[i+1 : i+3] {
			again := decodedRows(t, other)
			require.Len(t, again, len(want))
			for j := range again {
				again[j].Name = names.Replace(again[j].Name)
			}
			texts := func(rows []report.Row) (list []string) {
				for _, row := range rows {
					list = append(list, rowText(row))
				}
				slices.Sort(list)
				return list
			}
			require.True(t, slices.Equal(texts(want), texts(again)), "%s: evaluation %d", want[0].Name, i)
		}
	}
}

// TestShardingsOfOwnStatistic: reports are the same bytes however the rows are divided. They
// define the metrics and say which values are better.
func TestShardingsOfOwnStatistic(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(17, 3))
	rows := drawExamples(150)
	evaluations := make(map[string][]func(beam.Scope) Evaluation)
	for name, spec := range rebuilt(t) {
		_, anew := sides(spec)
		for _, a := range []int{0, 3, 5} {
			evaluations[name] = append(evaluations[name], inFiles(anew, arranged(t, r, arrangements[a], rows)...))
		}
	}
	requireSameReports(t, evaluations)

	_, anew := sides(rebuilt(t)["regression"])
	dir := filepath.Join(t.TempDir(), "out")
	p, scope := beam.NewPipelineWithRoot()
	none := 0.0
	inFiles(anew, written(t, rows, 50))(scope).WriteReport(scope, Output{Dir: dir, Formats: report.Formats(), Started: time.Now(), Gates: []report.Gate{
		{Metric: "my_mae", Limits: report.Limits{Min: &none, Sure: true}}, {Metric: "my_mae", Limits: report.Limits{Max: &none}},
	}})
	require.NoError(t, onPrism(p))
	page, err := os.ReadFile(filepath.Join(dir, report.ReportHTML))
	require.NoError(t, err)
	require.Contains(t, string(page), "mean distance")
	data, err := os.ReadFile(filepath.Join(dir, report.MetricsJSON))
	require.NoError(t, err)
	require.Contains(t, string(data), `{"name":"my_mae","definition":"mean distance","better":"lower"}`)
	read, err := report.Read(data)
	require.NoError(t, err)
	require.Equal(t, map[string]report.Meaning{"my_mae": {Definition: "mean distance", Better: "lower", Own: true}}, read.Meanings)
	require.Len(t, read.Gates, 2)
	require.Equal(t, report.Pass, read.Gates[0].Verdict)
	require.Equal(t, report.Fail, read.Gates[1].Verdict)
}

// TestSliceFunctions: slices by a function of one or several columns equal slices by a column that
// holds the function's values, whatever the layout, also crossed with other columns and limited to
// some values.
func TestSliceFunctions(t *testing.T) {
	t.Run("of a column", func(t *testing.T) {
		testSliceFunction(t, SliceColumn{Column: "device", Function: "a_kind"}, func(e *example) bool { return e.Device == "phone" })
	})
	t.Run("of two", func(t *testing.T) {
		testSliceFunction(t, SliceColumn{Column: "device", Others: []string{"country"}, Function: "at_home"},
			func(e *example) bool { return e.Device == "desk" && (e.Country == nil || *e.Country != "country 2") })
	})
}

func testSliceFunction(t *testing.T, byFunction SliceColumn, mobile func(*example) bool) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 17))
	rows := drawExamples(150)
	coarse := slices.Clone(rows) // with the values of the function in their place
	for i := range coarse {
		coarse[i].Device = map[bool]string{true: "mobile", false: "fixed"}[mobile(&rows[i])]
	}
	spec := scenarioNamed(t, "binary").spec
	spec.Params.Metrics, spec.Params.Curves = []string{"roc_auc", "f1", "log_loss"}, metrics.ExactCurves
	plain, function := spec, spec
	plain.Slices = []Slice{by("device"), by("device", "country"), only("device", "mobile")}
	limited := byFunction
	limited.Values = []SliceValue{{Text: "mobile"}}
	function.Slices = []Slice{{byFunction}, {{Column: "country"}, byFunction}, {limited}}
	s := scenarioNamed(t, "binary")
	long := long(scenarioNamed(t, "multilabel").spec, nil)
	long.Params.Metrics, long.Params.Curves = []string{"f1_micro"}, metrics.NoCurves
	plainLong, functionLong := long, long
	plainLong.Slices, functionLong.Slices = plain.Slices, function.Slices
	joined := withTruth(function)
	joined.Truth.Slices = []string{"country"}
	got, err := rowsOf(t,
		inFiles(plain, written(t, coarse, 50)), inFiles(function, arranged(t, r, arrangements[3], rows)...), inMemory(function, s.predictions(rows)),
		inFiles(plainLong, arranged(t, r, arrangements[5], labelRows(coarse, false))...), inFiles(functionLong, arranged(t, r, arrangements[5], labelRows(rows, false))...),
		inFilesWith(joined, arranged(t, r, arrangements[5], rows), arranged(t, r, arrangements[3], rows)))
	require.NoError(t, err)
	for i, pair := range [][2]int{{0, 1}, {0, 2}, {3, 4}, {0, 5}} {
		texts := func(rows []report.Row) (list []string) {
			for _, row := range rows {
				key := slices.Clone(row.Slice)
				for j := range key {
					if key[j].Column == byFunction.Function {
						key[j].Column = "device"
					}
				}
				slices.SortFunc(key, func(a, b slice.Pair) int { return strings.Compare(a.Column, b.Column) })
				row.Slice = key
				list = append(list, rowText(row))
			}
			slices.Sort(list)
			return list
		}
		want, other := texts(decodedRows(t, got[pair[0]])), texts(decodedRows(t, got[pair[1]]))
		require.Greater(t, len(want), 8)
		require.True(t, slices.Equal(want, other), "pair %d", i)
	}
}

// TestSliceFunctionErrors: a function that panics, is not registered, or not here.
func TestSliceFunctionErrors(t *testing.T) {
	t.Parallel()
	spec := scenarioNamed(t, "regression").spec
	spec.Params.Metrics, spec.Params.Curves = []string{"mae"}, metrics.NoCurves
	spec.Slices = []Slice{{{Column: "device", Function: "panicking_slice"}}}
	_, err := rowsOf(t, inFiles(spec, written(t, drawExamples(30), 10)))
	require.ErrorContains(t, err, `slice function "panicking_slice" panics for device=`)
	require.NotContains(t, err.Error(), "internal error")

	for want, column := range map[string]SliceColumn{
		`no slice function "unheard_of" is registered`: {Column: "device", Function: "unheard_of"},
		`may have Values, Bins that ascend`:            {Column: "device", Function: "a_kind", Quantiles: 3},
		`Slices[0] has a column without a name`:        {Function: "a_kind"},
		`"device" has Others, but no Function`:         {Column: "device", Others: []string{"country"}},
	} {
		bad := spec
		bad.Slices = []Slice{{column}}
		_, err := settle(bad, false)
		require.ErrorContains(t, err, want)
	}
	for _, name := range []string{"a_kind", "No", ""} {
		require.Panics(t, func() { RegisterSlice(name, func(v ...slice.Value) slice.Value { return v[0] }) })
	}
	require.Panics(t, func() { RegisterSlice("without_function", nil) })

	f := newFoldFn(spec)
	f.Job.Slices[0][0].Function = "unheard_of"
	_, err = bundle(t.Context(), t, f, written(t, drawExamples(10), 10))
	require.ErrorContains(t, err, `the program of this worker has no slice function "unheard_of"`)
}

// TestPanickingMetric: the error names the metric and its place.
func TestPanickingMetric(t *testing.T) {
	t.Parallel()
	spec := scenarioNamed(t, "regression").spec
	spec.Params.Metrics, spec.Params.Curves = []string{"mae", "beyond"}, metrics.NoCurves
	_, err := rowsOf(t, inFiles(spec, written(t, drawExamples(30), 10)))
	require.ErrorContains(t, err, `metric "beyond" panics at custom_test.go:`)
	require.ErrorContains(t, err, "index out of range")
	require.NotContains(t, err.Error(), "internal error")
}

// TestWorkersOfAnotherProgram: a worker that lacks a metric says what to do.
func TestWorkersOfAnotherProgram(t *testing.T) {
	t.Parallel()
	spec := scenarioNamed(t, "regression").spec
	f := newFoldFn(spec)
	f.Job.Params.Metrics = []string{"unheard_of"}
	_, err := bundle(t.Context(), t, f, written(t, drawExamples(10), 10))
	require.ErrorContains(t, err, `the program of this worker has no metric "unheard_of": all workers must run a program that registers it, in an init function`)
}
