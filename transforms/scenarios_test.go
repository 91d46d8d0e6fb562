package transforms

import (
	"testing"

	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
)

// scenario is one way to evaluate examples, from a file or from memory.
type scenario struct {
	name       string
	spec       Spec
	prediction func(*example) input.Prediction
}

// predictions returns the predictions of examples.
func (s *scenario) predictions(rows []example) []input.Prediction {
	list := make([]input.Prediction, len(rows))
	for i := range rows {
		list[i] = s.prediction(&rows[i])
	}
	return list
}

// scenarios returns every kind of task, weighted, by country and device.
func scenarios(t testing.TB) []scenario {
	given := input.Vocabulary{Names: labelNames}
	scores := func(task metrics.Task, kind metrics.ScoreType) metrics.Params {
		return metrics.Params{Task: task, Scores: true, ScoreType: kind, Decisions: true}
	}
	decisions := func(task metrics.Task) metrics.Params { return metrics.Params{Task: task, Decisions: true} }
	list := []scenario{
		{
			"binary", Spec{
				Params: scores(metrics.Binary, metrics.Probability), Columns: input.Columns{Label: "mail", Score: "score"},
				PositiveLabel: "ham", Decision: &input.Decision{Threshold: .3},
			},
			func(e *example) input.Prediction {
				return input.Prediction{Labels: []string{e.Mail}, Scores: []float64{e.Score}}
			},
		},
		{
			"binary, decisions", Spec{Params: decisions(metrics.Binary), Columns: input.Columns{Label: "mail", Prediction: "filter"}, PositiveLabel: "spam"},
			func(e *example) input.Prediction {
				return input.Prediction{Labels: []string{e.Mail}, Predicted: []string{e.Filter}}
			},
		},
		{
			"binary, costs", Spec{
				Params: metrics.Params{Task: metrics.Binary, Decisions: true, Has: metrics.HasErrorCosts}, PositiveLabel: "spam",
				Columns: input.Columns{Label: "mail", Prediction: "filter", CostFP: "score", CostFN: "weight"},
			},
			func(e *example) input.Prediction {
				return input.Prediction{Labels: []string{e.Mail}, Predicted: []string{e.Filter}, CostFP: e.Score, CostFN: e.Weight}
			},
		},
		{
			"multiclass", Spec{Params: scores(metrics.Multiclass, metrics.Probability), Columns: input.Columns{Label: "class", Score: "chances"}, Labels: given},
			func(e *example) input.Prediction {
				return input.Prediction{Labels: []string{e.Class}, Scores: e.Chances}
			},
		},
		{
			"multiclass, scores and decisions", Spec{
				Params: scores(metrics.Multiclass, metrics.Logit), Columns: input.Columns{Label: "class", Score: "logits", Prediction: "guess"}, Labels: given,
			},
			func(e *example) input.Prediction {
				return input.Prediction{Labels: []string{e.Class}, Scores: e.Logits, Predicted: []string{e.Guess}}
			},
		},
		{
			"multiclass, labels found", Spec{Params: decisions(metrics.Multiclass), Columns: input.Columns{Label: "class", Prediction: "guess"}},
			func(e *example) input.Prediction {
				return input.Prediction{Labels: []string{e.Class}, Predicted: []string{e.Guess}}
			},
		},
		{
			"multiclass, soft labels", Spec{
				Params: scores(metrics.Multiclass, metrics.Logit), Columns: input.Columns{Label: "chances", Score: "logits", Prediction: "guess"}, Labels: given,
				Encoding: input.Distribution,
			},
			func(e *example) input.Prediction {
				return input.Prediction{Distribution: e.Chances, Scores: e.Logits, Predicted: []string{e.Guess}}
			},
		},
		{
			"multiclass, soft labels and decisions", Spec{
				Params: decisions(metrics.Multiclass), Columns: input.Columns{Label: "chances", Prediction: "guess"}, Labels: given, Encoding: input.Distribution,
			},
			func(e *example) input.Prediction {
				return input.Prediction{Distribution: e.Chances, Predicted: []string{e.Guess}}
			},
		},
		{
			"multilabel", Spec{
				Params: scores(metrics.Multilabel, metrics.Logit), Columns: input.Columns{Label: "labels", Score: "logits"}, Labels: given,
				Encoding: input.Names, Decision: &input.Decision{Threshold: 1, PerLabel: map[string]float64{"c": -1}},
			},
			func(e *example) input.Prediction { return input.Prediction{Labels: e.Labels, Scores: e.Logits} },
		},
		{
			"multilabel, best two", Spec{
				Params: scores(metrics.Multilabel, metrics.RawScore), Columns: input.Columns{Label: "labels", Score: "chances"}, Labels: given,
				Encoding: input.Names, Decision: &input.Decision{TopK: 2},
			},
			func(e *example) input.Prediction { return input.Prediction{Labels: e.Labels, Scores: e.Chances} },
		},
		{
			"multilabel, labels found", Spec{Params: decisions(metrics.Multilabel), Columns: input.Columns{Label: "labels", Prediction: "guesses"}, Encoding: input.Names},
			func(e *example) input.Prediction { return input.Prediction{Labels: e.Labels, Predicted: e.Guesses} },
		},
		{
			"multilabel, sparse, propensities", Spec{
				Params:  sparse(metrics.Multilabel, &metrics.Propensity{A: .55, B: 1.5}),
				Columns: input.Columns{Label: "labels", Score: "ranked.score", ScoreLabel: "ranked.label"}, Labels: given, Encoding: input.Names,
			},
			func(e *example) input.Prediction { return e.sparse(e.Labels) },
		},
		{
			"multilabel, sparse, labels found", Spec{
				Params:  sparse(metrics.Multilabel, nil),
				Columns: input.Columns{Label: "labels", Score: "ranked.score", ScoreLabel: "ranked.label"}, Encoding: input.Names, Decision: &input.Decision{TopK: 2},
			},
			func(e *example) input.Prediction { return e.sparse(e.Labels) },
		},
		{
			"multiclass, sparse", Spec{
				Params:  sparse(metrics.Multiclass, nil),
				Columns: input.Columns{Label: "class", Score: "ranked.score", ScoreLabel: "ranked.label"}, Labels: given,
			},
			func(e *example) input.Prediction { return e.sparse([]string{e.Class}) },
		},
		{
			"regression", Spec{Params: metrics.Params{Task: metrics.Regression}, Columns: input.Columns{Label: "target", Prediction: "estimate"}},
			func(e *example) input.Prediction { return input.Prediction{Target: e.Target, Estimate: e.Estimate} },
		},
	}
	for i := range list {
		list[i].spec.Columns.Weight = "weight"
		list[i].spec.Slices = []Slice{{{Column: "country"}}, {{Column: "device"}, {Column: "country"}}}
		list[i].spec = complete(t, list[i].spec)
		of := list[i].prediction
		list[i].prediction = func(e *example) input.Prediction { return named(e, of(e)) }
	}
	return list
}

// sparse is an example with scores for some labels only.
func (e *example) sparse(truth []string) input.Prediction {
	p := input.Prediction{Labels: truth}
	for _, s := range e.Ranked {
		p.ScoreLabels, p.Scores = append(p.ScoreLabels, s.Label), append(p.Scores, s.Score)
	}
	return p
}

func sparse(task metrics.Task, propensity *metrics.Propensity) metrics.Params {
	return metrics.Params{Task: task, Scores: true, Sparse: true, ScoreType: metrics.RawScore, Decisions: true, Propensity: propensity}
}

// named adds an example's name, weight and slices to a prediction.
func named(e *example, p input.Prediction) input.Prediction {
	p.Example = e.ID
	p.Slices = map[string]string{"device": e.Device}
	if e.Weight != 1 {
		p.Weight = &e.Weight
	}
	if e.Country != nil {
		p.Slices["country"] = *e.Country
	}
	return p
}

// binaryPrediction is the mail of an example, as binarySpec evaluates it.
func binaryPrediction(e *example) input.Prediction {
	return named(e, input.Prediction{Labels: []string{e.Mail}, Scores: []float64{e.Score}})
}
