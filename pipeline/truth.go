package pipeline

import (
	"errors"
	"fmt"
	"slices"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/transforms"
)

// findTrueLabels finds the column of true labels in the truth.
func (t *tables) findTrueLabels() error {
	truth := t.truth
	if truth == nil {
		return nil
	}
	if t.predictions.has(roleLabel) {
		return t.cfg.Errorf("input.columns.label", "the labels are in truth.files: set truth.columns.label")
	}
	if !truth.has(roleLabel) {
		// The truth probably has the predictions' column of classes, which may be called label.
		fits := func(f columns.Field) bool {
			return t.fitsLabel(f) && (f.List || f.Path != t.predictions.column(roleClass))
		}
		truth.set(roleLabel, truth.find(roleLabel.names(), fits, truth.taken()...))
		t.note("label: column %q of the truth", truth.column(roleLabel))
	}
	if !truth.has(roleLabel) {
		return fmt.Errorf("no label column in the truth: set truth.columns.label (%w)", truth.absent(roleLabel.names()))
	}
	err := truth.widen(roleLabel)
	if err == nil {
		_, err = truth.field(roleLabel)
	}
	if err != nil {
		return t.cfg.Errorf(truth.key(roleLabel), "%w", err)
	}
	return nil
}

// findIDsOfTruth finds the columns that match rows of the truth with predictions.
func (t *tables) findIDsOfTruth() error {
	truth := t.truth
	if truth == nil {
		return nil
	}
	label, err := truth.field(roleLabel)
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
		return fmt.Errorf("no %s column in the truth, which says which prediction a row belongs to: set truth.columns.%s (%w)", id, id, truth.absent(id.names()))
	}
	if t.task == metrics.Multilabel && !label.List {
		if truth.set(roleClass, t.truthColumn(roleClass)); !truth.has(roleClass) {
			return errors.New("the truth has a row for each label, but nothing says which: set truth.columns.class")
		}
	}
	if err := truth.checkID(id); err != nil {
		return fmt.Errorf("truth: %w", err)
	}
	if err := t.sameIDs(id); err != nil || !truth.has(roleItem) {
		return err
	}
	return t.sameIDs(roleItem)
}

// findItemsOfTruth finds the column that says to which item a relevance belongs. The truth has a
// row for each item or, if it has lists, the relevances in the order of the scores, which must then
// be in lists, too.
func (t *tables) findItemsOfTruth(label columns.Field) error {
	item := t.truthColumn(roleItem)
	switch {
	case label.List && item != "":
		return fmt.Errorf("column %q of the truth is %s: beside the items in column %q, there must be a row for each item, with one value", label.Path, label.Physical, item)
	case label.List && t.layout.long:
		return fmt.Errorf("column %q of the truth is %s, but the predictions have a row for each item: the truth must have the same", label.Path, label.Physical)
	case label.List:
		return nil
	case item == "" || !t.predictions.has(roleItem):
		return errors.New("the truth has a row for each item, but nothing says which: set truth.columns.item and input.columns.item")
	}
	t.truth.set(roleItem, item)
	return nil
}

// truthColumn returns the truth's column of a role: the configured one, one with the name of the
// predictions' column, or one with a usual name.
func (t *tables) truthColumn(r role) string {
	predicted := t.predictions.column(r)
	switch {
	case t.truth.has(r):
		return t.truth.column(r)
	case predicted != "" && t.truth.everywhere(predicted):
		return predicted
	}
	column := t.truth.find(r.names(), func(columns.Field) bool { return true })
	if column != "" {
		t.note("%s: column %q of the truth", r, column)
	}
	return column
}

// sameIDs checks that the ids of predictions and truth are comparable. If one side has text,
// numbers in a CSV file on the other side are taken as text, because only the other files can tell
// which they are.
func (t *tables) sameIDs(r role) error {
	t.agreeOnText(t.predictions, t.truth, r)
	t.agreeOnText(t.truth, t.predictions, r)
	a, err := t.predictions.lookupID(t.predictions.column(r))
	if err != nil {
		return err
	}
	b, err := t.truth.lookupID(t.truth.column(r))
	if err != nil {
		return fmt.Errorf("truth: %w", err)
	}
	if a.Type != b.Type {
		return fmt.Errorf("column %q is %s in %s, but column %q of the truth is %s in %s: ids must be of one type, as 1 and \"1\" are not the same: write both as text, or both as integers",
			a.Path, a.Physical, t.predictions.files[0].info.Name, b.Path, b.Physical, t.truth.files[0].info.Name)
	}
	return nil
}

// agreeOnText makes ids text if their type was inferred and the ids of the other side are text.
func (t *tables) agreeOnText(side, other *table, r role) {
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
	return layout{t.task, t.truth.has(roleClass) || t.truth.has(roleItem)}
}

// join returns how the truth is joined with the predictions, or nil if there is no truth. Planning
// adds the slice columns that come from the truth.
func (t *tables) join() *transforms.Truth {
	if t.truth == nil {
		return nil
	}
	return &transforms.Truth{
		Columns:     t.truth.roles(t.layout.id()),
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
	case !t.truth.has(roleItem):
		return t.cfg.Errorf(key, "%s needs a truth with a row for each item: column %q has lists, in the order of the scores", config.MissingZero, t.truth.column(roleLabel))
	case p.has(roleWeight):
		return t.cfg.Errorf(key, "%s: queries without predictions have no weight, but column %q has weights: leave that column or ranking.missing_queries out", config.MissingZero, p.column(roleWeight))
	}
	return nil
}

// findJudged makes the judgements of a model the scores of a binary task, if they are numbers, or else
// the predictions.
func (t *tables) findJudged() error {
	p := t.predictions
	if !p.has(roleJudged) {
		return nil
	}
	key, judged, as := p.key(roleJudged), p.column(roleJudged), rolePrediction
	field, err := p.field(roleJudged)
	if err != nil {
		return t.cfg.Errorf(key, "%w", err)
	}
	types := numbers
	if t.cfg.Task == metrics.Binary {
		if slices.Contains(numbers, field.Type) && p.column(rolePrediction) != judged {
			as = roleScore
		}
		types = scalars
	}
	expected := expectation{roleJudged, false, types}
	if err := expected.check(field, "task "+t.cfg.Task.String()); err != nil {
		return t.cfg.Errorf(key, "%s: %w", p.files[0].info.Name, err)
	}
	for _, r := range []role{as, roleScore} {
		if other := p.column(r); other != "" && other != judged {
			return t.cfg.Errorf(p.key(r), "column %q cannot be the %s where column %q is judged: the judgements are the %s; leave one out", other, r, judged, as)
		}
	}
	p.set(as, judged)
	return nil
}

// checkJudged checks that rows without truth have all that evaluates judgements.
func (p *planner) checkJudged() error {
	if truth := p.spec.Truth; p.spec.Params.Judged && truth != nil && len(truth.Slices) > 0 {
		return p.cfg.Errorf(p.predictions.key(roleJudged), "judgements without truth have no value of column %q of the truth: take slices and confidence.by from the predictions", truth.Slices[0])
	}
	return nil
}
