package ingest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics"
)

// TestColumnsThatDoNotFit: columns of a type or shape that the task has no use
// for are an error before any row is looked at.
func TestColumnsThatDoNotFit(t *testing.T) {
	decisions := func(task metrics.Task) metrics.Params { return metrics.Params{Task: task, Decisions: true} }
	scores := func(task metrics.Task) metrics.Params { return metrics.Params{Task: task, Scores: true} }
	label := lists(ints(0), 1)
	for _, c := range []struct {
		spec Spec
		in   Input
		want string
	}{
		{Spec{Params: decisions(metrics.Binary)}, Input{Prediction: ints(1)}, `no label column`},
		{Spec{Params: scores(metrics.Binary)}, Input{Label: ints(1)}, `no score column`},
		{Spec{Params: decisions(metrics.Binary)}, Input{Label: ints(1)}, `no prediction column, and no scores to predict from`},
		{Spec{Params: decisions(metrics.Multilabel)}, Input{Label: label}, `no prediction column, and no scores to predict from`},
		{Spec{Params: metrics.Params{Task: metrics.Regression}}, Input{Label: ints(1)}, `no prediction column`},
		{Spec{Params: decisions(metrics.Binary)}, Input{Label: label, Prediction: ints(1)}, `column "y" is list<int>: the label of task binary must be one value a row`},
		{Spec{Params: decisions(metrics.Multilabel)}, Input{Label: ints(1), Prediction: label}, `column "y" is int: the label of task multilabel must be a list`},
		{Spec{Params: decisions(metrics.Multiclass)}, Input{Label: ints(1), Prediction: label}, `column "p" is list<int>: the prediction of task multiclass must be one value a row`},
		{Spec{Params: scores(metrics.Multiclass)}, Input{Label: ints(1), Score: floats(1)}, `column "s" is float: the score of task multiclass must be a list`},
		{Spec{Params: scores(metrics.Binary)}, Input{Label: ints(1), Score: words("0.5")}, `column "s" is string: the score of task binary must be of numbers`},
		{Spec{Params: scores(metrics.Binary)}, Input{Label: ints(1), Score: floats(1), Weight: words("2")}, `column "w" is string: the weight of task binary must be of numbers`},
		{Spec{Params: scores(metrics.Binary)}, Input{Label: ints(1), Score: floats(1), Weight: lists(floats(2), 1)}, `column "w" is list<float>: the weight of task binary must be one value a row`},
		{Spec{Params: metrics.Params{Task: metrics.Regression}}, Input{Label: words("1"), Prediction: ints(1)}, `column "y" is string: the label of task regression must be of numbers`},
		{Spec{Params: decisions(metrics.Multilabel), Encoding: Indicator}, Input{Label: label, Prediction: lists(words("a"), 1)}, `column "p" is list<string>: the prediction of task multilabel must be of numbers`},
		{Spec{Params: scores(metrics.Multiclass), Encoding: Distribution}, Input{Label: ints(1), Score: lists(floats(1), 1)}, `column "y" is int: the label of task multiclass must be a list`},
		{Spec{Params: scores(metrics.Multiclass), Encoding: Distribution}, Input{Label: lists(words("a"), 1), Score: lists(floats(1), 1)}, `column "y" is list<string>: the label of task multiclass must be of numbers`},
		{Spec{Params: decisions(metrics.Multiclass), Encoding: Distribution}, Input{Label: label, Prediction: label}, `column "p" is list<int>: the prediction of task multiclass must be one value a row`},
	} {
		c.in.Rows = 1
		c.spec.Columns = roles
		vocab := numbered(2)
		c.spec.Params.Labels = 2
		require.EqualError(t, NewConverter(&c.spec, vocab, new(Findings)).Check(&c.in), c.want)
	}
}
