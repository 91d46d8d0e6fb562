package transforms

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/quantiles"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// TestCombineFnsLeaveInputs: added inputs stay unchanged, because a runner may add them again, and
// accumulators share nothing.
func TestCombineFnsLeaveInputs(t *testing.T) {
	requireInputsLeft(t, unionFn{Limit: shuffle.NameLimit{}}, labelSet{Ints: []int64{1, 3}, Strings: []string{"b"}}, labelSet{Ints: []int64{2}, Strings: []string{"a"}}, labelSet{Ints: []int64{3}})
	requireInputsLeft(t, quantiles.MergeFn{}, talliesOf("1", "2"), talliesOf("2", "7"), talliesOf("5"))
	s := scenarioNamed(t, "binary")
	requireInputsLeft(t, shuffle.MergeFn{}, append(partials(t, s, drawExamples(3), drawExamples(7)), withSearches(t)[0])...)
}

// talliesOf tallies numbers of a column in a bundle.
func talliesOf(numbers ...string) (all quantiles.Tallies) {
	f := &quantiles.TallyPredictionsFn{Cuts: shuffle.Cuts{List: []shuffle.Cut{{Column: "age", Quantiles: 2}}}}
	for _, text := range numbers {
		f.ProcessElement(input.Prediction{Slices: map[string]string{"age": text}}, nil)
	}
	f.FinishBundle(func(of quantiles.Tallies) { all = of })
	return all
}

// TestTalliesTravel: tallies that come out of their coder give the same cuts of each column.
func TestTalliesTravel(t *testing.T) {
	cuts := shuffle.Cuts{List: []shuffle.Cut{{Column: "age", Quantiles: 3}, {Column: "size", Quantiles: 2}}}
	f, cut := &quantiles.TallyPredictionsFn{Cuts: cuts}, &quantiles.CutFn{Cuts: cuts}
	for i := range 9 {
		f.ProcessElement(input.Prediction{Slices: map[string]string{"age": fmt.Sprint(i * i % 7), "size": fmt.Sprint(30 - i)}}, nil)
	}
	var all quantiles.Tallies
	f.FinishBundle(func(of quantiles.Tallies) { all = of })
	cutsOf := func(of quantiles.Tallies) (list []shuffle.Cut) {
		cut.ProcessElement(of, func(in shuffle.TaskInput) { list = in.Cuts.List })
		return list
	}
	back := cutsOf(through(t, all))
	require.Equal(t, cutsOf(all), back)
	require.Len(t, back[0].Bins, 2)
	require.Len(t, back[1].Bins, 1)
}

// requireInputsLeft combines inputs twice.
func requireInputsLeft[T any](t *testing.T, fn interface {
	CreateAccumulator() T
	AddInput(T, T) T
}, inputs ...T) {
	t.Helper()
	encode := func(list ...T) (all [][]byte) {
		for _, x := range list {
			data, err := shuffle.Encode(x)
			require.NoError(t, err)
			all = append(all, data)
		}
		return all
	}
	before, empty := encode(inputs...), encode(fn.CreateAccumulator())
	sum := func() [][]byte {
		acc := fn.CreateAccumulator()
		for _, x := range inputs {
			acc = fn.AddInput(acc, x)
		}
		require.Equal(t, before, encode(inputs...), "%T changes its inputs", fn)
		require.Equal(t, empty, encode(fn.CreateAccumulator()), "accumulators of %T share", fn)
		return encode(acc)
	}
	first := sum()
	require.NotEqual(t, empty, first)
	require.Equal(t, first, sum())
}

// A bundle has what its elements say, whatever the bundle before had.
func TestTalliesOfBundles(t *testing.T) {
	f := &quantiles.TallyPredictionsFn{Cuts: shuffle.Cuts{List: []shuffle.Cut{{Column: "age", Quantiles: 2}}}}
	for _, text := range []string{"1", "2"} {
		f.ProcessElement(input.Prediction{Slices: map[string]string{"age": text}}, nil)
		emitted := 0
		f.FinishBundle(func(of quantiles.Tallies) {
			emitted++
			require.Equal(t, talliesOf(text), of)
		})
		require.Equal(t, 1, emitted)
	}
	f.FinishBundle(func(quantiles.Tallies) { require.Fail(t, "an empty bundle emits") })
}
