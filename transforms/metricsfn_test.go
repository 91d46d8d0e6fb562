package transforms

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

func byCountry(p input.Prediction) (string, input.Prediction) { return p.Slices["country"], p }

// rowsOfCountry turns the rows of a key into rows of a country's slice.
func rowsOfCountry(country string, m MetricRows, emit func(report.Row)) {
	for _, row := range m.Rows {
		if country != "" {
			row.Slice = slice.Key{{Column: "country", Value: slice.String(country)}}
		}
		emit(row)
	}
}

func init() {
	register.Function1x2(byCountry)
	register.Function3x0(rowsOfCountry)
	register.Emitter1[report.Row]()
}

// combinable returns the scenarios that MetricsFn can evaluate, and predictions of countries.
func combinable(t *testing.T) (list []scenario) {
	t.Helper()
	for _, s := range scenarios(t) {
		s.spec.Slices = nil
		if s.spec.Params.Curves != metrics.NoCurves {
			s.spec.Params.Curves, s.spec.Params.Metrics = metrics.BoundedCurves, nil
			s.spec = complete(t, s.spec)
		}
		if _, err := MetricsFn(s.spec); err == nil {
			list = append(list, s)
		}
	}
	require.Greater(t, len(list), 5)
	return list
}

func ofCountries(s scenario, n int) []input.Prediction {
	return slices.DeleteFunc(s.predictions(drawExamples(n)), func(p input.Prediction) bool { return p.Slices["country"] == "" })
}

// TestMetricsFn: the rows of a key equal the rows of the slice with the same value, on prism and on
// direct.
func TestMetricsFn(t *testing.T) {
	t.Parallel()
	p, s := beam.NewPipelineWithRoot()
	var want []func(beam.Scope) Evaluation
	var names []string
	all := combinable(t)
	for _, c := range all {
		list := ofCountries(c, 120)
		sliced := c.spec
		sliced.Slices = []Slice{by("country")}
		want = append(want, inMemory(sliced, list))
		fn, err := MetricsFn(c.spec)
		require.NoError(t, err)
		names = append(names, t.Name()+c.name)
		rows := beam.CombinePerKey(s, fn, beam.ParDo(s, byCountry, beam.CreateList(s, list)))
		beam.ParDo0(s, &keepFn{names[len(names)-1]}, beam.ParDo(s, rowsOfCountry, rows))
	}
	evaluated, err := rowsOf(t, want...)
	require.NoError(t, err)
	for i := range evaluated {
		evaluated[i] = slices.DeleteFunc(evaluated[i], func(text string) bool {
			row, err := rowOf(text)
			require.NoError(t, err)
			return len(row.Slice) == 0
		})
		require.NotEmpty(t, evaluated[i])
	}
	require.NoError(t, onPrism(p, names...))
	require.Equal(t, evaluated, takeKept(names))
	_, err = beam.Run(t.Context(), "direct", p)
	require.NoError(t, err)
	require.Equal(t, evaluated, takeKept(names))
}

// TestLawsOfMetricsFn: neither how predictions are divided among accumulators, nor the order of
// these, nor their bytes matter.
func TestLawsOfMetricsFn(t *testing.T) {
	t.Parallel()
	for _, c := range combinable(t) {
		list := c.predictions(drawExamples(60))
		fn, err := MetricsFn(c.spec)
		require.NoError(t, err)
		var want []report.Row
		for seed := range uint64(6) {
			r := rand.New(rand.NewPCG(seed, 1))
			parts := make([]accumulated, 1+r.IntN(4))
			for i := range parts {
				parts[i] = fn.CreateAccumulator()
			}
			for _, p := range list {
				at := &parts[r.IntN(len(parts))]
				*at, err = fn.AddInput(*at, p)
				require.NoError(t, err)
				if r.IntN(8) == 0 {
					require.NoError(t, fn.fold(at, 1)) // as if many waited
				}
			}
			sum := fn.CreateAccumulator()
			for _, i := range r.Perm(len(parts)) {
				data, err := shuffle.Encode(parts[i])
				require.NoError(t, err)
				back, err := shuffle.Decode(reflect.TypeFor[accumulated](), data)
				require.NoError(t, err)
				sum, err = fn.MergeAccumulators(sum, back.(accumulated))
				require.NoError(t, err)
			}
			_, err = fn.ExtractOutput(sum) // a trigger that fires before
			require.NoError(t, err)
			out, err := fn.ExtractOutput(sum)
			require.NoError(t, err)
			if seed == 0 {
				want = out.Rows
				require.NotEmpty(t, want)
			}
			require.Len(t, out.Rows, len(want))
			for i := range want {
				require.Equal(t, rowText(want[i]), rowText(out.Rows[i]), c.name)
			}
		}
	}
}

// TestMetricsFnRefuses what one pass by key cannot do, and bad predictions.
func TestMetricsFnRefuses(t *testing.T) {
	t.Parallel()
	binary := Spec{Params: metrics.Params{Task: metrics.Binary, Metrics: []string{"f1"}}, PositiveLabel: "ham"}
	for name, c := range map[string]struct {
		change func(*Spec)
		want   string
	}{
		"slices":       {func(s *Spec) { s.Slices = []Slice{by("country")} }, "spec: Slices cannot be combined by key: use transforms.Predictions"},
		"changed":      {func(s *Spec) { s.Params.Has, s.Changed = metrics.HasBaseline, &Worst{Count: 1} }, "spec: Changed cannot be combined by key: use transforms.Predictions"},
		"worst":        {func(s *Spec) { s.Worst = &Worst{Count: 1} }, "spec: Worst cannot be combined by key: use transforms.Predictions"},
		"exact curves": {func(s *Spec) { s.Params.Metrics = []string{"roc_auc"} }, "set Params.Curves to BoundedCurves"},
		"labels":       {func(s *Spec) { *s = Spec{Params: metrics.Params{Task: metrics.Multilabel, Metrics: []string{"f1"}}} }, "spec: a CombineFn cannot find the labels before it combines: set Labels"},
		"spec":         {func(s *Spec) { s.Params.Metrics = []string{"nonsense"} }, `nonsense`},
	} {
		spec := binary
		c.change(&spec)
		_, err := MetricsFn(spec)
		require.ErrorContains(t, err, c.want, name)
	}
	fn, err := MetricsFn(binary)
	require.NoError(t, err)
	sum, err := fn.AddInput(fn.CreateAccumulator(), input.Prediction{Example: "x", Labels: []string{"ham", "spam"}, Predicted: []string{"ham"}})
	require.NoError(t, err)
	_, err = fn.ExtractOutput(sum)
	require.ErrorContains(t, err, `example "x"`)
	out, err := fn.ExtractOutput(fn.CreateAccumulator()) // of no predictions
	require.NoError(t, err)
	require.NotEmpty(t, out.Rows[0].Undefined)
}
