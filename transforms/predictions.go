package transforms

import (
	"cmp"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
)

// Predictions evaluates a PCollection of [input.Prediction], each of which is an example with its
// true labels. If the spec is invalid, Predictions returns an error and adds nothing to the
// pipeline.
//
// In a windowed PCollection, the predictions of each window are evaluated separately, once the
// watermark has passed the end of the window. The rows are elements of that window, which a DoFn
// can tell from its [beam.Window]. A window without predictions has no rows.
func Predictions(s beam.Scope, spec Spec, predictions beam.PCollection) (Evaluation, error) {
	if err := requireElements[input.Prediction](predictions, "predictions"); err != nil {
		return Evaluation{}, err
	}
	spec, err := spec.settled(true)
	if err != nil {
		return Evaluation{}, err
	}
	s = s.Scope("beameval.Predictions")
	if spec.windowed = !isGlobal(predictions); !spec.windowed {
		return evaluate(s, spec, predictionsInput{predictions}), nil
	}
	if err := spec.checkWindows(predictions.WindowingStrategy()); err != nil {
		return Evaluation{}, err
	}
	return evaluate(s, spec, newWindowsInput(s, predictions)), nil
}

// predictionsInput is a source of predictions in memory.
type predictionsInput struct{ predictions beam.PCollection }

// inMemory returns the spec with names for the columns that have none: the names of the fields of
// input.Prediction.
func (s Spec) inMemory() Spec {
	label, prediction := "Labels", "Predicted"
	if s.Encoding == input.Distribution {
		label = "Distribution"
	}
	switch {
	case s.Params.Task == metrics.Regression:
		label, prediction = "Target", "Estimate"
	case s.Params.Task == metrics.Ranking:
		label, prediction = "Relevance", ""
	case s.Params.Task == metrics.Preference:
		prediction = ""
		s.Columns.First, s.Columns.Second = cmp.Or(s.Columns.First, "First"), cmp.Or(s.Columns.Second, "Second")
	case s.Params.Scores:
		prediction = ""
	}
	c := &s.Columns
	c.Label, c.Score = cmp.Or(c.Label, label), cmp.Or(c.Score, "Scores")
	if s.Params.Sparse || s.CompleteScores {
		c.ScoreLabel = cmp.Or(c.ScoreLabel, "ScoreLabels")
	}
	if s.Params.Ranking.Ties == metrics.ItemTies || s.Params.Items {
		c.Item = cmp.Or(c.Item, "Items")
	}
	if s.Params.Categories {
		c.Category = cmp.Or(c.Category, "Categories")
	}
	if len(s.Params.QuantileLevels) > 0 {
		c.Quantiles = cmp.Or(c.Quantiles, "Quantiles")
	}
	if s.Params.Baseline && c.BaselineScore == "" {
		c.Baseline = cmp.Or(c.Baseline, "Baseline")
	}
	if s.Params.JudgedClass {
		c.Judged = cmp.Or(c.Judged, "Judged")
	}
	if s.Params.Ensemble {
		c.Ensemble = cmp.Or(c.Ensemble, "Ensemble")
	}
	if s.Params.Scaled {
		c.Scale = cmp.Or(c.Scale, "Scale")
	}
	if s.Params.ErrorCosts {
		c.CostFP, c.CostFN = cmp.Or(c.CostFP, "CostFP"), cmp.Or(c.CostFN, "CostFN")
	}
	c.Prediction, c.Weight = cmp.Or(c.Prediction, prediction), cmp.Or(c.Weight, "Weight")
	return s
}

// labelsOf returns the labels that a prediction names.
func labelsOf(p input.Prediction) labelSet {
	if p.First != "" || p.Second != "" { // the systems; the label is an outcome
		return labelSet{Strings: slices.DeleteFunc(union([]string{p.First}, []string{p.Second}), func(name string) bool { return name == "" })}
	}
	return labelSet{Strings: union(slices.Concat(p.Labels, p.Predicted, p.Baseline, p.Judged), p.ScoreLabels)}
}

func init() { register.Function1x1(labelsOf) }
