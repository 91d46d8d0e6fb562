package ingest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
)

// TestColumnsThatDoNotFit: columns of a type or shape that the task has no use
// for are an error before any row is looked at.
func TestColumnsThatDoNotFit(t *testing.T) {
	label, list, items := listsOf(ints(0), 1), listsOf(floats(1), 1), rankingSpec(metrics.ItemTies)
	for _, c := range []struct {
		spec Spec
		in   Input
		want string
	}{
		{decided(metrics.Binary), Input{Prediction: ints(1)}, `no label column`},
		{scored(metrics.Binary), Input{Label: ints(1)}, `no score column`},
		{decided(metrics.Binary), Input{Label: ints(1)}, `no prediction column, and no scores to predict from`},
		{decided(metrics.Multilabel), Input{Label: label}, `no prediction column, and no scores to predict from`},
		{Spec{Params: metrics.Params{Task: metrics.Regression}}, Input{Label: ints(1)}, `no prediction column`},
		{forecasting, Input{Label: ints(1), Prediction: ints(1)}, `no column of forecasts of quantiles`},
		{forecasting, Input{Label: ints(1), Prediction: ints(1), Quantiles: list}, `no column of the members of ensembles`},
		{forecasting, Input{Label: ints(1), Prediction: ints(1), Quantiles: list, Ensemble: list}, `no column of the scale of errors`},
		{costing, Input{Label: ints(1), Prediction: ints(1), CostFP: ints(1)}, "no columns of what false positives and false negatives cost"},
		{costing, Input{Label: ints(1), Prediction: ints(1), CostFP: ints(1), CostFN: words("a")}, `column "cn" is string: the cost_fn of task binary must be of numbers`},
		{forecasting, Input{Label: ints(1), Prediction: ints(1), Quantiles: ints(1), Ensemble: list, Scale: ints(1)}, `column "q" is int: the quantiles of task regression must be a list`},
		{forecasting, Input{Label: ints(1), Prediction: ints(1), Quantiles: list, Ensemble: listsOf(words("a"), 1), Scale: ints(1)}, `column "m" is list<string>: the ensemble of task regression must be of numbers`},
		{forecasting, Input{Label: ints(1), Prediction: ints(1), Quantiles: list, Ensemble: list, Scale: list}, `column "z" is list<float>: the scale of task regression must be one value a row`},
		{decided(metrics.Binary), Input{Label: label, Prediction: ints(1)}, `column "y" is list<int>: the label of task binary must be one value a row`},
		{decided(metrics.Multilabel), Input{Label: ints(1), Prediction: label}, `column "y" is int: the label of task multilabel must be a list`},
		{decided(metrics.Multiclass), Input{Label: ints(1), Prediction: label}, `column "p" is list<int>: the prediction of task multiclass must be one value a row`},
		{scored(metrics.Multiclass), Input{Label: ints(1), Score: floats(1)}, `column "s" is float: the score of task multiclass must be a list`},
		{scored(metrics.Binary), Input{Label: ints(1), Score: words("0.5")}, `column "s" is string: the score of task binary must be of numbers`},
		{scored(metrics.Binary), Input{Label: ints(1), Score: floats(1), Weight: words("2")}, `column "w" is string: the weight of task binary must be of numbers`},
		{scored(metrics.Binary), Input{Label: ints(1), Score: floats(1), Weight: listsOf(floats(2), 1)}, `column "w" is list<float>: the weight of task binary must be one value a row`},
		{Spec{Params: metrics.Params{Task: metrics.Regression}}, Input{Label: words("1"), Prediction: ints(1)}, `column "y" is string: the label of task regression must be of numbers`},
		{Spec{Params: decided(metrics.Multilabel).Params, Encoding: input.Indicator}, Input{Label: label, Prediction: listsOf(words("a"), 1)}, `column "p" is list<string>: the prediction of task multilabel must be of numbers`},
		{Spec{Params: scored(metrics.Multiclass).Params, Encoding: input.Distribution}, Input{Label: ints(1), Score: listsOf(floats(1), 1)}, `column "y" is int: the label of task multiclass must be a list`},
		{Spec{Params: scored(metrics.Multiclass).Params, Encoding: input.Distribution}, Input{Label: listsOf(words("a"), 1), Score: listsOf(floats(1), 1)}, `column "y" is list<string>: the label of task multiclass must be of numbers`},
		{Spec{Params: decided(metrics.Multiclass).Params, Encoding: input.Distribution}, Input{Label: label, Prediction: label}, `column "p" is list<int>: the prediction of task multiclass must be one value a row`},
		{items, Input{Score: list, Item: list}, `no label column`},
		{items, Input{Label: list, Item: list}, `no score column`},
		{items, Input{Label: list, Score: list}, `no item column, to break ties by`},
		{items, Input{Label: floats(1), Score: list, Item: list}, `column "y" is float: the label of task ranking must be a list`},
		{items, Input{Label: list, Score: floats(1), Item: list}, `column "s" is float: the score of task ranking must be a list`},
		{items, Input{Label: list, Score: list, Item: ints(1)}, `column "d" is int: the item of task ranking must be a list`},
		{items, Input{Label: listsOf(words("a"), 1), Score: list, Item: list}, `column "y" is list<string>: the label of task ranking must be of numbers`},
		{items, Input{Label: list, Score: listsOf(words("a"), 1), Item: list}, `column "s" is list<string>: the score of task ranking must be of numbers`},
		{items, Input{Label: list, Score: list, Item: list, Weight: list}, `column "w" is list<float>: the weight of task ranking must be one value a row`},
	} {
		c.in.Rows = 1
		c.spec.Columns = roles
		vocab := numbered(2)
		c.spec.Params.Labels = 2
		require.EqualError(t, NewConverter(&c.spec, vocab, new(Findings)).Check(&c.in), c.want)
	}
}
