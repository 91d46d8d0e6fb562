package pipeline

import (
	"context"
	"fmt"
	"strings"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
)

// findTask takes the task from the configuration, or infers it.
func (t *tables) findTask(ctx context.Context) error {
	t.task = t.cfg.Task
	if t.task != 0 {
		return nil
	}
	task, why, err := t.guessTask(ctx)
	if err != nil {
		return err
	}
	t.task = task
	t.note("task: %s (%s)", task, why)
	if query := t.predictions.column(roles.Query); task != metrics.Ranking && query != "" {
		t.note("column %q is not used: set task to ranking if rows are the results of queries", query)
	}
	return nil
}

// guessTask infers the task from the types of the columns.
func (t *tables) guessTask(ctx context.Context) (task metrics.Task, why string, err error) {
	p := t.predictions
	if t.known() == metrics.Agreement {
		return metrics.Agreement, "there are ratings of several raters", nil
	}
	needed, why := p.taskByNeeds()
	if needed != 0 && !roles.Task(needed).Labelled() {
		return needed, why, nil
	}
	label, err := t.labelled().field(roles.Label)
	if err != nil {
		return 0, "", err
	}
	switch {
	case p.hasOnlyFor(metrics.Regression):
		return metrics.Regression, "there are forecasts of numbers", nil
	case needed != 0:
		return needed, why, nil
	case p.has(roles.Class) || t.labelled().has(roles.Class):
		return metrics.Multilabel, "a row for each label", nil
	case t.ranked(label):
		return metrics.Ranking, fmt.Sprintf("column %q has queries", p.column(roles.Query)), nil
	case t.cfg.Input.LabelEncoding == config.EncodingDistribution:
		return metrics.Multiclass, "labels are distributions", nil
	case label.List:
		return metrics.Multilabel, "labels are lists", nil
	}
	if p.has(roles.Score) {
		score, err := p.field(roles.Score)
		switch {
		case err != nil:
			return 0, "", err
		case score.List:
			return t.guessClasses(ctx, label)
		}
		return metrics.Binary, "one label, one score", nil
	}
	prediction, err := p.field(roles.Prediction)
	switch {
	case err != nil:
		return 0, "", err
	case label.Type == columns.Bool:
		return metrics.Binary, "labels are bool", nil
	case label.Type == columns.String:
		return metrics.Multiclass, "labels are strings", nil
	case label.Type == columns.Float || prediction.Type == columns.Float:
		return metrics.Regression, "labels and predictions are numbers", nil
	}
	return 0, "", fmt.Errorf("the task is ambiguous: label %q and prediction %q are both whole numbers; set task to binary, multiclass or regression", p.column(roles.Label), p.column(roles.Prediction))
}

// taskByNeeds returns the task that needs columns besides labels, all of which the table has, and says so.
func (t *table) taskByNeeds() (task metrics.Task, why string) {
	for i := range roles.TaskNames {
		needs := t.ownNeeds(1 << i)
		if needs == 0 || needs&^t.all() != 0 {
			continue
		}
		var has []string
		for r := range needs.All() {
			has = append(has, fmt.Sprintf("column %q has %s", t.column(r), r.Of().What))
		}
		return 1 << i, strings.Join(has, ", ")
	}
	return 0, ""
}

// guessClasses infers the task from single labels and a score for each class: a binary task has two.
func (t *tables) guessClasses(ctx context.Context, label columns.Field) (task metrics.Task, why string, err error) {
	const several = "one label, a list of scores"
	if both, err := t.haveBothClasses(ctx, label); err != nil || !both {
		return metrics.Multiclass, several, err
	}
	binary, why, err := t.impliesBinary(ctx, label)
	if err != nil || !binary {
		return metrics.Multiclass, several + "; for two classes, positive_label makes it binary", err
	}
	return metrics.Binary, why + "; task: multiclass is of both classes", nil
}

// ranked reports whether scores rank the results of queries. A column with a usual name of query
// ids is not sufficient evidence, because other predictions have such ids, too.
func (t *tables) ranked(label columns.Field) bool {
	p, truth := t.predictions, t.labelled()
	if !p.has(roles.Query) || !p.has(roles.Score) || p.columns[roles.Score].Wide != nil || label.Type == columns.String || label.Type == columns.Bool {
		return false
	}
	return !p.found[roles.Query] || p.has(roles.Item) || truth != p && truth.has(roles.Query) || truth.has(roles.Item) ||
		t.cfg.Input.Layout == config.LayoutLabel || strings.EqualFold(label.Path, "relevance")
}
