package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
)

// layout defines what a row of a table is: an example or, if long is set, one label or item of an
// example, which then has several rows.
type layout struct {
	task metrics.Task
	long bool
}

// name returns the name of the layout in the configuration.
func (l layout) name() string {
	if l.long {
		return config.LayoutLabel
	}
	return config.LayoutExample
}

// id returns the role of the column that identifies the rows of an example.
func (l layout) id() role {
	if l.task == metrics.Ranking {
		return roleQuery
	}
	return roleExample
}

// expectation defines what the column of a role must be.
type expectation struct {
	role  role
	list  bool
	types []columns.Type
}

// The types of columns of numbers, of 0 and 1, of names or indexes, and of any values.
var (
	numbers = []columns.Type{columns.Int, columns.Float}
	flags   = []columns.Type{columns.Bool, columns.Int, columns.Float}
	names   = []columns.Type{columns.Int, columns.String}
	scalars = []columns.Type{columns.Bool, columns.Int, columns.Float, columns.String}
)

// expects returns what the column of a role must be.
func (l layout) expects(r role) expectation {
	lists := !l.long && l.task != metrics.Binary
	if l.task == metrics.Preference && r == roleLabel {
		return expectation{r, false, []columns.Type{columns.String}}
	}
	switch r {
	case roleLabel, rolePrediction, roleBaseline:
		return l.expectsLabels(r)
	case roleScore, roleBaselineScore:
		return expectation{r, lists, numbers}
	case roleScoreLabel, roleItem, roleCategory:
		return expectation{r, lists, scalars}
	case roleClass, roleFirst, roleSecond:
		return expectation{r, false, names}
	case roleFrequency:
		return expectation{r, lists, numbers}
	case roleQuantiles, roleEnsemble:
		return expectation{r, true, numbers}
	}
	return expectation{r, false, numbers} // weights, scales and costs
}

// expectsLabels returns what a column of true or predicted labels must be.
func (l layout) expectsLabels(r role) expectation {
	switch {
	case l.task == metrics.Ranking:
		return expectation{r, !l.long, numbers}
	case l.task == metrics.Regression:
		return expectation{r, false, numbers}
	case l.task == metrics.Multilabel && l.long:
		return expectation{r, false, flags}
	}
	return expectation{r, l.task == metrics.Multilabel, scalars}
}

// check explains why a column does not meet the expectation. of is what needs the column.
func (e expectation) check(f columns.Field, of string) error {
	if f.List != e.list {
		form := map[bool]string{true: "a list", false: "one value a row"}[e.list]
		return fmt.Errorf("column %q is %s: the %s of %s must be %s", f.Path, f.Physical, e.role, of, form)
	}
	if slices.Contains(e.types, f.Type) {
		return nil
	}
	names := make([]string, len(e.types))
	for i, t := range e.types {
		names[i] = t.String()
	}
	return fmt.Errorf("column %q is %s: the %s of %s must be of type %s", f.Path, f.Physical, e.role, of, strings.Join(names, " or "))
}

// refuseTextualLists rejects lists of scores that are written as text, as pandas writes them to
// CSV.
func (t *tables) refuseTextualLists(ctx context.Context) error {
	p := t.predictions
	if !p.has(roleScore) || t.dispensable(roleScore) {
		return nil
	}
	field, err := p.field(roleScore)
	if err != nil || field.List || field.Type != columns.String {
		return err
	}
	if values, err := p.firstValues(ctx, field.Path); err == nil && len(values) > 0 && strings.HasPrefix(values[0], "[") {
		return t.cfg.Errorf(p.key(roleScore), "%s: column %q has lists as text, such as %.24q: write a column for each label, such as %s_spam, or lists in Parquet or JSON lines",
			p.files[0].info.Name, field.Path, values[0], field.Path)
	}
	return nil
}

// findTask takes the task from the configuration, or infers it.
func (t *tables) findTask() error {
	t.task = t.cfg.Task
	if t.task != 0 {
		return nil
	}
	task, why, err := t.guessTask()
	if err != nil {
		return err
	}
	t.task = task
	t.note("task: %s (%s)", task, why)
	if query := t.predictions.column(roleQuery); task != metrics.Ranking && query != "" {
		t.note("column %q is not used: set task to ranking if rows are the results of queries", query)
	}
	return nil
}

// guessTask infers the task from the types of the columns.
func (t *tables) guessTask() (task metrics.Task, why string, err error) {
	p := t.predictions
	label, err := t.labelled().field(roleLabel)
	if err != nil {
		return 0, "", err
	}
	switch {
	case p.has(roleQuantiles) || p.has(roleEnsemble) || p.has(roleScale):
		return metrics.Regression, "there are forecasts of numbers", nil
	case p.compares():
		return metrics.Preference, fmt.Sprintf("columns %q and %q have two systems", p.column(roleFirst), p.column(roleSecond)), nil
	case p.has(roleClass) || t.labelled().has(roleClass):
		return metrics.Multilabel, "a row for each label", nil
	case t.ranked(label):
		return metrics.Ranking, fmt.Sprintf("column %q has queries", p.column(roleQuery)), nil
	case t.cfg.Input.LabelEncoding == config.EncodingDistribution:
		return metrics.Multiclass, "labels are distributions", nil
	case label.List:
		return metrics.Multilabel, "labels are lists", nil
	}
	if p.has(roleScore) {
		score, err := p.field(roleScore)
		switch {
		case err != nil:
			return 0, "", err
		case score.List:
			return metrics.Multiclass, "one label, a list of scores", nil
		}
		return metrics.Binary, "one label, one score", nil
	}
	prediction, err := p.field(rolePrediction)
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
	return 0, "", fmt.Errorf("the task is ambiguous: label %q and prediction %q are both whole numbers; set task to binary, multiclass or regression", p.column(roleLabel), p.column(rolePrediction))
}

// ranked reports whether scores rank the results of queries. A column with a usual name of query
// ids is not sufficient evidence, because other predictions have such ids, too.
func (t *tables) ranked(label columns.Field) bool {
	p, truth := t.predictions, t.labelled()
	if !p.has(roleQuery) || !p.has(roleScore) || p.columns[roleScore].Wide != nil || label.Type == columns.String || label.Type == columns.Bool {
		return false
	}
	return !p.found[roleQuery] || p.has(roleItem) || truth != p && truth.has(roleQuery) || truth.has(roleItem) ||
		t.cfg.Input.Layout == config.LayoutLabel || strings.EqualFold(label.Path, "relevance")
}

// findLayout determines whether examples have several rows, and which column identifies the rows of
// an example.
func (t *tables) findLayout() error {
	p := t.predictions
	if t.task == metrics.Ranking {
		if !p.has(roleScore) {
			return fmt.Errorf("no score column: set input.columns.score (%w)", p.absent(roleScore.names()))
		}
		t.forget(roleExample, rolePrediction)
	} else {
		t.forget(roleQuery, roleItem)
	}
	if t.task != metrics.Preference {
		t.forget(roleFirst, roleSecond)
	}
	long, why, err := t.guessLong()
	if err != nil {
		return err
	}
	t.layout = layout{t.task, long}
	if why != "" {
		t.note("layout: %s (%s)", t.layout.name(), why)
	}
	if long && t.task == metrics.Multilabel && !p.has(roleClass) {
		return errors.New("layout label needs the column that says which label a row is about: set input.columns.class")
	}
	if !t.byID() {
		return t.findIDs()
	}
	id := t.layout.id()
	if !p.has(id) {
		return fmt.Errorf("no %s column, which says which rows belong together: set input.columns.%s (%w)", id, id, p.absent(id.names()))
	}
	for _, r := range roles {
		if r.role.isID() && p.found[r.role] && p.has(r.role) {
			t.note("%s: column %q", r.role, p.column(r.role))
		}
	}
	return p.checkID(id)
}

// listed returns the key that asks for a list of examples, or "".
func (t *tables) listed() string {
	switch {
	case t.cfg.WorstExamples != nil:
		return "worst_examples"
	case t.cfg.ChangedExamples != nil:
		return "changed_examples"
	}
	return ""
}

// findIDs checks the column that identifies the examples that are listed, if each is a row. It may be
// missing.
func (t *tables) findIDs() error {
	id, p, key := t.layout.id(), t.predictions, t.listed()
	if key == "" {
		return nil
	}
	if !p.has(id) {
		t.note("%s: the examples have no id, only their files and rows in run.json: set input.columns.%s to name them", key, id)
		return nil
	}
	err := p.checkID(id)
	switch {
	case err != nil && p.found[id]:
		t.leave(id, "%v: not used", err)
		return nil
	case err != nil:
		return t.cfg.Errorf(p.key(id), "%w", err)
	case p.found[id]:
		t.note("%s: column %q", id, p.column(id))
	}
	return nil
}

// guessLong reports whether the layout is long: according to the configuration or, if it does not
// say, to the columns.
func (t *tables) guessLong() (long bool, why string, err error) {
	switch set := t.cfg.Input.Layout; {
	case set != "":
		return set == config.LayoutLabel, "", nil
	case t.task == metrics.Multilabel && t.predictions.has(roleClass):
		return true, "a row for each label, of which a column has the name", nil
	case t.task != metrics.Ranking:
		return false, "", nil
	}
	score, err := t.predictions.field(roleScore)
	if err != nil || score.List {
		return false, "a row for each query, with lists", err
	}
	return true, "a row for each item", nil
}

// perQuery reports whether the report has the metrics of each query.
func (t *tables) perQuery() bool { return t.task == metrics.Ranking && t.cfg.Output.PerQuery }

// checkID checks that a column has ids of a single type, one in each row.
func (t *table) checkID(r role) error {
	field, err := t.lookupID(t.column(r))
	if err == nil && field.List {
		err = fmt.Errorf("%s: column %q is %s: ids must be one value a row", t.files[0].info.Name, field.Path, field.Physical)
	}
	return err
}

// checkColumns checks the type of every column with a role.
func (t *tables) checkColumns() error {
	p := t.predictions
	switch {
	case t.task == metrics.Ranking && p.has(rolePrediction):
		t.leave(rolePrediction, "column %q is not used: a ranking has no predictions", p.column(rolePrediction))
	case t.task == metrics.Regression && !p.has(rolePrediction):
		return errors.New("regression needs a prediction column: set input.columns.prediction")
	case t.task == metrics.Regression && p.has(roleScore):
		t.leave(roleScore, "column %q is not used: a regression has no scores", p.column(roleScore))
	}
	if t.task == metrics.Preference {
		for _, r := range []role{roleScore, rolePrediction} {
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
	if p.has(roleScoreLabel) && t.task&(metrics.Multiclass|metrics.Multilabel) == 0 {
		return t.cfg.Errorf("input.columns.score_label", "scores by label are for tasks multiclass and multilabel, the task is %s", t.task)
	}
	if p.has(roleCostFP) && t.task != metrics.Binary {
		return t.cfg.Errorf(p.key(roleCostFP), "a cost of errors in each row is for task binary, the task is %s", t.task)
	}
	switch key := t.before().key(roleBaselineScore); {
	case !t.before().has(roleBaselineScore):
	case !p.has(roleScore):
		return t.cfg.Errorf(key, "scores of a baseline are compared with scores, and there is no score column: set input.columns.score, or baseline_prediction instead")
	case p.has(roleScoreLabel):
		return t.cfg.Errorf(key, "a baseline has a score for every label, and scores are sparse: leave it out, and set baseline_prediction")
	}
	if err := t.checkColumn(t.labelled(), t.truthLayout(), roleLabel); err != nil {
		return err
	}
	for _, r := range []role{rolePrediction, roleScore, roleScoreLabel, roleClass, roleItem, roleWeight, roleQuantiles, roleEnsemble, roleScale, roleCostFP, roleCostFN, roleCategory, roleFrequency, roleFirst, roleSecond} {
		if err := t.checkColumn(p, t.layout, r); err != nil {
			return err
		}
	}
	for _, r := range []role{roleBaseline, roleBaselineScore} {
		if err := t.checkColumn(t.before(), t.layout, r); err != nil {
			return err
		}
	}
	return nil
}

// checkColumn checks the type of the column of a role, if there is one. A dispensable column with
// an unsuitable type is ignored.
func (t *tables) checkColumn(in *table, l layout, r role) error {
	if !in.has(r) {
		return nil
	}
	field, err := in.field(r)
	if err != nil {
		return err
	}
	expected := l.expects(r)
	if r == roleLabel && t.soft {
		expected = softLabels
	}
	err = expected.check(field, "task "+t.task.String())
	switch {
	case err == nil:
	case t.dispensable(r):
		t.leave(r, "%v: not used", err)
	default:
		return t.cfg.Errorf(in.key(r), "%s: %w; name another column or another task", in.files[0].info.Name, err)
	}
	return nil
}

// dispensable reports whether predictions can be evaluated without a column that was found only by
// its name, because another column has what is predicted.
func (t *tables) dispensable(r role) bool {
	p := t.predictions
	other := r == roleWeight || r == roleScore && (p.has(rolePrediction) || p.has(roleJudged)) || r == rolePrediction && (p.has(roleScore) || p.has(roleJudged))
	return other && p.found[r]
}

// softLabels is the expectation for labels that are distributions over the classes.
var softLabels = expectation{roleLabel, true, numbers}

// findSoftLabels determines whether the labels of a multiclass task are distributions over the
// classes: if the configuration says so or, if it does not say, if the labels are lists of
// fractional numbers, which cannot be anything else.
func (t *tables) findSoftLabels() error {
	if t.task != metrics.Multiclass {
		return nil
	}
	field, err := t.labelled().field(roleLabel)
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
