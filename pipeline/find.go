package pipeline

import (
	"context"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/transforms/input"
)

// findColumns finds the columns of roles for which the configuration names none, infers the task
// and the layout from them, and checks that the columns suit these.
func (t *tables) findColumns(ctx context.Context) error {
	return inTurn(
		t.findTrueLabels, t.widenPredictions, t.findSparseScores, t.findJudged,
		func() error { return t.findByName(ctx) },
		func() error { return t.nameListed(ctx) },
		func() error { return t.findWide(ctx) },
		t.findForecasts,
		func() error { return t.distrustSystems(ctx) },
		t.findNeeded, t.requireColumns,
		func() error { return t.refuseTextualLists(ctx) },
		func() error { return t.refuseSparseVectors(ctx) },
		func() error { return t.findTask(ctx) },
		func() error { return t.findBothClasses(ctx) },
		t.findLogits, t.findLayout, t.findIDsOfTruth, t.findSampling, t.findBaselinePredictions, t.findIDsOfTraining,
		func() error { return t.checkColumns(ctx) },
		t.judgeAlone, t.checkMissing, t.choosePredictions,
	)
}

// findByName finds the columns of predictions that have the usual names.
func (t *tables) findByName(ctx context.Context) error {
	p := t.predictions
	for r := range roles.All() {
		switch {
		case r == roles.Label && t.truth != nil:
		case t.withoutLabels() && !p.has(r) && (roles.SetOf(roles.Score, roles.Prediction).Has(r) || r == roles.Label && !p.has(roles.Answer)):
		case p.has(roles.Judged) && t.cfg.Task != metrics.Multiclass && !p.has(r) && (r == roles.Score || r == roles.Prediction): // of another model
		case p.has(r):
			if _, err := p.field(r); err != nil {
				return t.cfg.Errorf(p.key(r), "%w%s", err, p.writtenAsText(ctx, r))
			}
		case p.vacant(r):
			column := t.findColumn(r)
			if t.decided(r, column) {
				continue
			}
			p.set(r, column)
			p.found[r] = p.has(r)
			if p.has(r) && !r.IsID() {
				t.note("%s: column %q", r, p.column(r))
			}
		}
	}
	return nil
}

// decided reports whether the configuration names what to evaluate: scores, if a column of
// predictions was found by name, or predictions, if a column of scores was found. The found column
// may belong to another model: it is not used, and a warning says so.
func (t *tables) decided(r roles.Role, column string) bool {
	p, named := t.predictions, roles.Score
	switch r {
	case roles.Score:
		named = roles.Prediction
	case roles.Prediction:
	default:
		return false
	}
	if column == "" || !p.has(named) || p.found[named] || t.cfg.Task&^(metrics.Binary|metrics.Multiclass|metrics.Multilabel) != 0 {
		return false
	}
	t.left = append(t.left, column)
	t.warn("unused_columns", "column %q is not used: %s names column %q, and whether both are of one model is unknown: set %s to use it, or to null if it is not", column, p.key(named), p.column(named), p.key(r))
	return true
}

// findColumn returns the first column of the predictions that has a usual name of the role and no
// other role. Among several columns of labels, it prefers one that suits the task.
func (t *tables) findColumn(r roles.Role) string {
	return t.predictions.find(r.Of().Names, t.fits(r), t.predictions.taken()...)
}

// findNeeded finds columns by further usual names, for roles without which nothing can be evaluated, and for weights.
// What only some tasks need is looked for when the task is known, because these names are no evidence of it.
func (t *tables) findNeeded() error {
	p, task := t.predictions, t.known()
	needs := p.ownNeeds(task)
	decided := p.has(roles.Score) || p.has(roles.Prediction) || p.has(roles.Judged) || p.compares() || needs != 0 || t.withoutLabels()
	needed := map[roles.Role]bool{
		roles.Label:      t.truth == nil && (!t.withoutLabels() || task == metrics.Grading && p.has(roles.Answer)),
		roles.Score:      !decided || roles.Task(task).Needs().Has(roles.Score),
		roles.Prediction: !decided || task == metrics.Regression && !p.has(roles.Judged),
		roles.Weight:     true,
	}
	for r := range roles.All() {
		if needed[r] || needs.Has(r) {
			t.need(r)
		}
	}
	return nil
}

// need finds the column of the predictions for a role that the task needs, by any of its usual names.
func (t *tables) need(r roles.Role) {
	p := t.predictions
	if !p.vacant(r) {
		return
	}
	p.set(r, p.findSpelled(r, t.fits(r), p.taken()))
	if p.found[r] = p.has(r); p.has(r) && !r.IsID() {
		t.note("%s: column %q", r, p.column(r))
	}
}

// distrustSystems drops columns of systems that were found by name if the values of the label are
// no outcomes and there are predictions: then the rows are predictions, not comparisons.
func (t *tables) distrustSystems(ctx context.Context) error {
	p, of := t.predictions, t.labelled()
	if !p.has(roles.Score) && !p.has(roles.Prediction) || !p.compares() || !p.found[roles.A] || !p.found[roles.B] || t.cfg.Task != 0 || !of.has(roles.Label) {
		return nil
	}
	label, err := of.field(roles.Label)
	if err != nil {
		return nil // reported where the label is checked
	}
	if label.Type == columns.String && !label.List && of.columns[roles.Label].Wide == nil {
		values, err := of.firstValues(ctx, label.Path)
		if err != nil || len(values) == 0 || slices.ContainsFunc(values, input.IsOutcome) {
			return err
		}
	}
	t.note("columns %q and %q are not used as two systems: column %q has no outcomes, such as model_a or tie", p.column(roles.A), p.column(roles.B), label.Path)
	t.forget(roles.A, roles.B)
	return nil
}

// fits returns which columns fit a role.
func (t *tables) fits(r roles.Role) func(columns.Field) bool {
	if r == roles.Label {
		return t.fitsLabel
	}
	return anyColumn
}

func anyColumn(columns.Field) bool { return true }

// fitsLabel reports whether a column of labels holds lists if the task needs lists, and single
// values if not. If the task is not set, every column fits, because the task will be inferred from
// the labels.
func (t *tables) fitsLabel(f columns.Field) bool {
	switch t.cfg.Task {
	case 0, metrics.Ranking:
		return true
	case metrics.Multiclass:
		return !f.List || f.Type == columns.Float || t.cfg.Input.LabelEncoding == config.EncodingDistribution
	case metrics.Multilabel:
		return t.truth != nil || f.List == !t.predictions.has(roles.Class)
	}
	return !f.List
}

// findLogits takes scores for logits if they were found by the name logits, and nothing says otherwise.
func (t *tables) findLogits() error {
	p := t.predictions
	name := p.column(roles.Score)
	if wide := p.columns[roles.Score].Wide; wide != nil {
		name = wide[0].Column
	}
	const usual = "logits"
	t.logits = p.found[roles.Score] && len(name) >= len(usual) && strings.EqualFold(name[:len(usual)], usual) &&
		t.task&(metrics.Binary|metrics.Multiclass|metrics.Multilabel) != 0 && !t.cfg.Sets("input.score_type")
	if t.logits {
		t.note("score_type: %s (the name of column %q)", metrics.Logit, name)
	}
	return nil
}

// known returns the task as far as it is known: from the configuration, or from columns that only a task without labels has or needs.
func (t *tables) known() metrics.Task {
	if t.cfg.Task != 0 {
		return t.cfg.Task
	}
	for i := range slices.Backward(roles.TaskNames) { // ratings may be grades of raters
		if task := metrics.Task(1 << i); !roles.Task(task).Labelled() && t.predictions.hasOnlyFor(task) {
			return task
		}
	}
	return 0
}

// withoutLabels reports whether rows are known to need no labels, such as grades, which say themselves what they are worth.
func (t *tables) withoutLabels() bool {
	task := t.known()
	return task != 0 && !roles.Task(task).Labelled()
}

// compares reports whether rows compare two systems.
func (t *table) compares() bool { return t.has(roles.A) && t.has(roles.B) }

// leave drops a column of the predictions, and notes why.
func (t *tables) leave(r roles.Role, why string, args ...any) {
	t.note(why, args...)
	t.left = append(t.left, t.predictions.column(r))
	t.predictions.set(r, "")
}

// forget drops columns that were found by name for roles that have no meaning for the task.
func (t *tables) forget(all ...roles.Role) {
	for _, r := range all {
		if t.predictions.found[r] {
			t.predictions.set(r, "")
		}
	}
}
