package metrics

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// judgedBatch returns rows of three classes that a model predicts, mostly right, and another judges.
func judgedBatch(r *rand.Rand, n int, judge func(class int32) int32) *Batch {
	b := &Batch{Rows: n, Labels: 3}
	for range n {
		class := r.Int32N(3)
		b.Class, b.Predicted, b.JudgedClass = append(b.Class, class), append(b.Predicted, pick(r, class, class, r.Int32N(3))), append(b.JudgedClass, judge(class))
	}
	return b
}

// judgedResults returns the results of rows; only the first rows have a label, as many as labels
// says.
func judgedResults(t *testing.T, p *Params, b *Batch, labels int) map[key]Result {
	partial, err := p.New()
	require.NoError(t, err)
	all := AllRows(nil, b.Rows)
	partial.Fold(b, all[:labels])
	partial.FoldUnlabelled(b, all[labels:])
	return results(t, p, partial, Options{PerLabel: everyLabel})
}

// TestJudgedClasses: if all rows have a label, the estimates equal the labels' metrics; if the
// judgements are right, they are close to the metrics of all rows.
func TestJudgedClasses(t *testing.T) {
	r := source(38)
	p := &Params{Task: Multiclass, Labels: 3, Decisions: true, Has: HasJudgedClass}
	b := judgedBatch(r, 4000, func(int32) int32 { return r.Int32N(3) })
	got := judgedResults(t, p, b, b.Rows)
	accuracy := got[key{"accuracy", -1}].Number
	require.Equal(t, accuracy, got[key{"prediction_powered_accuracy", -1}].Number)
	near(t, math.Sqrt(accuracy*(1-accuracy)/4000), got[key{"prediction_powered_accuracy_std_error", -1}].Number, "standard error")
	for class := range 3 {
		share := got[key{"label_mean", class}]
		require.Equal(t, share.Number, got[key{"prediction_powered_mean", class}].Number)
		require.Equal(t, share.StdError, got[key{"prediction_powered_mean_std_error", class}].Number)
		require.Zero(t, got[key{"prediction_powered_lambda", class}].Number)
	}

	b = judgedBatch(r, 4000, func(class int32) int32 { return class })
	want, got := judgedResults(t, p, b, 4000), judgedResults(t, p, b, 1000)
	require.Equal(t, 1., got[key{"judge_agreement", -1}].Number)
	require.Equal(t, 1., got[key{"judge_cohen_kappa", -1}].Number)
	require.Equal(t, want[key{"accuracy", -1}].Number, got[key{"judged_accuracy", -1}].Number)
	require.EqualValues(t, 4000, got[key{"judged_rows", -1}].Number)
	for k, name := range map[key]string{{"prediction_powered_accuracy", -1}: "accuracy", {"prediction_powered_mean", 1}: "label_mean"} {
		require.InDelta(t, want[key{name, k.label}].Number, got[k].Number, 1e-3)
		require.InEpsilon(t, want[key{k.name + "_std_error", k.label}].Number, got[key{k.name + "_std_error", k.label}].Number, 0.01)
	}
}

// TestJudgementsAsPredictions: where judgements are the predictions, the metrics of decisions
// measure agreement with the labels, and there are metrics of shares, too.
func TestJudgementsAsPredictions(t *testing.T) {
	p := &Params{Task: Multiclass, Labels: 3, Judged: true}
	b := judgedBatch(source(39), 500, func(class int32) int32 { return class })
	b.JudgedClass = nil
	got := judgedResults(t, p, b, 100)
	require.Contains(t, got, key{"cohen_kappa", -1})
	require.NotContains(t, got, key{"judge_agreement", -1})
	require.NotContains(t, got, key{"prediction_powered_accuracy", -1})
	sum := 0.
	for class := range 3 {
		sum += got[key{"judged_mean", class}].Number
		require.LessOrEqual(t, got[key{"prediction_powered_mean_std_error", class}].Number, got[key{"label_mean_std_error", class}].Number)
	}
	near(t, 1, sum, "shares")
	none := judgedResults(t, p, b, 0)
	require.Equal(t, "no labels", none[key{"prediction_powered_mean", 2}].Undefined)
	require.Empty(t, none[key{"judged_mean", 2}].Undefined)
}
