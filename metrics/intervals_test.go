package metrics

import (
	"encoding/json"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/metrics/confidence"
)

// everyTask has Params of every task, with every metric of the catalogue.
func everyTask(t testing.TB) (all []*Params) {
	for _, n := range taskNames {
		p := Params{Task: n.task, Labels: 3, Scores: true, ScoreType: Logit, Decisions: true, Curves: ExactCurves, Ranking: usualRanking, Judgements: true,
			Propensity: &Propensity{A: 0.55, B: 1.5, Frequencies: LabelFrequencies{100, map[int32]int64{0: 50, 1: 30, 2: 5}}}}
		p.Has = given(n.task&(Ranking|Preference|Grading|Agreement) == 0, HasBaseline) | given(n.task&(Binary|Multilabel) != 0, HasBaselineScores) | given(n.task == Multiclass, HasJudgedClass|HasPredictionSets)
		p.Judged = n.task&(Binary|Regression) != 0
		if n.task == Grading {
			p.Grades.PassThreshold, p.Has = new(0.5), HasAnswers
		}
		if n.task == Regression {
			p.QuantileLevels, p.Has = []float64{0.1, 0.5, 0.9}, p.Has|HasEnsemble|HasScale
		}
		if n.task&(Binary|Multilabel) != 0 {
			p.Costs = [][]float64{{0, 1}, {10, 0.5}}
		}
		if n.task == Multiclass {
			p.Costs = [][]float64{{0, 1, 2}, {3, 0.5, 1}, {10, 4, 0}}
		}
		all = append(all, everyMetric(t, p))
	}
	return all
}

// modelled returns n examples, always the same, and the predictions of a model that is right with
// the given probability.
func modelled(r *rand.Rand, p *Params, n int, right float64) *Batch {
	b, truths := &Batch{Rows: n, Labels: p.scored()}, source(0)
	judge := func(truth bool) bool { return truth == (r.Float64() < right) }
	logit := func(predicted bool) float64 {
		if predicted {
			return 1 + r.Float64()
		}
		return -1 - r.Float64()
	}
	switch p.Task {
	case Regression:
		b.Target = fill(n, truths.ExpFloat64)
		for _, y := range b.Target {
			spread := (1.01 - right) * (0.5 + r.Float64())
			p := y + spread
			b.Estimate, b.Scale = append(b.Estimate, p), append(b.Scale, 0.5)
			b.Quantile, b.Member = append(b.Quantile, p-spread, p, p+spread), append(b.Member, p-spread, p+spread)
		}
		b.BaselineEstimate = fill(n, truths.ExpFloat64)
		b.MemberOffset = fill(n+1, func() int32 { return 0 })
		for i := range b.MemberOffset {
			b.MemberOffset[i] = int32(2 * i)
		}
		return b
	case Grading:
		b.GradeOffset = []int32{0}
		for range n {
			list := fill(6, func() float64 { return float64(oneIf(r.Float64() < right)) + r.Float64()/10 })
			b.Majority = append(b.Majority, math.Round(meanOf(list)))
			slices.Sort(list)
			b.Grade = append(b.Grade, list...)
			b.GradeOffset = append(b.GradeOffset, int32(len(b.Grade)))
		}
		return b
	case Agreement:
		b.RatingOffset = []int32{0}
		for row := range n {
			x := float64(truths.IntN(4))
			for rater := range p.Labels {
				rating := x
				if !judge(true) {
					rating += float64(1 + rater)
				}
				b.Rating, b.Rater = append(b.Rating, rating), append(b.Rater, int32(rater))
			}
			b.RatingOffset = append(b.RatingOffset, int32((row+1)*p.Labels))
		}
		return b
	case Preference:
		for r := range n {
			b.First, b.Second = append(b.First, int32(r%p.Labels)), append(b.Second, int32((r+1)%p.Labels))
			b.Outcome = append(b.Outcome, Outcome(truths.IntN(3)))
		}
		return b
	case Ranking:
		b.ItemOffset = []int32{0}
		for range n {
			for range 12 {
				relevance := float64(truths.IntN(4))
				b.Relevance = append(b.Relevance, relevance)
				b.Score = append(b.Score, right*relevance+(1-right)*4*r.Float64())
			}
			b.ItemOffset = append(b.ItemOffset, int32(len(b.Score)))
		}
		return b
	case Multilabel:
		var truth, predicted [][]int
		for range n {
			row := fill(p.Labels, func() int { return truths.IntN(2) })
			row[truths.IntN(p.Labels)] = 1
			truth, predicted = append(truth, row), append(predicted, nil)
			for label := range row {
				guess := judge(row[label] == 1)
				b.Logit = append(b.Logit, logit(guess))
				predicted[len(predicted)-1] = append(predicted[len(predicted)-1], oneIf(guess))
			}
		}
		b.True, b.PredictedSet = labelSets(truth...), labelSets(predicted...)
		b.BaselineSet = labelSets(fill(n, func() []int { return fill(p.Labels, func() int { return truths.IntN(2) }) })...)
		b.BaselineScore = fill(n*p.Labels, truths.Float64)
	default:
		b.Class = fill(n, func() int32 { return int32(truths.IntN(p.classes())) })
		b.Baseline = fill(n, func() int32 { return int32(truths.IntN(p.classes())) })
		if p.has(HasBaselineScores) {
			b.BaselineScore = fill(n, truths.Float64)
		}
		var sets [][]int32
		for _, class := range b.Class {
			guess := class
			if !judge(true) {
				guess = (class + 1) % int32(p.classes())
			}
			b.Predicted = append(b.Predicted, guess)
			if p.has(HasJudgedClass) {
				judged := class
				if !judge(true) {
					judged = (class + 1) % int32(p.classes())
				}
				b.JudgedClass = append(b.JudgedClass, judged)
			}
			if p.has(HasPredictionSets) { // a better model has smaller sets; some have all classes
				set := []int32{guess}
				for len(set) < p.classes() && (len(sets)%10 == 0 || !judge(true)) {
					set = append(set, (set[len(set)-1]+1)%int32(p.classes()))
				}
				slices.Sort(set)
				sets = append(sets, set)
			}
			for label := range b.Labels {
				b.Logit = append(b.Logit, logit(int(guess) == label+oneIf(p.Task == Binary)))
			}
		}
		b.PredictedSet = setsOf(sets)
	}
	return finish(b, p.Task)
}

// A good model is better than a bad one by every metric of the catalogue that has better values.
func TestDirection(t *testing.T) {
	r := source(1)
	for _, p := range everyTask(t) {
		if p.Task == Preference { // a system is only better than others
			continue
		}
		good := results(t, p, collected(t, r, p, modelled(r, p, 300, 0.95)), Options{PerLabel: everyLabel})
		bad := results(t, p, collected(t, r, p, modelled(r, p, 300, 0.4)), Options{PerLabel: everyLabel})
		differ := make(map[*metric]bool)
		for k := range good {
			m := rowOf(t, p.Task, k.name).metric
			switch difference := good[k].Number - bad[k].Number; Direction(k.name) {
			case Higher:
				require.GreaterOrEqual(t, difference, 0.0, "%s %v", p.Task, k)
				differ[m] = differ[m] || difference > 0
			case Lower:
				require.LessOrEqual(t, difference, 0.0, "%s %v", p.Task, k)
				differ[m] = differ[m] || difference < 0
			case NearZero, NearOne:
				target, _ := Direction(k.name).Target()
				differ[m] = differ[m] || math.Abs(good[k].Number-target) < math.Abs(bad[k].Number-target)
			case Neither:
				differ[m] = true
			}
		}
		for i := range catalogue {
			if m := &catalogue[i]; m.tasks&p.Task != 0 && m.needs&(needRole(roles.Item)|needRole(roles.Category)) == 0 { // a good model may show any items
				require.True(t, differ[m], "%s: %s does not tell a good model from a bad one", p.Task, m.name)
			}
		}
	}
	for name, want := range map[string]string{"nosuch": "", "pinball@0.3": "lower", "f0.5_macro": "higher", "mean_bias": "near 0", "calibration_ratio": "near 1"} {
		require.Equal(t, want, Direction(name).String(), name)
	}
}

// Groups should not differ, whichever way the metric that compares them is better.
func TestDirectionOfDisparities(t *testing.T) {
	for name, want := range map[string]string{
		"demographic_parity_difference": "lower", "equalized_odds_ratio": "higher", "log_loss_difference": "lower", "ndcg@10_ratio": "higher",
		"f0.5_macro_difference": "lower", "accuracy_group_min": "higher", "fnr_group_max": "lower", "predicted_positive_rate_group_max": "",
		"accuracy_difference_to_reference": "near 0", "accuracy_ratio_to_reference": "near 1", "demographic_parity_group_max": "",
		"nosuch_difference": "", "nosuch_ratio_to_reference": "", "_difference": "", "positive_likelihood_ratio": "higher",
	} {
		require.Equal(t, want, Direction(name).String(), name)
	}
	require.Equal(t, "the greatest recall or fpr of a group minus the least, whichever is worse", Definition(Binary, "equalized_odds_difference"))
	require.Equal(t, "the least accuracy of a group", Definition(Multiclass, "accuracy_group_min"))
	require.Empty(t, Definition(Multiclass, "equalized_odds_difference"))
	require.False(t, Registered(Binary, "accuracy_difference"))
}

// A name has one direction, and one range of values, whatever the task.
func TestDirectionIsOfTheName(t *testing.T) {
	for i := range catalogue {
		for j := range catalogue {
			if a, b := &catalogue[i], &catalogue[j]; a.name == b.name {
				require.Equal(t, a.better, b.better, a.name)
				leastA, mostA := a.scale.Bounds()
				leastB, mostB := b.scale.Bounds()
				require.Equal(t, [2]float64{leastA, mostA}, [2]float64{leastB, mostB}, a.name)
			}
		}
	}
}

func TestBounds(t *testing.T) {
	inf := math.Inf(1)
	for name, want := range map[string][2]float64{
		"recall": {0, 1}, "f0.5_macro": {0, 1}, "log_loss": {0, inf}, "mcc": {-1, 1}, "r2": {-inf, 1}, "mean_bias": {-inf, inf}, "ece": {-inf, inf}, "nosuch": {-inf, inf},
	} {
		least, most := Bounds(name)
		require.Equal(t, want, [2]float64{least, most}, name)
	}
}

// Values keep within the bounds of their scale, and a proportion times its trials is a whole
// number.
func TestScalesFitValues(t *testing.T) {
	r := source(2)
	for _, p := range everyTask(t) {
		for _, right := range []float64{0.95, 0.4} {
			list, err := p.Evaluate(collected(t, r, p, modelled(r, p, 200, right)), Options{PerLabel: everyLabel})
			require.NoError(t, err)
			for _, v := range list {
				if v.Undefined == noneOfSize { // set_coverage@<k> with more classes than there are
					continue
				}
				c, err := find(p.Task, v.Name, nil)
				require.NoError(t, err)
				trials := v.Trials
				switch c[0].scale() {
				case confidence.Proportion:
					if p.Task != Ranking { // ties make it an expectation
						near(t, math.Round(v.Number*trials), v.Number*trials, v.Name)
					}
					require.True(t, (0 < trials || v.Name == "pass_rate") && trials <= 200, "%s: %v trials", v.Name, trials) // shares of several attempts are no trials
				case confidence.F1:
					near(t, math.Round(v.Number/(2-v.Number)*trials), v.Number/(2-v.Number)*trials, v.Name)
					require.True(t, 0 < trials && trials <= 200, "%s: %v trials", v.Name, trials)
				case confidence.Logit:
					require.True(t, 0 <= v.Number && v.Number <= 1, "%v", v)
				case confidence.Atanh:
					require.True(t, -1 <= v.Number && v.Number <= 1, "%v", v)
				case confidence.Log:
					require.LessOrEqual(t, 0.0, v.Number, "%v", v)
				case confidence.LogOneMinus:
					require.LessOrEqual(t, v.Number, 1.0, "%v", v)
				}
			}
		}
	}
}

// goldenExamples are the examples of confidence/testdata/golden.json, of two models, and the
// intervals that were computed without this project.
type goldenExamples struct {
	Rows []struct {
		ID, User string
		Label    int32
		A, B     float64
	}
	Groups       map[string]int // by ID
	GroupsByUser map[string]int `json:"groups_by_user"`
	Overall      goldenIntervals
	ByUser       goldenIntervals `json:"by_user"`
}

type goldenIntervals struct {
	Groups []int
	A, B   map[string]goldenInterval
}

type goldenInterval struct {
	Value      float64
	Replicates []float64
	StdError   float64 `json:"std_error"`
	DOF        float64
	Low        float64 `json:"ci_low"`
	High       float64 `json:"ci_high"`
	Method     string
}

func TestGoldenIntervals(t *testing.T) {
	data, err := os.ReadFile("confidence/testdata/golden.json")
	require.NoError(t, err)
	var g goldenExamples
	require.NoError(t, json.Unmarshal(data, &g))
	byID, byUser := make(map[int][]int32), make(map[int][]int32)
	a, b := &Batch{Rows: len(g.Rows), Labels: 1}, &Batch{Rows: len(g.Rows), Labels: 1}
	for i, row := range g.Rows {
		byID[g.Groups[row.ID]] = append(byID[g.Groups[row.ID]], int32(i))
		byUser[g.GroupsByUser[row.User]] = append(byUser[g.GroupsByUser[row.User]], int32(i))
		a.Probability, b.Probability = append(a.Probability, row.A), append(b.Probability, row.B)
		for _, model := range []*Batch{a, b} {
			model.Class = append(model.Class, row.Label)
			model.Predicted = append(model.Predicted, int32(oneIf(model.Probability[i] >= 0.5)))
		}
	}
	requireGolden(t, g.Overall.A, finish(a, Binary), g.Overall.Groups, byID, false)
	requireGolden(t, g.Overall.B, finish(b, Binary), g.Overall.Groups, byID, false)
	requireGolden(t, g.ByUser.A, a, g.ByUser.Groups, byUser, true)
	requireGolden(t, g.ByUser.B, b, g.ByUser.Groups, byUser, true)
}

// requireGolden compares the intervals of examples in some groups.
func requireGolden(t *testing.T, golden map[string]goldenInterval, b *Batch, groups []int, members map[int][]int32, clustered bool) {
	p := &Params{Task: Binary, Metrics: slices.Collect(maps.Keys(golden))}
	require.NoError(t, p.Complete())
	evaluate := func(b *Batch) []Result {
		list, err := p.Evaluate(collected(t, source(1), p, b), Options{})
		require.NoError(t, err)
		return list
	}
	var without [][]Result
	classes := [2]int{} // the groups that have examples of each
	for _, group := range groups {
		var rest []int32
		found := [2]int{}
		for _, r := range AllRows(nil, b.Rows) {
			if slices.Contains(members[group], r) {
				found[b.Class[r]] = 1
			} else {
				rest = append(rest, r)
			}
		}
		without = append(without, evaluate(take(b, rest)))
		classes[0], classes[1] = classes[0]+found[0], classes[1]+found[1]
	}
	all := evaluate(b)
	o := IntervalOptions{Level: 0.95, Clustered: clustered, Folds: func(int) (int, int) { return classes[1], classes[0] }}
	agree := func(want, got float64, name string) {
		require.InDelta(t, want, got, tolerance*max(1, math.Abs(want)), name)
	}
	for i, got := range p.Intervals(o, all, without) {
		name, want := all[i].Name, golden[all[i].Name]
		agree(want.Value, all[i].Number, name)
		for j, results := range without {
			agree(want.Replicates[j], results[i].Estimate(), name)
		}
		agree(want.StdError, got.StdError, name)
		agree(want.DOF, got.DOF, name)
		agree(want.Low, got.Low, name)
		agree(want.High, got.High, name)
		require.Equal(t, len(groups), got.Folds)
		require.Equal(t, want.Method, got.Method)
		require.Empty(t, got.NoInterval)
	}
}

// A proportion of weighted or clustered examples has no number of trials; and what
// zero_division replaces is undefined.
func TestIntervalsOfDependentExamples(t *testing.T) {
	p := &Params{Task: Multiclass, Labels: 3, Metrics: []string{"accuracy", "precision", "precision_micro", "mcc"}}
	b := modelled(source(3), &Params{Task: Multiclass, Labels: 2}, 400, 0.8) // label 2 does not occur
	without := make([][]Result, 20)
	evaluate := func(rows []int32) []Result {
		partial, err := p.New()
		require.NoError(t, err)
		partial.Fold(b, rows)
		list, err := p.Evaluate(partial, Options{PerLabel: everyLabel})
		require.NoError(t, err)
		return list
	}
	rows := AllRows(nil, b.Rows)
	for i := range without {
		without[i] = evaluate(slices.Concat(rows[:20*i], rows[20*(i+1):]))
	}
	all := evaluate(rows)
	tell := func(o IntervalOptions) (methods []string) {
		o.Level = 0.95
		for i, v := range p.Intervals(o, all, without) {
			require.Equal(t, v.Method == "", v.NoInterval != "")
			require.Equal(t, 20, v.Folds)
			require.Equal(t, v.Method != "", v.Low < all[i].Number && all[i].Number < v.High)
			methods = append(methods, v.Method+v.NoInterval)
		}
		return methods
	}
	const wilson, jackknife, few = confidence.MethodWilson, confidence.MethodJackknife, confidence.FewOfAClass
	// accuracy, precision of each label, its average, mcc
	require.Equal(t, []string{wilson, wilson, wilson, confidence.Undefined, jackknife, jackknife}, tell(IntervalOptions{}))
	rarer := func(label int) (positive, negative int) { return 20, 8 + label*5 }
	for _, o := range []IntervalOptions{{Clustered: true}, {Weighted: true}} {
		require.Equal(t, []string{jackknife, jackknife, jackknife, confidence.Undefined, jackknife, jackknife}, tell(o))
		o.Folds = rarer
		require.Equal(t, []string{jackknife, few, jackknife, confidence.Undefined, jackknife, jackknife}, tell(o))
	}
}
