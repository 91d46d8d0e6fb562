package pipeline

import (
	"errors"
	"fmt"
	"slices"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/transforms"
	"github.com/beameval/beameval/transforms/input"
)

// findTrueLabels finds the column of true labels in the truth.
func (t *tables) findTrueLabels() error {
	truth := t.truth
	if truth == nil {
		return nil
	}
	if t.predictions.has(roles.Label) {
		return t.cfg.Errorf("input.columns.label", "the labels are in truth.files: set truth.columns.label")
	}
	if truth.vacant(roles.Label) {
		// The truth probably has the predictions' column of classes, which may be called label.
		fits := func(f columns.Field) bool {
			return t.fitsLabel(f) && (f.List || f.Path != t.predictions.column(roles.Class))
		}
		truth.set(roles.Label, truth.findUsual(roles.Label, fits, truth.taken()))
		t.note("label: column %q of the truth", truth.column(roles.Label))
	}
	if missing := t.missingInTruth(); len(missing) > 1 {
		return fmt.Errorf("truth: %w", truth.lacks(missing))
	}
	if !truth.has(roles.Label) {
		return fmt.Errorf("no label column in the truth: set truth.columns.label%s (%w)", truth.perhaps(roles.Label), truth.absent(roles.Label.Of().Names))
	}
	err := truth.widen(roles.Label)
	if err == nil {
		_, err = truth.field(roles.Label)
	}
	if err != nil {
		return t.cfg.Errorf(truth.key(roles.Label), "%w", err)
	}
	return nil
}

// findIDsOfTruth finds the columns that match rows of the truth with predictions.
func (t *tables) findIDsOfTruth() error {
	truth := t.truth
	if truth == nil {
		return nil
	}
	label, err := truth.field(roles.Label)
	if err != nil {
		return err
	}
	if t.task == metrics.Ranking {
		if err := t.findItemsOfTruth(label); err != nil {
			return err
		}
	}
	id := t.layout.id()
	if truth.set(id, t.truthColumn(id)); !truth.has(id) {
		return fmt.Errorf("no %s column in the truth, which says which prediction a row belongs to: set truth.columns.%s%s (%w)", id, id, truth.perhaps(id), truth.absent(id.Of().Names))
	}
	if t.task == metrics.Multilabel && !label.List {
		if truth.set(roles.Class, t.truthColumn(roles.Class)); !truth.has(roles.Class) {
			return errors.New("the truth has a row for each label, but nothing says which: set truth.columns.class")
		}
	}
	if err := truth.checkID(id); err != nil {
		return fmt.Errorf("truth: %w", err)
	}
	if err := t.sameIDs(id); err != nil || !truth.has(roles.Item) {
		return err
	}
	return t.sameIDs(roles.Item)
}

// findItemsOfTruth finds the column that says to which item a relevance belongs. The truth has a
// row for each item or, if it has lists, the relevances in the order of the scores, which must then
// be in lists, too.
func (t *tables) findItemsOfTruth(label columns.Field) error {
	item := t.truthColumn(roles.Item)
	switch {
	case label.List && item != "":
		return fmt.Errorf("column %q of the truth is %s: beside the items in column %q, there must be a row for each item, with one value", label.Path, label.Physical, item)
	case label.List && t.layout.long:
		return fmt.Errorf("column %q of the truth is %s, but the predictions have a row for each item: the truth must have the same", label.Path, label.Physical)
	case label.List:
		return nil
	case item == "" || !t.predictions.has(roles.Item):
		return errors.New("the truth has a row for each item, but nothing says which: set truth.columns.item and input.columns.item")
	}
	t.truth.set(roles.Item, item)
	return nil
}

// truthColumn returns the truth's column of a role: the configured one, one with the name of the
// predictions' column, or one with a usual name.
func (t *tables) truthColumn(r roles.Role) string { return t.columnOf(t.truth, r, r) }

// columnOf returns the column of role r in other files; its counterpart in the predictions is the
// column of role like.
func (t *tables) columnOf(other *table, r, like roles.Role) string {
	predicted := t.predictions.column(like)
	switch {
	case !other.vacant(r):
		return other.column(r)
	case predicted != "" && other.everywhere(predicted):
		return predicted
	}
	column := other.findUsual(like, anyColumn, nil)
	if column != "" {
		t.note("%s: column %q of the %s", like, column, other.name())
	}
	return column
}

// sameIDs checks that the ids of all files are comparable. If those of one are text, numbers in the CSV files of the
// others are taken as text, because only the files together can tell which they are.
func (t *tables) sameIDs(r roles.Role) error {
	others := slices.DeleteFunc(append(t.others(), t.training), func(other *table) bool { return other == nil || !other.has(r) })
	for _, other := range others {
		t.agreeOnText(t.predictions, other, r)
	}
	for _, other := range others {
		t.agreeOnText(other, t.predictions, r)
		if err := t.sameType(other, r); err != nil {
			return err
		}
	}
	return nil
}

// sameType checks that the ids of other files have the type of the predictions' ids.
func (t *tables) sameType(other *table, r roles.Role) error {
	a, err := t.predictions.lookupID(t.predictions.column(r))
	if err != nil {
		return err
	}
	b, err := other.lookupID(other.column(r))
	if err != nil {
		return fmt.Errorf("%s: %w", other.name(), err)
	}
	if a.Type != b.Type {
		return fmt.Errorf("column %q is %s in %s, but column %q of the %s is %s in %s: ids must be of one type, as 1 and \"1\" are not the same: write both as text, or both as integers",
			a.Path, a.Physical, t.predictions.files[0].info.Name, b.Path, other.name(), b.Physical, other.files[0].info.Name)
	}
	return nil
}

// agreeOnText makes ids text if their type was inferred and the ids of the other side are text.
func (t *tables) agreeOnText(side, other *table, r roles.Role) {
	path := side.column(r)
	in, _ := other.isText(other.column(r))
	if _, already := side.isText(path); in == "" || already {
		return
	}
	side.asText(path)
	if _, agreed := side.isText(path); agreed {
		t.note("%s: column %q of %s is read as text, as column %q of %s is", r, path, side.files[0].info.Name, other.column(r), in)
	}
}

// truthLayout returns the layout of the table with the true labels.
func (t *tables) truthLayout() layout {
	if t.truth == nil {
		return t.layout
	}
	return layout{t.task, t.truth.has(roles.Class) || t.truth.has(roles.Item)}
}

// join returns how the truth is joined with the predictions, or nil if there is no truth. Planning
// adds the slice columns that come from the truth.
func (t *tables) join() *transforms.Truth {
	if t.truth == nil {
		return nil
	}
	columns := t.truth.roles(t.layout.id())
	if !t.judgesDrawn() {
		columns.Stratum = ""
	}
	return &transforms.Truth{
		Columns:     columns,
		SkipMissing: t.cfg.Truth.Missing == config.Skip, EvaluateUnmatched: t.evaluatesMissing(),
	}
}

// evaluatesMissing reports whether queries of the truth without predictions are evaluated.
func (t *tables) evaluatesMissing() bool {
	return t.truth != nil && t.task == metrics.Ranking && t.cfg.Ranking.MissingQueries == config.MissingZero
}

// checkMissing checks that queries can be evaluated without predictions.
func (t *tables) checkMissing() error {
	const key = "ranking.missing_queries"
	switch p := t.predictions; {
	case !t.evaluatesMissing():
		return nil
	case !t.truth.has(roles.Item):
		return t.cfg.Errorf(key, "%s needs a truth with a row for each item: column %q has lists, in the order of the scores", config.MissingZero, t.truth.column(roles.Label))
	case p.has(roles.Weight):
		return t.cfg.Errorf(key, "%s: queries without predictions have no weight, but column %q has weights: leave that column or ranking.missing_queries out", config.MissingZero, p.column(roles.Weight))
	}
	return nil
}

// The sections of the configuration that name files: of the predictions, and of true labels, a baseline's
// predictions and training data in other files.
const (
	inputSection    = "input"
	truthSection    = "truth"
	baselineSection = "input.baseline_predictions"
	trainingSection = "checks.training"
)

// sections says what files each section names, and what messages call them.
var sections = map[string]struct {
	files roles.Files
	name  string
}{
	inputSection:    {roles.OfInput, "predictions"},
	truthSection:    {roles.OfTruth, "truth"},
	baselineSection: {roles.OfBaseline, "baseline"},
	trainingSection: {roles.OfTraining, "training data"},
}

// findBaselinePredictions finds the columns of a baseline's predictions in other files.
func (t *tables) findBaselinePredictions() error {
	b, id := t.baseline, t.layout.id()
	if b == nil {
		return nil
	}
	if t.task&(metrics.Binary|metrics.Multiclass) == 0 {
		return t.cfg.Errorf(baselineSection, "only for task binary or multiclass, the task is %s", t.task)
	}
	if b.set(id, t.columnOf(b, id, id)); !b.has(id) {
		return fmt.Errorf("no %s column in the files of the baseline, which says which prediction a row belongs to: set %s (%w)", id, b.key(id), b.absent(id.Of().Names))
	}
	if !b.has(roles.BaselinePrediction) && !b.has(roles.BaselineScore) {
		if t.predictions.has(roles.Score) {
			b.set(roles.BaselineScore, t.columnOf(b, roles.BaselineScore, roles.Score))
		}
		if t.predictions.has(roles.Prediction) {
			b.set(roles.BaselinePrediction, t.columnOf(b, roles.BaselinePrediction, roles.Prediction))
		}
	}
	if !b.has(roles.BaselinePrediction) && !b.has(roles.BaselineScore) {
		return fmt.Errorf("neither a score nor a prediction column in the files of the baseline: set %s or %s (%w)", b.key(roles.BaselineScore), b.key(roles.BaselinePrediction),
			b.absent(slices.Concat(roles.Score.Of().Names, roles.Prediction.Of().Names)))
	}
	if err := b.checkID(id); err != nil {
		return t.cfg.Errorf(b.key(id), "%w", err)
	}
	return t.sameIDs(id)
}

// joinBaseline returns how the predictions of a baseline are joined, or nil if they are not.
func (t *tables) joinBaseline() *transforms.Baseline {
	if t.baseline == nil {
		return nil
	}
	return &transforms.Baseline{Columns: t.baseline.roles(t.layout.id()), SkipMissing: t.cfg.Input.BaselinePredictions.Missing == config.Skip}
}

// findIDsOfTraining finds the column of the ids in the training data, which are compared with the ids of the
// examples.
func (t *tables) findIDsOfTraining() error {
	d, p, id := t.training, t.predictions, t.layout.id()
	if d == nil {
		return nil
	}
	if !p.has(id) {
		return t.cfg.Errorf(trainingSection, "needs the ids of the examples: set %s%s (%w)", p.key(id), p.perhaps(id), p.absent(id.Of().Names))
	}
	if err := p.checkID(id); err != nil {
		return t.cfg.Errorf(p.key(id), "%w", err)
	}
	if d.set(id, t.columnOf(d, id, id)); !d.has(id) {
		return fmt.Errorf("no %s column in the training data: set %s%s (%w)", id, d.key(id), d.perhaps(id), d.absent(id.Of().Names))
	}
	if err := d.checkID(id); err != nil {
		return t.cfg.Errorf(d.key(id), "%w", err)
	}
	return t.sameIDs(id)
}

// trained returns where the ids of the training data are, or nil if they are not read.
func (t *tables) trained() *input.TrainingFiles {
	if t.training == nil {
		return nil
	}
	return &input.TrainingFiles{Shards: shardsOf(t.training.shards()), ID: t.training.column(t.layout.id())}
}
