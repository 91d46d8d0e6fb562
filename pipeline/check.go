package pipeline

import (
	"cmp"
	"context"
	"slices"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
)

// checkColumns checks the type of every column with a role.
func (t *tables) checkColumns(ctx context.Context) error {
	p := t.predictions
	switch {
	case t.task == metrics.Ranking && p.has(roles.Prediction):
		t.leave(roles.Prediction, "column %q is not used: a ranking has no predictions", p.column(roles.Prediction))
	case t.task == metrics.Regression && p.has(roles.Score):
		t.leave(roles.Score, "column %q is not used: a regression has no scores", p.column(roles.Score))
	}
	if t.task == metrics.Preference {
		for _, r := range []roles.Role{roles.Score, roles.Prediction} {
			if p.has(r) {
				t.leave(r, "column %q is not used: preferences have no %ss", p.column(r), r)
			}
		}
	}
	if err := t.checkWide(); err != nil {
		return err
	}
	if err := t.findSoftLabels(); err != nil {
		return err
	}
	given := roles.Given{Task: roles.Task(t.task), Has: t.all(), Rows: t.layout.long, Scores: p.has(roles.Score), Sparse: p.has(roles.ScoreLabel)}
	r, err := given.CheckTask()
	if err == nil {
		r, err = given.CheckRules(t.key)
	}
	if err != nil {
		return t.cfg.Errorf(t.key(r), "%w", err)
	}
	for _, r := range slices.Concat([]roles.Role{roles.Label, roles.Prediction}, slices.Collect(roles.All())) { // an unsuitable prediction is ignored if there are scores
		l := t.layout
		if r == roles.Label {
			l = t.truthLayout()
		}
		if r.IsID() && r != roles.Item || r == roles.Judged { // checked already
			continue
		}
		if err := t.checkColumn(ctx, t.of(r), l, r); err != nil {
			return err
		}
	}
	return nil
}

// checkColumn checks the type of the column of a role, if there is one. A dispensable column with
// an unsuitable type is ignored.
func (t *tables) checkColumn(ctx context.Context, in *table, l layout, r roles.Role) error {
	if !in.has(r) {
		return nil
	}
	field, err := in.field(r)
	if err != nil {
		return err
	}
	expected := l.expects(r)
	if t.both != nil && (r == roles.Score || r == roles.BaselineScore) && field.List {
		expected.list = true
	}
	if r == roles.Label && t.soft {
		expected = softLabels
	}
	err = expected.check(field, "task "+t.task.String())
	switch {
	case err == nil:
	case t.dispensable(r):
		t.leave(r, "%v: not used", err)
	default:
		advice := cmp.Or(in.writtenAsText(ctx, r), "; name another column or another task")
		return t.cfg.Errorf(in.key(r), "%s: %w%s", in.files[0].info.Name, err, advice)
	}
	return nil
}

// dispensable reports whether predictions can be evaluated without a column that was found only by
// its name, because another column has the predictions.
func (t *tables) dispensable(r roles.Role) bool {
	p := t.predictions
	other := r == roles.Weight || r == roles.Score && (p.has(roles.Prediction) || p.has(roles.Judged)) || r == roles.Prediction && (p.has(roles.Score) || p.has(roles.Judged))
	return other && p.found[r]
}

// softLabels is the expectation for labels that are distributions over the classes.
var softLabels = expectation{"label", true, numbers}

// findSoftLabels determines whether the labels of a multiclass task are distributions over the
// classes: if the configuration says so or, if it does not say, if the labels are lists of
// fractional numbers, which cannot be anything else.
func (t *tables) findSoftLabels() error {
	if t.task != metrics.Multiclass {
		return nil
	}
	field, err := t.labelled().field(roles.Label)
	if err != nil {
		return err
	}
	encoding := t.cfg.Input.LabelEncoding
	t.soft = encoding == config.EncodingDistribution
	if encoding == "" && field.List && field.Type == columns.Float {
		t.soft = true
		t.note("label_encoding: %s (column %q is %s)", config.EncodingDistribution, field.Path, field.Physical)
	}
	return nil
}
