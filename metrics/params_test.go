package metrics

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics/curves"
)

// TestFewWordsAreEnough has the shortest Params of each kind, and what they mean.
func TestFewWordsAreEnough(t *testing.T) {
	tuned := curves.Criterion{Objective: curves.Youden}
	every := func(p Params) Params {
		p.LogLossEps, p.CurveBins, p.MaxDistinct = machineEpsilon, 4096, 200_000
		if p.Bins == 0 {
			p.Bins = 10
		}
		names, err := p.Select(nil, DefaultArguments())
		require.NoError(t, err)
		p.Metrics = names
		return p
	}
	named := func(p Params, names ...string) Params {
		p.LogLossEps, p.CurveBins, p.MaxDistinct, p.Bins, p.Metrics = machineEpsilon, 4096, 200_000, 10, names
		return p
	}
	for _, c := range []struct{ few, meant Params }{
		{Params{Task: Regression}, every(Params{Task: Regression})},
		{Params{Task: Ranking}, every(Params{Task: Ranking, Scores: true, ScoreType: RawScore, Ranking: usualRanking})},
		{Params{Task: Binary, Decisions: true}, every(Params{Task: Binary, Decisions: true})},
		{Params{Task: Binary, Scores: true}, every(Params{Task: Binary, Scores: true})},
		{
			Params{Task: Binary, Scores: true, Decisions: true, Curves: BoundedCurves},
			every(Params{Task: Binary, Scores: true, Decisions: true, Curves: BoundedCurves}),
		},
		{Params{Task: Multiclass, Labels: 3, Ordinal: true, Decisions: true}, every(Params{Task: Multiclass, Labels: 3, Ordinal: true, Decisions: true})},
		{
			Params{Task: Multilabel, Labels: 3, Scores: true, ScoreType: Logit, Bins: 7},
			every(Params{Task: Multilabel, Labels: 3, Scores: true, ScoreType: Logit, Bins: 7}),
		},
		{Params{Task: Binary, Metrics: []string{"f1"}}, named(Params{Task: Binary, Decisions: true}, "f1")},
		{Params{Task: Binary, Metrics: []string{"ece"}}, named(Params{Task: Binary, Scores: true}, "ece")},
		{Params{Task: Binary, Metrics: []string{"ece"}, Quantiles: true}, named(Params{Task: Binary, Scores: true, Quantiles: true, Curves: ExactCurves}, "ece")},
		{
			Params{Task: Binary, Metrics: []string{"f1", "roc_auc"}},
			named(Params{Task: Binary, Scores: true, Decisions: true, Curves: ExactCurves}, "f1", "roc_auc"),
		},
		{Params{Task: Regression, Metrics: []string{"median_absolute_error"}}, named(Params{Task: Regression, Curves: ExactCurves}, "median_absolute_error")},
		{
			Params{Task: Binary, Metrics: []string{"f1"}, Tuning: &tuned},
			named(Params{Task: Binary, Scores: true, Decisions: true, Curves: ExactCurves, Tuning: &tuned}, "f1"),
		},
	} {
		full := c.few
		require.NoError(t, full.Complete())
		full.compiled = nil
		require.Equal(t, c.meant, full)
		require.NoError(t, full.Complete())
		full.compiled = nil
		require.Equal(t, c.meant, full, "what is complete stays as it is")

		b := drawBatch(source(1), &c.meant, 20)
		require.Equal(t, folded(t, &c.meant, b).Append(nil), folded(t, &c.few, b).Append(nil))
		if !c.few.Curving() {
			want, err := c.meant.Evaluate(folded(t, &c.meant, b), Options{})
			require.NoError(t, err)
			require.NotEmpty(t, want)
			got, err := c.few.Evaluate(folded(t, &c.few, b), Options{})
			require.NoError(t, err)
			requireSame(t, want, got)
		}
		require.Nil(t, c.few.compiled, "only Complete changes Params")
	}
}

// TestWrongParams has Params that cannot be evaluated: an error says why.
func TestWrongParams(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		p    Params
		want string
	}{
		{Params{}, "unknown task 0: expected one of binary, multiclass, multilabel, regression, ranking, preference, grade, agreement"},
		{Params{Task: Binary | Multiclass}, "unknown task 3: expected one of binary, multiclass, multilabel, regression, ranking, preference, grade, agreement"},
		{Params{Task: Preference}, "task preference of 0 labels"},
		{Params{Task: Preference, Labels: 1}, "task preference of 1 systems: there must be 2 to 500, because each is compared with others"},
		{Params{Task: Preference, Labels: 501}, "task preference of 501 systems: there must be 2 to 500, because each is compared with others"},
		{Params{Task: Ranking, Preference: PreferenceOptions{Davidson: true}}, "a model of preferences is for task preference, not for task ranking"},
		{Params{Task: 256}, "unknown task 256: expected one of binary, multiclass, multilabel, regression, ranking, preference, grade, agreement"},
		{Params{Task: Ranking, Grades: GradeOptions{Booleans: true}}, "options of grades are for task grade, not for task ranking"},
		{Params{Task: Agreement}, "task agreement of 0 labels"},
		{Params{Task: Grading, Raters: RaterOptions{Names: true}}, "options of raters are for task agreement, not for task grade"},
		{Params{Task: Agreement, Labels: 2, Raters: RaterOptions{MaxValues: -1}}, "MaxValues of -1: it must be 1 to 100000, or 0 for the default of 1000"},
		{Params{Task: Agreement, Labels: 2, Raters: RaterOptions{Weights: 2}}, "unknown weights 2: expected QuadraticWeights or LinearWeights"},
		{Params{Task: Agreement, Labels: 2, Raters: RaterOptions{Names: true}, Metrics: []string{"ac2"}}, `metric "gwet_ac2" is of ratings that are numbers, and these are names or booleans: leave it out`},
		{Params{Task: Grading, Grades: GradeOptions{Booleans: true, PassThreshold: &inf}}, "PassThreshold is for grades that are numbers, and Booleans says that they are not: leave one out"},
		{Params{Task: Grading, Grades: GradeOptions{PassThreshold: &inf}}, "PassThreshold of +Inf: it must be finite"},
		{Params{Task: Grading, Metrics: []string{"pass@1"}}, `metric "pass@1" needs grades that pass or not: set Params.Grades.PassThreshold, or Params.Grades.Booleans if batches have 0 and 1`},
		{Params{Task: Grading, Grades: GradeOptions{Booleans: true}, Metrics: []string{"best@3"}}, `metric "best@3" is of grades that are numbers, and these are booleans: write pass@3`},
		{Params{Task: Binary}, "no metrics: set Scores or Decisions, which say what examples have, or Metrics"},
		{Params{Task: Multiclass, Labels: 3}, "no metrics: set Scores or Decisions, which say what examples have, or Metrics"},
		{Params{Task: Binary, Scores: true, ScoreType: RawScore}, "no metric of task binary can be computed: there are neither probabilities nor predictions"},
		{Params{Task: Multiclass, Decisions: true}, "task multiclass of 0 labels"},
		{Params{Task: Multilabel, Labels: -1, Decisions: true}, "task multilabel of -1 labels"},
		{Params{Task: Multilabel, Labels: 1 << 31, Decisions: true}, "task multilabel of 2147483648 labels"},
		{Params{Task: Regression, Labels: -1}, "task regression of -1 labels"},
		{Params{Task: Binary, Metrics: []string{"nosuch"}}, `unknown metric "nosuch" of task binary`},
		{Params{Task: Binary, Metrics: []string{""}}, `unknown metric "" of task binary`},
		{Params{Task: Regression, Metrics: []string{"f1"}}, `metric "f1" is not one of task regression: it belongs to binary, multiclass, multilabel`},
		{Params{Task: Regression, Metrics: []string{"pinball"}}, `metric "pinball" has a parameter, and no argument is given`},
		{Params{Task: Binary, Metrics: []string{"f1", "fnan"}}, `unknown metric "fnan" of task binary`},
		{Params{Task: Binary, ScoreType: 3, Scores: true}, "unknown score type 3: expected Probability, Logit or RawScore"},
		{Params{Task: Binary, ScoreType: RawScore, Metrics: []string{"log_loss"}}, `metric "log_loss" needs probabilities: Params.ScoreType is RawScore, not Probability or Logit`},
		{Params{Task: Multilabel, Labels: 3, Metrics: []string{"sigmoid_cross_entropy"}}, `metric "sigmoid_cross_entropy" needs logits: Params.ScoreType is not Logit`},
		{Params{Task: Multilabel, Labels: 3, Sparse: true, Metrics: []string{"roc_auc"}}, `metric "roc_auc" needs a score for every label: the scores are sparse`},
		{Params{Task: Multilabel, Labels: 3, Judged: true}, "judgements are for binary, multiclass and regression tasks, not for task multilabel"},
		{Params{Task: Binary, Has: HasJudgedClass}, "judged classes besides the predictions are for multiclass tasks, not for task binary"},
		{Params{Task: Multiclass, Labels: 3, Judged: true, Metrics: []string{"judge_agreement"}}, `metric "judge_agreement" needs predictions besides the judgements: set Params.Has if batches have JudgedClass`},
		{Params{Task: Multiclass, Labels: 3, Metrics: []string{"ppi_accuracy"}}, `metric "prediction_powered_accuracy" needs judgements of a model: set Params.Judged if predictions are judgements`},
		{Params{Task: Binary, Sparse: true, Scores: true}, "sparse scores are for multiclass and multilabel tasks, not for task binary"},
		{Params{Task: Multilabel, Labels: 3, Metrics: []string{"psp@1"}}, `metric "psp@1" needs the labels' propensities: set Params.Propensity`},
		{Params{Task: Binary, Decisions: true, Metrics: []string{"expected_cost"}}, `metric "expected_cost" needs costs: set Params.Costs or, in a binary task whose batches have CostFP and CostFN, Params.Has to HasErrorCosts`},
		{Params{Task: Multilabel, Labels: 2, Decisions: true, Has: HasErrorCosts}, "Batch.CostFP: only for task binary, the task is multilabel"},
		{Params{Task: Binary, Decisions: true, Has: HasErrorCosts, Costs: [][]float64{{0, 1}, {1, 0}}}, "costs are the same for all examples, or those of the errors of each example: leave one out"},
		{Params{Task: Regression, Costs: [][]float64{{0}}}, "costs are of predicted classes, which task regression does not have"},
		{Params{Task: Multiclass, Labels: 3, Decisions: true, Costs: [][]float64{{0, 1}, {1, 0}}}, "costs of 2 true classes: there are 3 classes"},
		{Params{Task: Multilabel, Labels: 3, Decisions: true, Costs: [][]float64{{0, 1}, {1}}}, "1 costs of true class 1: there are 2 classes"},
		{Params{Task: Binary, Decisions: true, Costs: [][]float64{{0, -1}, {1, 0}}}, "cost of -1 of true class 0: it must be within 0 and 1e+100"},
		{Params{Task: Binary, Decisions: true, Costs: [][]float64{{0, 1}, {nan, 0}}}, "cost of NaN of true class 1: it must be within 0 and 1e+100"},
		{Params{Task: Multilabel, Labels: 3, Decisions: true, Propensity: &Propensity{A: nan, B: 1}}, "propensity with A = NaN and B = 1: A must be 0 or more, B positive, and both finite"},
		{Params{Task: Multilabel, Labels: 3, Decisions: true, Propensity: &Propensity{A: 1, B: inf}}, "propensity with A = 1 and B = +Inf: A must be 0 or more, B positive, and both finite"},
		{Params{Task: Binary, Scores: true, Bins: -1}, "-1 calibration bins: there must be 1 to 1048576, or 0 for the default of 10"},
		{Params{Task: Binary, Scores: true, Bins: math.MaxInt}, "9223372036854775807 calibration bins: there must be 1 to 1048576, or 0 for the default of 10"},
		{Params{Task: Binary, Scores: true, LogLossEps: nan}, "LogLossEps of NaN: it must be more than 0 and less than 0.5, or 0 for the default of 2^-52"},
		{Params{Task: Binary, Scores: true, LogLossEps: 0.5}, "LogLossEps of 0.5: it must be more than 0 and less than 0.5, or 0 for the default of 2^-52"},
		{Params{Task: Binary, Scores: true, Curves: "approximate"}, `unknown mode of curves "approximate": expected "", "exact" or "bounded"`},
		{Params{Task: Binary, Scores: true, CurveBins: -1}, "-1 bins of curves: there must be 1 to 16777216, or 0 for the default of 4096"},
		{Params{Task: Binary, Scores: true, CurveLines: -1}, "-1 lines of curves: the number must not be negative"},
		{Params{Task: Ranking, CatalogSize: -1}, "CatalogSize of -1, FrequencyTotal of 0 and HeadFrequency of 0: they must be positive and finite, or 0"},
		{Params{Task: Ranking, FrequencyTotal: math.NaN()}, "CatalogSize of 0, FrequencyTotal of NaN and HeadFrequency of 0: they must be positive and finite, or 0"},
		{Params{Task: Regression, MaxDistinct: -1}, "MaxDistinct of -1: it must be 1 to 1073741824, or 0 for the default of 200000"},
		{Params{Task: Multilabel, Labels: 3, Curves: BoundedCurves, Metrics: []string{"ndcg_micro"}}, `metric "ndcg_micro" needs exact curves: set Params.Curves to ExactCurves`},
		{Params{Task: Binary, Scores: true, Quantiles: true, Curves: BoundedCurves, Metrics: []string{"ece"}}, `metric "ece" needs exact curves: set Params.Curves to ExactCurves`},
		{Params{Task: Binary, Scores: true, Tuning: new(curves.Criterion)}, "unknown objective of an operating point: 0"},
		{Params{Task: Binary, Scores: true, Tuning: &curves.Criterion{Objective: curves.FBeta}}, "beta of 0: it must be positive"},
		{Params{Task: Binary, Scores: true, Tuning: &curves.Criterion{Objective: curves.RecallAtPrecision, At: 1.5}}, "operating point at 1.5: it must be within 0 and 1"},
		{Params{Task: Binary, Scores: true, Tuning: &curves.Criterion{Objective: curves.Youden, At: nan}}, "operating point at NaN: it must be finite"},
		{Params{Task: Binary, Scores: true, Tuning: &curves.Criterion{Objective: curves.NetBenefit}}, "true positives worth 0 false ones: it must be within 1e-100 and 1e100"},
		{Params{Task: Regression, Tuning: &curves.Criterion{Objective: curves.Youden}}, "thresholds are tuned for labels, which task regression does not have"},
		{Params{Task: Multilabel, Labels: 3, Sparse: true, Scores: true, Tuning: &curves.Criterion{Objective: curves.Youden}}, "tuning thresholds needs a score for every label: the scores are sparse"},
		{Params{Task: Ranking, Ranking: RankingOptions{RelevanceThreshold: nan}}, "ranking with a relevance threshold of NaN: it must be positive and finite"},
		{Params{Task: Ranking, Ranking: RankingOptions{MaxRelevance: -1}}, "ranking with a highest relevance of -1: it must be positive, and at most 1000"},
	} {
		p := c.p
		require.EqualError(t, p.Complete(), c.want)
		_, err := c.p.New()
		require.EqualError(t, err, c.want)
		_, err = c.p.Evaluate(new(Partial), Options{})
		require.EqualError(t, err, c.want)
		_, err = c.p.NewQueryEvaluator()
		require.EqualError(t, err, c.want)
		requireNothing(t, &c.p)
	}
}

// requireNothing requires that Params which cannot be evaluated need nothing.
func requireNothing(t testing.TB, p *Params) {
	t.Helper()
	require.Empty(t, p.CurveLabels())
	require.Empty(t, p.ScoredLabels())
	require.Equal(t, 2, p.CurveClasses())
	require.Empty(t, p.QueryMetrics())
	require.Empty(t, p.Drawings(new(Partial), Options{}, 1))
	require.Empty(t, p.Thresholds(new(Partial)))
	require.Empty(t, p.Confusion(new(Partial), Options{}))
}

// drawParams returns any Params; most cannot be evaluated.
func drawParams(r *rand.Rand) *Params {
	maybe := func(p *Params, do func(*Params)) {
		if r.IntN(4) == 0 {
			do(p)
		}
	}
	p := &Params{Task: pick(r, Binary, Multiclass, Multilabel, Regression, Ranking), Labels: pick(r, 1, 2, 5)}
	number := func() float64 { return pick(r, 0, 1, 0.3, 1e-9, -1, 2000, math.NaN(), math.Inf(1)) }
	maybe(p, func(p *Params) { p.Scores = true })
	maybe(p, func(p *Params) { p.Decisions = true })
	maybe(p, func(p *Params) { p.ScoreType = ScoreType(r.IntN(4)) })
	maybe(p, func(p *Params) { p.Labels = r.IntN(3) - 1 })
	maybe(p, func(p *Params) { p.Bins = pick(r, -1, 1, 3, 10) })
	maybe(p, func(p *Params) { p.Quantiles = true })
	maybe(p, func(p *Params) { p.LogLossEps = number() })
	maybe(p, func(p *Params) { p.Propensity = &Propensity{A: number(), B: number()} })
	maybe(p, func(p *Params) { p.Curves = pick(r, ExactCurves, BoundedCurves, BoundedCurves, "x") })
	maybe(p, func(p *Params) { p.CurveBins = pick(r, -1, 1, 2, 300) })
	maybe(p, func(p *Params) { p.CurveLines = pick(r, -1, 3, 100) })
	maybe(p, func(p *Params) { p.Tuning = &curves.Criterion{Objective: curves.Objective(r.IntN(11)), At: number()} })
	maybe(p, func(p *Params) {
		p.Ranking = RankingOptions{Gain(r.IntN(3)), Ties(r.IntN(3)), number(), number(), EmptyQueries(r.IntN(4)), r.IntN(2) == 0}
	})
	maybe(p, func(p *Params) {
		known := append(slices.Clone(vocabularies()[p.Task].known), "nosuch", "f3", "pinball@0.5", "ndcg@2")
		p.Metrics = fill(1+r.IntN(4), func() string { return pick(r, known...) })
	})
	return p
}

// TestAnyParams: whatever Params say, they are an error or have results, each a number
// or undefined for a reason; and they say the same after travelling as JSON.
func TestAnyParams(t *testing.T) {
	t.Parallel()
	r, good := source(3), 0
	for range 3000 {
		p := drawParams(r)
		partial, err := p.New()
		if err != nil {
			require.NotEmpty(t, err.Error())
			requireNothing(t, p)
			continue
		}
		good++
		full := *p
		require.NoError(t, full.Complete())
		data, err := json.Marshal(full)
		require.NoError(t, err)
		var back Params
		require.NoError(t, json.Unmarshal(data, &back))
		require.NoError(t, back.Complete())
		full.compiled, back.compiled = nil, nil
		require.Equal(t, full, back)

		b := drawBatch(r, &full, r.IntN(20))
		partial.Fold(b, AllRows(nil, b.Rows))
		list, err := p.Evaluate(partial, Options{PerLabel: everyLabel})
		if p.Curving() && partial.Examples() > 0 {
			require.ErrorContains(t, err, "without the curves: add them with Collector.AddTo, or set Curves to BoundedCurves")
			continue
		}
		require.NoError(t, err)
		require.NotEmpty(t, list)
		for _, result := range list {
			require.False(t, math.IsNaN(result.Number) && result.Undefined == "", "%v", result)
		}
	}
	require.Greater(t, good, 300)
}

// TestCurvingWithoutLabels: graphs are built before labels are found in the data.
func TestCurvingWithoutLabels(t *testing.T) {
	p := Params{Task: Multiclass, Metrics: []string{"roc_auc_ovr"}}
	require.True(t, p.Curving())
	require.Empty(t, p.CurveLabels())
	p.Labels = 2
	require.Equal(t, []int{0, 1}, p.CurveLabels())
}

// TestWrongOptions has Options that results cannot follow.
func TestWrongOptions(t *testing.T) {
	p := Params{Task: Multilabel, Labels: 3, Decisions: true}
	for want, o := range map[string]Options{
		"ZeroDivision of 0.5: it must be 0, 1 or NaN":          {ZeroDivision: 0.5},
		"PerLabel.Limit of -1: it must not be negative":        {PerLabel: PerLabel{Limit: -1}},
		"PerLabel.Labels has 3, which is not one of 3 labels":  {PerLabel: PerLabel{Labels: []int{0, 3}}},
		"PerLabel.Labels has -1, which is not one of 3 labels": {PerLabel: PerLabel{Labels: []int{-1}}},
		"PerLabel.Labels has 1 after 2: labels must increase":  {PerLabel: PerLabel{Labels: []int{0, 2, 1}}},
		"PerLabel.Labels has 1 after 1: labels must increase":  {PerLabel: PerLabel{Labels: []int{1, 1}}},
	} {
		_, err := p.Evaluate(new(Partial), o)
		require.EqualError(t, err, want)
	}
}
