package ingest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
)

// TestDistributions reads distributions as they are, normalising nothing, and
// takes the most probable class for the true one.
func TestDistributions(t *testing.T) {
	for name, c := range map[string]struct {
		column *columns.Column
		want   []float64
		class  []int32
	}{
		"probabilities":  {lists(floats(.2, .5, .3, .1, .1, .8), 3, 3), []float64{.2, .5, .3, .1, .1, .8}, []int32{1, 2}},
		"ties":           {lists(floats(.4, .4, .2, 0, .5, .5), 3, 3), []float64{.4, .4, .2, 0, .5, .5}, []int32{0, 1}},
		"one class":      {lists(ints(0, 0, 1, 1, 0, 0), 3, 3), []float64{0, 0, 1, 1, 0, 0}, []int32{2, 0}},
		"truth values":   {lists(bools(false, true, false, true, false, false), 3, 3), []float64{0, 1, 0, 1, 0, 0}, []int32{1, 0}},
		"almost 1":       {lists(floats(.3335, .333, .3331, .3335, .3335, .3335), 3, 3), []float64{.3335, .333, .3331, .3335, .3335, .3335}, []int32{0, 0}},
		"no nulls there": {lists(null(floats(.2, .5, .3, .1, .1, .8)), 3, 3), []float64{.2, .5, .3, .1, .1, .8}, []int32{1, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			spec := Spec{Params: metrics.Params{Task: metrics.Multiclass, Decisions: true}, Encoding: Distribution}
			b := good(t, spec, named("x", "y", "z"), Input{Rows: 2, Label: c.column, Prediction: words("z", "x")})
			require.Equal(t, c.want, b.Distribution)
			require.Equal(t, c.class, b.Class)
			require.Equal(t, []int32{2, 0}, b.Predicted)
		})
	}
}

// TestDistributionsOf32Bits: however the classes divide it, what was rounded to 32
// bits still adds up to 1.
func TestDistributionsOf32Bits(t *testing.T) {
	for _, n := range []int{1, 3, 7, 1000, 100_000} {
		col := floats(make([]float64, n)...)
		for i := range col.Floats {
			col.Floats[i] = float64(float32(1 / float64(n)))
		}
		spec := Spec{Params: metrics.Params{Task: metrics.Multiclass, Decisions: true}, Encoding: Distribution}
		good(t, spec, numbered(n), Input{Rows: 1, Label: lists(col, n), Prediction: ints(0)})
	}
}

// TestHardLabelsHaveNoDistribution: they need none.
func TestHardLabelsHaveNoDistribution(t *testing.T) {
	spec := Spec{Params: metrics.Params{Task: metrics.Multiclass, Decisions: true}}
	require.Nil(t, good(t, spec, numbered(3), Input{Rows: 1, Label: ints(2), Prediction: ints(0)}).Distribution)
}
