package ingest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
)

// TestColumnsThatDoNotFit: columns of a type or shape that the task has no use
// for are an error before any row is looked at.
func TestColumnsThatDoNotFit(t *testing.T) {
	label, list, items := listsOf(ints(0), 1), listsOf(floats(1), 1), rankingSpec(metrics.ItemTies)
	for _, c := range []struct {
		spec input.Spec
		in   Input
		want string
	}{
		{decided(metrics.Binary), Input{Of: Columns{roles.Prediction: ints(1)}}, `no column of true labels`},
		{scored(metrics.Binary), Input{Of: Columns{roles.Label: ints(1)}}, `no score column`},
		{decided(metrics.Binary), Input{Of: Columns{roles.Label: ints(1)}}, `no prediction column, and no scores to predict from`},
		{decided(metrics.Multilabel), Input{Of: Columns{roles.Label: label}}, `no prediction column, and no scores to predict from`},
		{input.Spec{Params: metrics.Params{Task: metrics.Regression}}, Input{Of: Columns{roles.Label: ints(1)}}, `regression needs a prediction column: set Columns.Prediction`},
		{forecasting, Input{Of: Columns{roles.Label: ints(1), roles.Prediction: ints(1)}}, `no column of forecasts of quantiles`},
		{forecasting, Input{Of: Columns{roles.Label: ints(1), roles.Prediction: ints(1), roles.Quantiles: list}}, `no column of an ensemble of forecasts`},
		{forecasting, Input{Of: Columns{roles.Label: ints(1), roles.Prediction: ints(1), roles.Quantiles: list, roles.Ensemble: list}}, `no column of the scale of errors`},
		{costing, Input{Of: Columns{roles.Label: ints(1), roles.Prediction: ints(1), roles.CostFP: ints(1)}}, "an error may also be a false negative: set Columns.CostFN"},
		{costing, Input{Of: Columns{roles.Label: ints(1), roles.Prediction: ints(1), roles.CostFP: ints(1), roles.CostFN: words("a")}}, `column "cn" is string: the cost_fn of task binary must be of numbers`},
		{forecasting, Input{Of: Columns{roles.Label: ints(1), roles.Prediction: ints(1), roles.Quantiles: ints(1), roles.Ensemble: list, roles.Scale: ints(1)}}, `column "q" is int: the quantiles of task regression must be a list`},
		{forecasting, Input{Of: Columns{roles.Label: ints(1), roles.Prediction: ints(1), roles.Quantiles: list, roles.Ensemble: listsOf(words("a"), 1), roles.Scale: ints(1)}}, `column "m" is list<string>: the ensemble of task regression must be of numbers`},
		{forecasting, Input{Of: Columns{roles.Label: ints(1), roles.Prediction: ints(1), roles.Quantiles: list, roles.Ensemble: list, roles.Scale: list}}, `column "z" is list<float>: the scale of task regression must be one value a row`},
		{decided(metrics.Binary), Input{Of: Columns{roles.Label: label, roles.Prediction: ints(1)}}, `column "y" is list<int>: the label of task binary must be one value a row`},
		{decided(metrics.Multilabel), Input{Of: Columns{roles.Label: ints(1), roles.Prediction: label}}, `column "y" is int: the label of task multilabel must be a list`},
		{decided(metrics.Multiclass), Input{Of: Columns{roles.Label: ints(1), roles.Prediction: label}}, `column "p" is list<int>: the prediction of task multiclass must be one value a row`},
		{scored(metrics.Multiclass), Input{Of: Columns{roles.Label: ints(1), roles.Score: floats(1)}}, `column "s" is float: the score of task multiclass must be a list`},
		{scored(metrics.Binary), Input{Of: Columns{roles.Label: ints(1), roles.Score: words("0.5")}}, `column "s" is string: the score of task binary must be of numbers`},
		{scored(metrics.Binary), Input{Of: Columns{roles.Label: ints(1), roles.Score: floats(1), roles.Weight: words("2")}}, `column "w" is string: the weight of task binary must be of numbers`},
		{scored(metrics.Binary), Input{Of: Columns{roles.Label: ints(1), roles.Score: floats(1), roles.Weight: listsOf(floats(2), 1)}}, `column "w" is list<float>: the weight of task binary must be one value a row`},
		{input.Spec{Params: metrics.Params{Task: metrics.Regression}}, Input{Of: Columns{roles.Label: words("1"), roles.Prediction: ints(1)}}, `column "y" is string: the label of task regression must be of numbers`},
		{input.Spec{Params: decided(metrics.Multilabel).Params, Encoding: input.Indicator}, Input{Of: Columns{roles.Label: label, roles.Prediction: listsOf(words("a"), 1)}}, `column "p" is list<string>: the prediction of task multilabel must be of numbers`},
		{input.Spec{Params: scored(metrics.Multiclass).Params, Encoding: input.Distribution}, Input{Of: Columns{roles.Label: ints(1), roles.Score: listsOf(floats(1), 1)}}, `column "y" is int: the label of task multiclass must be a list`},
		{input.Spec{Params: scored(metrics.Multiclass).Params, Encoding: input.Distribution}, Input{Of: Columns{roles.Label: listsOf(words("a"), 1), roles.Score: listsOf(floats(1), 1)}}, `column "y" is list<string>: the label of task multiclass must be of numbers`},
		{input.Spec{Params: decided(metrics.Multiclass).Params, Encoding: input.Distribution}, Input{Of: Columns{roles.Label: label, roles.Prediction: label}}, `column "p" is list<int>: the prediction of task multiclass must be one value a row`},
		{items, Input{Of: Columns{roles.Score: list, roles.Item: list}}, `no column of true labels`},
		{items, Input{Of: Columns{roles.Label: list, roles.Item: list}}, `no score column`},
		{items, Input{Of: Columns{roles.Label: list, roles.Score: list}}, `no item column, to break ties by`},
		{items, Input{Of: Columns{roles.Label: floats(1), roles.Score: list, roles.Item: list}}, `column "y" is float: the label of task ranking must be a list`},
		{items, Input{Of: Columns{roles.Label: list, roles.Score: floats(1), roles.Item: list}}, `column "s" is float: the score of task ranking must be a list`},
		{items, Input{Of: Columns{roles.Label: list, roles.Score: list, roles.Item: ints(1)}}, `column "d" is int: the item of task ranking must be a list`},
		{items, Input{Of: Columns{roles.Label: listsOf(words("a"), 1), roles.Score: list, roles.Item: list}}, `column "y" is list<string>: the label of task ranking must be of numbers`},
		{items, Input{Of: Columns{roles.Label: list, roles.Score: listsOf(words("a"), 1), roles.Item: list}}, `column "s" is list<string>: the score of task ranking must be of numbers`},
		{items, Input{Of: Columns{roles.Label: list, roles.Score: list, roles.Item: list, roles.Weight: list}}, `column "w" is list<float>: the weight of task ranking must be one value a row`},
	} {
		c.in.Rows = 1
		c.spec.Columns = columnNames
		vocab := numbered(2)
		c.spec.Params.Labels = 2
		require.EqualError(t, NewConverter(&c.spec, vocab, new(Findings)).Check(&c.in), c.want)
	}
}
