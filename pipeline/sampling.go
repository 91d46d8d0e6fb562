package pipeline

import (
	"slices"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/transforms/input"
)

// findSampling finds the columns that say how rows were drawn: in the truth, if that has them. A stratum that only its
// name says is none if nothing has a probability.
func (t *tables) findSampling() error {
	p, truth := t.predictions, t.truth
	for _, r := range []roles.Role{roles.SamplingProbability, roles.SamplingStratum} {
		if truth == nil {
			break
		}
		if truth.vacant(r) && (p.found[r] || p.vacant(r)) {
			if truth.set(r, truth.findUsual(r, anyColumn, truth.taken())); truth.has(r) {
				truth.found[r] = true
				t.note("%s: column %q of the truth", r, truth.column(r))
			}
		}
		if truth.has(r) {
			t.forget(r)
		}
		if truth.has(r) && p.has(r) {
			return t.cfg.Errorf(truth.key(r), "%s names column %q already: rows are drawn from the predictions or from the truth; leave one out", p.key(r), p.column(r))
		}
	}
	probability, stratum := t.of(roles.SamplingProbability), t.of(roles.SamplingStratum)
	switch {
	case !probability.has(roles.SamplingProbability) && stratum.found[roles.SamplingStratum]:
		stratum.set(roles.SamplingStratum, "")
	case probability.has(roles.SamplingProbability) && stratum.has(roles.SamplingStratum) && probability != stratum:
		return t.cfg.Errorf(stratum.key(roles.SamplingStratum), "column %q is in other files than column %q, the probability: write both to the same files", stratum.column(roles.SamplingStratum), probability.column(roles.SamplingProbability))
	case probability == truth && t.evaluatesMissing() && probability.has(roles.SamplingProbability):
		return t.cfg.Errorf("ranking.missing_queries", "%s: queries that were drawn with column %q are evaluated if they have predictions: leave ranking.missing_queries or that column out", config.MissingZero, truth.column(roles.SamplingProbability))
	}
	return nil
}

// sampling says how rows were drawn, or returns nil if they were not.
func (t *tables) sampling() *input.Sampling {
	if !t.of(roles.SamplingProbability).has(roles.SamplingProbability) {
		return nil
	}
	return new(input.Sampling)
}

// judgesDrawn reports whether rows were drawn to be labelled from others that have a judgement as well.
func (t *tables) judgesDrawn() bool { return t.predictions.has(roles.Judged) && t.sampling() != nil }

// findJudged makes the judgements of a model the scores of a binary task, if they are numbers, or else
// the predictions. In a multiclass task they judge the predictions, if there are any; see
// judgeAlone.
func (t *tables) findJudged() error {
	p := t.predictions
	if !p.has(roles.Judged) {
		return nil
	}
	key, judged, as := p.key(roles.Judged), p.column(roles.Judged), roles.Prediction
	field, err := p.field(roles.Judged)
	if err != nil {
		return t.cfg.Errorf(key, "%w", err)
	}
	types := numbers
	switch t.cfg.Task {
	case metrics.Multiclass:
		types = scalars
	case metrics.Binary:
		if slices.Contains(numbers, field.Type) && p.column(roles.Prediction) != judged {
			as = roles.Score
		}
		types = scalars
	}
	expected := expectation{"judged", false, types}
	if err := expected.check(field, "task "+t.cfg.Task.String()); err != nil {
		return t.cfg.Errorf(key, "%s: %w", p.files[0].info.Name, err)
	}
	if t.cfg.Task == metrics.Multiclass {
		return nil
	}
	for _, r := range []roles.Role{as, roles.Score} {
		if other := p.column(r); other != "" && other != judged {
			return t.cfg.Errorf(p.key(r), "column %q cannot be the %s where column %q is judged: the judgements are the %s; leave one out", other, r, judged, as)
		}
	}
	p.set(as, judged)
	return nil
}

// judgeAlone makes the judgements of a multiclass task the predictions if there are no others.
func (t *tables) judgeAlone() error {
	p := t.predictions
	switch {
	case !p.has(roles.Judged) || t.task != metrics.Multiclass:
	case t.soft:
		return t.cfg.Errorf(p.key(roles.Judged), "judgements are classes, and column %q of labels has distributions over the classes", t.labelled().column(roles.Label))
	case !p.has(roles.Prediction) && !p.has(roles.Score):
		p.set(roles.Prediction, p.column(roles.Judged))
	}
	return nil
}

// judgements returns the column of classes by which predictions are judged, if there is one.
func (t *tables) judgements() []origin {
	p := t.predictions
	if t.task == metrics.Multiclass && p.has(roles.Judged) && p.column(roles.Judged) != p.column(roles.Prediction) {
		return []origin{{p, roles.Judged}}
	}
	return nil
}

// checkJudged checks that rows without truth have all that evaluates judgements.
func (p *planner) checkJudged() error {
	truth := p.spec.Truth
	if !p.spec.Params.Judged || truth == nil {
		return nil
	}
	for i, column := range truth.Slices {
		if c := p.spec.Confidence; c.HasStrata() && column == c.By && i == len(truth.Slices)-1 { // rows without truth have a group of their own
			continue
		}
		return p.cfg.Errorf(p.predictions.key(roles.Judged), "judgements without truth have no value of column %q of the truth: take slices and confidence.by from the predictions", column)
	}
	return nil
}
