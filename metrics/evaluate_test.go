package metrics

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics/curves"
)

func TestEvaluateChangesNoPartial(t *testing.T) {
	for _, n := range taskNames {
		p := params(t, n.task, 3, Logit)
		partial := folded(t, p, drawBatch(source(1), p, 10))
		for _, partial := range []*Partial{new(Partial), partial} {
			before := partial.Append(nil)
			first, err := p.Evaluate(partial, Options{PerLabel: everyLabel})
			require.NoError(t, err)
			require.Equal(t, before, partial.Append(nil), n.name)
			second, err := p.Evaluate(partial, Options{PerLabel: everyLabel})
			require.NoError(t, err)
			requireSame(t, first, second)
		}
	}
}

// requireSame compares results, NaN being equal to NaN.
func requireSame(t *testing.T, want, got []Result) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range want {
		require.Equal(t, math.Float64bits(want[i].Number), math.Float64bits(got[i].Number), "%v", want[i])
		w, g := want[i], got[i]
		w.Number, g.Number = 0, 0
		require.Equal(t, w, g)
	}
}

// TestNothingIsUndefined checks that without examples only counts have a value; all other metrics
// are undefined, whatever zero_division is.
func TestNothingIsUndefined(t *testing.T) {
	for _, n := range taskNames {
		p := params(t, n.task, 3, Logit)
		empty, err := p.New()
		require.NoError(t, err)
		for _, partial := range []*Partial{new(Partial), empty} {
			for k, r := range results(t, p, partial, Options{ZeroDivision: math.NaN(), PerLabel: everyLabel}) {
				require.Zero(t, r.Support, "%v", k)
				switch k.name {
				case "tp", "fp", "tn", "fn", "queries", "queries_without_relevant", "attempts", "ratings":
					require.Equal(t, defined(0), r.Value, "%v", k)
				default:
					require.NotEmpty(t, r.Undefined, "%v", k)
					if !strings.HasPrefix(k.name, "mcc") { // 0 by convention
						require.True(t, math.IsNaN(r.Number), "%s %v is %v", n.name, k, r.Number)
					}
				}
			}
			for k, r := range results(t, p, partial, Options{ZeroDivision: 1, PerLabel: everyLabel}) {
				for _, loss := range []string{"log_loss", "brier", "ece", "classwise_ece", "weighted_kappa", "accuracy", "sigmoid", "softmax"} {
					if strings.HasPrefix(k.name, loss) {
						require.True(t, math.IsNaN(r.Number), "zero_division is not for %v", k)
					}
				}
			}
		}
	}
}

func TestPartialOfOtherParametersIsAnError(t *testing.T) {
	ten := params(t, Multiclass, 10, Probability)
	three := params(t, Multiclass, 3, Probability)
	bins := *ten
	bins.Bins = 7
	for _, p := range []*Params{ten, three, &bins} {
		p.CurveLines, p.Tuning = 20, &curves.Criterion{Objective: curves.FBeta, At: 1}
	}
	partial := folded(t, ten, drawBatch(source(1), ten, 30))
	require.NotEmpty(t, ten.Drawings(partial, Options{}, 1))
	require.NotEmpty(t, ten.Confusion(partial, Options{}))
	for _, other := range []*Params{three, &bins} {
		_, err := other.Evaluate(partial, Options{})
		require.ErrorContains(t, err, "other Params")
		require.Empty(t, other.Drawings(partial, Options{}, 1))
		require.Empty(t, other.Confusion(partial, Options{}))
		require.Empty(t, other.Thresholds(partial))
	}
	few := params(t, Multilabel, 4, RawScore)
	for _, labels := range []int{9, 5000} {
		many := params(t, Multilabel, labels, RawScore)
		_, err := few.Evaluate(folded(t, many, drawBatch(source(1), many, 30)), Options{})
		require.ErrorContains(t, err, "other Params")
	}
}

func TestNewRefusesImpossibleParameters(t *testing.T) {
	for _, c := range []struct {
		p    Params
		want string
	}{
		{Params{Task: Binary, Metrics: []string{"f1", "nosuch"}}, `unknown metric "nosuch" of task binary`},
		{Params{Task: Binary, Metrics: []string{"ece"}, Bins: -1}, "bins"},
		{Params{Task: Multiclass, Metrics: []string{"accuracy"}}, "labels"},
		{Params{Task: Multilabel, Metrics: []string{"f1"}, Labels: -1}, "labels"},
		{Params{Metrics: []string{"f1"}}, "task"},
		{Params{Task: Regression, Metrics: []string{"pinball"}}, "pinball"},
	} {
		_, err := c.p.New()
		require.ErrorContains(t, err, c.want)
		_, err = c.p.Evaluate(new(Partial), Options{})
		require.ErrorContains(t, err, c.want)
	}
}

func TestRepeatedMetricsAreFoldedOnce(t *testing.T) {
	p := Params{Task: Multiclass, Labels: 2, Scores: true, Metrics: []string{"log_loss", "cross_entropy", "log_loss"}}
	b := drawBatch(source(1), &p, 10)
	once := p
	once.Metrics = p.Metrics[:1]
	require.Equal(t, folded(t, &once, b).Append(nil), folded(t, &p, b).Append(nil))
}

func TestPerLabelRowsAndSupport(t *testing.T) {
	b := multilabelBatch([][]int{{1, 0, 1}, {1, 0, 0}, {1, 1, 0}}, [][]int{{1, 0, 0}, {0, 0, 1}, {1, 1, 1}})
	b.Weight = []float64{0.5, 2, 0}
	p := Params{Task: Multilabel, Labels: 3, Decisions: true, Metrics: []string{"recall", "recall_weighted", "subset_accuracy"}}
	list, err := p.Evaluate(folded(t, &p, b), Options{PerLabel: PerLabel{Labels: []int{0, 2}}})
	require.NoError(t, err)
	require.Equal(t, []Result{
		{"recall", 0, Ratio(0.5, 2.5, ""), 3},
		{"recall", 2, Ratio(0, 0.5, ""), 1},
		{"recall_weighted", -1, Value{Number: (2.5*0.2 + 0) / 3, Undefined: "1 of 3 labels undefined"}, 3},
		{"subset_accuracy", -1, Ratio(0, 2.5, ""), 3},
	}, list)
	list, err = p.Evaluate(folded(t, &p, b), Options{})
	require.NoError(t, err)
	require.Len(t, list, 2, "no rows of labels unless asked for")
}

func TestZeroDivisionInMeansOverExamples(t *testing.T) {
	b := multilabelBatch([][]int{{1, 0}, {0, 0}}, [][]int{{1, 0}, {0, 0}})
	for zd, want := range map[float64]float64{0: 0.5, 1: 1} {
		got := evaluated(t, params(t, Multilabel, 2, RawScore), b, Options{ZeroDivision: zd})
		for _, name := range []string{"precision_samples", "recall_samples", "jaccard_samples", "f1_samples", "f1_of_means"} {
			require.Equal(t, Value{Number: want, Undefined: "1 of 2 examples undefined"}, got[key{name, -1}].Value, name)
		}
	}
	got := evaluated(t, params(t, Multilabel, 2, RawScore), b, Options{ZeroDivision: math.NaN()})
	require.Equal(t, Value{Number: 1, Undefined: "1 of 2 examples undefined"}, got[key{"recall_samples", -1}].Value)
	require.Equal(t, defined(0), got[key{"hamming_loss", -1}].Value)
}

// A weighted mean over labels says why it is a plain one.
func TestWeightedMeanWithoutWeight(t *testing.T) {
	p := params(t, Multilabel, 2, RawScore)
	o := Options{ZeroDivision: math.NaN()}
	got := evaluated(t, p, multilabelBatch([][]int{{1, 0}, {1, 0}}, [][]int{{0, 1}, {0, 1}}), o)
	require.Equal(t, Value{Undefined: "1 of 2 labels undefined"}, got[key{"precision_weighted", -1}].Value)
	got = evaluated(t, p, multilabelBatch([][]int{{0, 0}, {0, 0}}, [][]int{{0, 1}, {0, 1}}), o)
	require.Equal(t, Value{Undefined: noPositives}, got[key{"precision_weighted", -1}].Value)
}

func TestInfiniteLosses(t *testing.T) {
	b := binary([]bool{true, false}, nil, nil)
	b.Logit = []float64{-inf, 0}
	p := params(t, Binary, 0, Logit)
	got := evaluated(t, p, finish(b, Binary), Options{})
	require.Equal(t, inf, got[key{"log_loss", -1}].Number)
	b.Weight = []float64{0, 1}
	got = evaluated(t, p, b, Options{})
	require.Equal(t, math.Ln2, got[key{"log_loss", -1}].Number, "an infinite loss of no weight")
}

func TestLogLossClipsLikeScikitLearn(t *testing.T) {
	// sklearn.metrics.log_loss([1, 0, 1], [0, 0, 1]) = 12.01454888...
	b := binary([]bool{true, false, true}, []float64{0, 0, 1}, nil)
	got := evaluated(t, params(t, Binary, 0, Probability), b, Options{})
	require.InDelta(t, -(math.Log(machineEpsilon)+2*math.Log(1-machineEpsilon))/3, got[key{"log_loss", -1}].Number, 1e-14)
}

// labelsWithRows returns the labels that have results of their own.
func labelsWithRows(t *testing.T, p *Params, partial *Partial, which PerLabel) []int {
	list, err := p.Evaluate(partial, Options{PerLabel: which})
	require.NoError(t, err)
	labels := []int{}
	for _, r := range list {
		if r.Label >= 0 {
			labels = append(labels, r.Label)
		}
	}
	return labels
}

func TestLabelsWithRows(t *testing.T) {
	// Labels 3 and 5000 are true somewhere, 4 and 6000 predicted.
	multilabel := &Params{Task: Multilabel, Labels: 7000, Decisions: true, Metrics: []string{"recall"}}
	sets := folded(t, multilabel, &Batch{Rows: 2, Labels: 7000,
		True: setsOf([][]int32{{3}, {5000}}), PredictedSet: setsOf([][]int32{{3, 4}, {6000}})})
	multiclass := &Params{Task: Multiclass, Labels: 7000, Decisions: true, Metrics: []string{"recall"}}
	classes := folded(t, multiclass, &Batch{Rows: 2, Labels: 7000, Class: []int32{3, 5000}, Predicted: []int32{4, 6000}})
	for name, c := range map[string]struct {
		which PerLabel
		want  []int
	}{
		"none":                       {PerLabel{}, []int{}},
		"the first that occur":       {PerLabel{Limit: 3}, []int{3, 4, 5000}},
		"fewer than the limit occur": {PerLabel{Limit: 6999}, []int{3, 4, 5000, 6000}},
		"named":                      {PerLabel{Labels: []int{2, 3}, Limit: 1}, []int{2, 3}},
		"none of the names":          {PerLabel{Labels: []int{}, Limit: 7000}, []int{}},
		"no more than the limit":     {PerLabel{Limit: 7000}, firstLabels(7000)},
		"all":                        {PerLabel{All: true, Limit: 1}, firstLabels(7000)},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, labelsWithRows(t, multilabel, sets, c.which))
			require.Equal(t, c.want, labelsWithRows(t, multiclass, classes, c.which))
		})
	}
}

// TestLabelsWithRowsUnknown: statistics of scores don't say which labels occur.
func TestLabelsWithRowsUnknown(t *testing.T) {
	p := &Params{Task: Multilabel, Labels: 5, Scores: true, LogLossEps: machineEpsilon, Metrics: []string{"log_loss"}}
	partial := folded(t, p, finish(&Batch{Rows: 1, Labels: 5, True: setsOf([][]int32{{4}}), Probability: make([]float64, 5)}, Multilabel))
	require.Equal(t, []int{0, 1}, labelsWithRows(t, p, partial, PerLabel{Limit: 2}))
}
