package metrics

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDistributionsOfOneClass: a soft label that is all on one class gives the
// same bits as that class.
func TestDistributionsOfOneClass(t *testing.T) {
	for _, score := range []ScoreType{Probability, Logit} {
		p := params(t, Multiclass, 4, score)
		for seed := range uint64(40) {
			t.Logf("seed %d", seed)
			b := drawBatch(source(seed), p, 12)
			b.Distribution = nil
			want := folded(t, p, b).Append(nil)
			b.Distribution = make([]float64, len(b.Probability))
			for r, class := range b.Class {
				b.Distribution[r*b.Labels+int(class)] = 1
			}
			require.Equal(t, want, folded(t, p, b).Append(nil))
		}
	}
}

func TestSoftLossesByHand(t *testing.T) {
	b := softBatch([][]float64{{.25, .75}, {.5, .5}}, [][]float64{{.5, .5}, {.2, .8}})
	b.Weight = []float64{1, 3}
	got := evaluated(t, params(t, Multiclass, 2, Probability), b, Options{})
	require.InDelta(t, (math.Ln2-1.5*math.Log(.2)-1.5*math.Log(.8))/4, got[key{"log_loss", -1}].Number, 1e-15)
	require.InDelta(t, (2*.0625+3*2*.09)/4, got[key{"brier", -1}].Number, 1e-15)
}

// TestImpossibleClasses: the loss of a class counts by its truth, so not at all
// where that is 0.
func TestImpossibleClasses(t *testing.T) {
	truth := [][]float64{{0, .5, .5}}
	of := func(b *Batch, score ScoreType) float64 {
		return evaluated(t, params(t, Multiclass, 3, score), finish(b, Multiclass), Options{})[key{"log_loss", -1}].Number
	}
	b := softBatch(truth, [][]float64{{0, .5, .5}})
	require.Equal(t, math.Ln2, of(b, Probability))
	b = softBatch(truth, [][]float64{{.5, .5, 0}})
	require.InDelta(t, math.Ln2/2-math.Log(machineEpsilon)/2, of(b, Probability), 1e-14)
	b.Probability, b.Logit = nil, []float64{-inf, 1, 1}
	require.Equal(t, math.Ln2, of(b, Logit))
	b.Probability, b.Logit = nil, []float64{0, 1, -inf}
	require.Equal(t, inf, of(b, Logit))
}

// TestSoftLabelsAreTheirTopClass: all but the losses take the most probable
// class, of equals the first, for the true one.
func TestSoftLabelsAreTheirTopClass(t *testing.T) {
	p := params(t, Multiclass, 3, Probability)
	b := softBatch([][]float64{{.4, .4, .2}, {.1, .2, .7}}, [][]float64{{.6, .3, .1}, {.5, .2, .3}})
	hard := *b
	hard.Distribution, hard.Class = nil, []int32{0, 2}
	soft, want := evaluated(t, p, b, Options{}), evaluated(t, p, finish(&hard, Multiclass), Options{})
	for k, r := range want {
		switch k.name {
		case "log_loss", "log_loss_sum", "brier", "brier_skill", "d2_log_loss_score", kappaLossNames[0], kappaLossNames[1]:
			require.NotEqual(t, r.Number, soft[k].Number, k.name)
		default:
			require.Equal(t, math.Float64bits(r.Number), math.Float64bits(soft[k].Number), k.name)
		}
	}
}

// TestLossesOfExamples: the loss of an example is the metric of that example alone.
func TestLossesOfExamples(t *testing.T) {
	sparse := func(task Task) *Params {
		return everyMetric(t, Params{Task: task, Labels: 3, Scores: true, Sparse: true, ScoreType: Logit, Decisions: true})
	}
	zero := params(t, Ranking, 1, RawScore)
	zero.Ranking.EmptyQueries = EmptyIsZero
	for _, c := range []struct {
		p                 *Params
		name, as, byLabel string // the names of the loss and of the metric; that of a label
		flipped           bool   // whether the metric is 1 - loss
	}{
		{params(t, Binary, 1, Probability), "log_loss", "log_loss", "", false},
		{params(t, Binary, 1, Logit), "log_loss", "log_loss", "", false},
		{params(t, Binary, 1, RawScore), "zero_one_loss", "accuracy", "", true},
		{params(t, Multiclass, 4, Probability), "log_loss", "log_loss", "", false},
		{params(t, Multiclass, 4, Logit), "log_loss", "log_loss", "", false},
		{params(t, Multiclass, 4, RawScore), "zero_one_loss", "accuracy", "", true},
		{sparse(Multiclass), "zero_one_loss", "accuracy", "", true},
		{params(t, Multilabel, 5, Probability), "log_loss", "log_loss_micro", "log_loss", false},
		{params(t, Multilabel, 5, Logit), "log_loss", "sigmoid_cross_entropy", "log_loss", false},
		{params(t, Multilabel, 5, RawScore), "hamming_loss", "hamming_loss", "accuracy", false},
		{sparse(Multilabel), "hamming_loss", "hamming_loss", "accuracy", false},
		{params(t, Regression, 1, RawScore), "absolute_error", "mae", "", false},
		{params(t, Ranking, 1, RawScore), "1 - ndcg", "ndcg", "", true},
		{zero, "1 - ndcg", "ndcg", "", true},
	} {
		e, err := c.p.NewLossEvaluator("", 0)
		require.NoError(t, err)
		require.Equal(t, c.name, e.Name())
		undefined := 0
		for seed := range uint64(20) {
			b := drawBatch(source(seed), c.p, 5)
			b.Weight = nil
			for r := range int32(b.Rows) {
				partial, err := c.p.New()
				require.NoError(t, err)
				partial.Fold(b, []int32{r})
				alone := results(t, c.p, partial, Options{PerLabel: everyLabel})
				want := alone[key{c.as, -1}].Number
				if c.flipped {
					want = 1 - want
				}
				got, margin := e.Loss(b, r)
				if want != got && !(math.IsNaN(want) && math.IsNaN(got)) {
					require.InEpsilon(t, want, got, 1e-14, "%v seed %d row %d", c.name, seed, r)
				}
				if undefined += oneIf(got != got); c.name != "zero_one_loss" {
					require.Zero(t, margin)
				}
				if c.p.Task&(Multiclass|Multilabel) == 0 {
					continue
				}
				byLabel := make(map[int]float64)
				e.ByLabel(b, r, func(label int32, loss, _ float64) { byLabel[int(label)] = loss })
				switch {
				case c.p.Task == Multiclass:
					require.Equal(t, map[int]float64{int(b.Class[r]): got}, byLabel)
				case c.byLabel == "log_loss":
					require.Equal(t, "log_loss", e.NameByLabel())
					require.Len(t, byLabel, b.Labels)
					for label, loss := range byLabel {
						require.Equal(t, alone[key{"log_loss", label}].Number, loss)
					}
				default:
					require.Equal(t, "zero_one_loss", e.NameByLabel())
					for label := range b.Labels {
						require.Equal(t, 1-alone[key{"accuracy", label}].Number, byLabel[label])
					}
				}
			}
		}
		require.Equal(t, c.p == zero || c.p.Task != Ranking, undefined == 0)
	}
}

// TestMarginsOfWrongPredictions: they tell how far a score is on the wrong side.
func TestMarginsOfWrongPredictions(t *testing.T) {
	of := func(p Params, b *Batch) (margins []float64) {
		e, err := p.NewLossEvaluator("", 2)
		require.NoError(t, err)
		for r := range int32(b.Rows) {
			_, margin := e.Loss(b, r)
			margins = append(margins, margin)
		}
		return margins
	}
	require.Equal(t, []float64{0, 3, 6, 0, inf}, of(Params{Task: Binary, Scores: true, ScoreType: RawScore, Decisions: true},
		&Batch{Rows: 5, Labels: 1, Class: []int32{1, 0, 1, 0, 1}, Predicted: []int32{1, 1, 0, 0, 0}, Score: []float64{7, 5, -4, 1, -inf}}))
	require.Equal(t, []float64{0, 5, 0}, of(Params{Task: Multiclass, Labels: 2, Scores: true, ScoreType: RawScore, Decisions: true},
		&Batch{Rows: 3, Labels: 2, Class: []int32{0, 1, 1}, Predicted: []int32{0, 0, 0}, Score: []float64{1, 0, 3, -2, inf, inf}}))
}

// TestChosenLosses: the loss that is asked for is the metric of the example alone.
func TestChosenLosses(t *testing.T) {
	for _, c := range []struct {
		p        *Params
		name, as string
		flipped  bool
	}{
		{params(t, Regression, 1, RawScore), "squared_error", "mse", false},
		{params(t, Binary, 1, Probability), "zero_one_loss", "accuracy", true},
		{params(t, Binary, 1, Logit), "brier", "brier", false},
		{params(t, Multiclass, 4, Probability), "zero_one_loss", "accuracy", true},
		{params(t, Multiclass, 4, Logit), "brier", "brier", false},
		{params(t, Multilabel, 5, Probability), "zero_one_loss", "zero_one_loss", false},
		{params(t, Multilabel, 5, Probability), "brier", "brier_micro", false},
		{params(t, Multilabel, 5, Probability), "ranking_loss", "ranking_loss", false},
		{params(t, Multilabel, 5, Probability), "1 - ndcg@3", "ndcg@3", true},
		{params(t, Ranking, 1, RawScore), "1 - ndcg@3", "ndcg@3", true},
	} {
		require.True(t, c.p.HasLoss(c.name), c.name)
		e, err := c.p.NewLossEvaluator(c.name, 0)
		require.NoError(t, err)
		require.Equal(t, c.name, e.Name())
		b := drawBatch(source(1), c.p, 50)
		b.Weight = nil
		for r := range int32(b.Rows) {
			partial, err := c.p.New()
			require.NoError(t, err)
			partial.Fold(b, []int32{r})
			want := results(t, c.p, partial, Options{PerLabel: everyLabel})[key{c.as, -1}].Number
			if c.flipped {
				want = 1 - want
			}
			got, _ := e.Loss(b, r)
			if math.IsNaN(want) {
				require.True(t, math.IsNaN(got), "%v row %d", c.name, r)
				continue
			}
			require.InDelta(t, want, got, 1e-14*max(1, want), "%v row %d", c.name, r)
		}
	}
}

// TestLossesAgainstBaseline: the increase of a loss is the difference of the losses of two batches,
// one with the baseline's predictions.
func TestLossesAgainstBaseline(t *testing.T) {
	for _, p := range []*Params{params(t, Binary, 1, Probability), params(t, Binary, 1, Logit), params(t, Multiclass, 4, Probability), params(t, Multiclass, 4, Logit)} {
		loss := func(name string, b *Batch, r int32) float64 {
			e, err := p.NewLossEvaluator(name, 0)
			require.NoError(t, err)
			x, margin := e.Loss(b, r)
			require.True(t, name == "zero_one_loss" || margin == 0)
			return x
		}
		risen, broken := 0, 0
		for seed := range uint64(10) {
			b := drawBatch(source(seed), p, 20)
			var baseline Batch
			baseline.SetBaseline(b, p.Task, p.ScoreType)
			for r := range int32(b.Rows) {
				for _, name := range []string{"log_loss", "brier"} {
					want := max(loss(name, b, r)-loss(name, &baseline, r), 0)
					if want != want { // both are infinite
						want = 0
					}
					require.Equal(t, want, loss(name+"_increase", b, r))
					risen += oneIf(want > 0)
				}
				want := max(loss("zero_one_loss", b, r)-loss("zero_one_loss", &baseline, r), 0)
				require.Equal(t, want, loss("regression", b, r))
				broken += int(want)
			}
		}
		require.Positive(t, risen)
		require.Positive(t, broken)
		require.True(t, p.HasLoss("regression"))
	}
	without := params(t, Binary, 1, Probability)
	without.Has &^= HasBaselineScores
	require.False(t, without.HasLoss("brier_increase"))
	without.Has = 0
	require.False(t, without.HasLoss("regression"))
}

// TestForLosses: parameters for losses are complete, and neither sort nor fold much.
func TestForLosses(t *testing.T) {
	for _, p := range []*Params{
		params(t, Regression, 1, RawScore), params(t, Ranking, 1, RawScore), params(t, Binary, 1, Probability), params(t, Multiclass, 4, Logit),
		params(t, Multilabel, 5, Probability), {Task: Binary, Scores: true, Metrics: []string{"log_loss", "roc_auc"}},
	} {
		few := p.ForLosses()
		require.NoError(t, few.Complete())
		require.False(t, few.Curving())
		require.Len(t, few.Metrics, 1)
		require.Equal(t, p.LossesOfExamples(), few.LossesOfExamples())
	}
}

func TestNoLosses(t *testing.T) {
	_, err := (&Params{Task: Multilabel, Labels: 3, Scores: true, ScoreType: RawScore, Metrics: []string{"lrap"}}).NewLossEvaluator("", 0)
	require.EqualError(t, err, "task multilabel has neither probabilities nor decisions to take the loss of")
	_, err = (&Params{}).NewLossEvaluator("", 0)
	require.Error(t, err)
	_, err = (&Params{Task: Binary, Metrics: []string{"accuracy"}}).NewLossEvaluator("log_loss", 0)
	require.EqualError(t, err, `"log_loss" is no loss that an example has: expected one of ["zero_one_loss"], or a metric that is a mean over examples`)
	for _, name := range []string{"lrap", "1 - ranking_loss", "f1_micro", "nonesuch", "psp@3"} {
		require.False(t, params(t, Multilabel, 5, Probability).HasLoss(name), name)
	}
}
