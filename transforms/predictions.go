package transforms

import (
	"cmp"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
)

// Predictions evaluates a PCollection of [input.Prediction]; each element is an example with its
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
	settled, err := settle(spec, true)
	if err != nil {
		return Evaluation{}, err
	}
	s = s.Scope("beameval.Predictions")
	if settled.Windowed = !isGlobal(predictions); !settled.Windowed {
		return evaluate(s, *settled, predictionsInput{predictions}), nil
	}
	if err := settled.checkWindows(predictions.WindowingStrategy()); err != nil {
		return Evaluation{}, err
	}
	return evaluate(s, *settled, newWindowsInput(s, predictions)), nil
}

// predictionsInput is a source of predictions in memory.
type predictionsInput struct{ predictions beam.PCollection }

// nameFields names the columns that have no name: after the fields of input.Prediction.
func (s *settled) nameFields() {
	p, c := &s.Params, &s.Columns
	label, prediction := "Labels", "Predicted"
	if s.Encoding == input.Distribution {
		label = "Distribution"
	}
	switch {
	case p.NoEstimate:
		label, prediction = "Target", ""
	case p.Task == metrics.Regression:
		label, prediction = "Target", "Estimate"
	case p.Task == metrics.Ranking:
		label, prediction = "Relevance", ""
	case p.Task == metrics.Preference, p.Scores:
		prediction = ""
	}
	needed := p.Has | roles.SetOf(roles.Score, roles.Weight)
	if p.Has.Has(roles.BaselinePrediction) && c.BaselineScore != "" { // which is enough
		needed &^= roles.SetOf(roles.BaselinePrediction)
	}
	if p.Sparse || s.CompleteScores {
		needed |= roles.SetOf(roles.ScoreLabel)
	}
	if p.Ranking.Ties == metrics.ItemTies {
		needed |= roles.SetOf(roles.Item)
	}
	if len(p.QuantileLevels) > 0 {
		needed |= roles.SetOf(roles.Quantiles)
	}
	if p.Task == metrics.Preference {
		needed |= roles.SetOf(roles.A, roles.B)
	}
	for r := range needed.All() {
		name := c.Of(r)
		*name = cmp.Or(*name, r.Of().Memory, r.Of().Field)
	}
	c.Label, c.Prediction = cmp.Or(c.Label, label), cmp.Or(c.Prediction, prediction)
}

// labelsOf returns the labels that a prediction names.
func labelsOf(p input.Prediction) labelSet {
	if p.First != "" || p.Second != "" { // the systems; the label is an outcome
		return labelSet{Strings: slices.DeleteFunc(union([]string{p.First}, []string{p.Second}), func(name string) bool { return name == "" })}
	}
	return labelSet{Strings: union(slices.Concat(p.Labels, p.Predicted, p.Baseline, p.Judged), p.ScoreLabels)}
}

func init() { register.Function1x1(labelsOf) }
