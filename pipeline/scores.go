package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/transforms"
)

// The usual names, ignoring case, of the two columns of sparse scores in a list of structs or a
// map.
var (
	sparseLabels = []string{"label", "labels", "class", "id", "index", "name", "key"}
	sparseScores = []string{"score", "scores", "probability", "prob", "logit", "value"}
)

// findSparseScores finds the two columns of sparse scores if the score column is a list of structs
// or a map. If no score column is configured, it may have any of the usual names.
func (t *tables) findSparseScores() error {
	p := t.predictions
	if p.has(roles.ScoreLabel) {
		if !p.has(roles.Score) && p.column(roles.ScoreLabel) != p.column(roles.Class) {
			return t.cfg.Errorf("input.columns.score_label", "says which labels the scores are of, but nothing says where the scores are: set input.columns.score")
		}
		return nil
	}
	group := p.column(roles.Score)
	if p.vacant(roles.Score) {
		group = t.scoreGroup()
	}
	below := p.below(group)
	if group == "" || len(below) == 0 || p.everywhere(group) { // a column next to others such as a.b
		return nil
	}
	label, score := memberOf(below, group, sparseLabels), memberOf(below, group, sparseScores)
	if label == "" || score == "" {
		if _, vector := p.vectorOf(group + ".values"); vector {
			return t.cfg.Errorf("input.columns.score", "column %q is a vector of Spark: %s", group, vectorToArray(group))
		}
		advice := "set input.columns.score and input.columns.score_label to those with the scores and their labels"
		if f, err := p.lookup(below[0]); err == nil && !f.List {
			advice = fmt.Sprintf("if each has the scores of a label, set input.columns.score to %q", group+".*")
		}
		return t.cfg.Errorf("input.columns.score", "column %q has the columns %s: %s", group, strings.Join(below, ", "), advice)
	}
	if p.vacant(roles.Score) && t.decided(roles.Score, score) {
		p.columns[roles.Score].Off = true
		return nil
	}
	p.set(roles.Score, score)
	p.set(roles.ScoreLabel, label)
	t.note("score: column %q, of the labels in %q", score, label)
	return nil
}

// scoreGroup returns the first group of columns with a usual name of scores, or "" if a column has
// such a name.
func (t *tables) scoreGroup() string {
	if t.findColumn(roles.Score) != "" {
		return ""
	}
	for _, name := range roles.Score.Of().Names {
		for _, f := range t.predictions.files[0].schema.Fields {
			if group, _, nested := strings.Cut(f.Path, "."); nested && f.List && strings.EqualFold(group, name) {
				return group
			}
		}
	}
	return ""
}

// memberOf returns the first column below a group that has one of the names.
func memberOf(below []string, group string, names []string) string {
	for _, name := range names {
		i := slices.IndexFunc(below, func(path string) bool { return strings.EqualFold(path, group+"."+name) })
		if i >= 0 {
			return below[i]
		}
	}
	return ""
}

// vectorOf returns the group of columns that a column is in, if the group is a vector of Spark ML, which
// has the fields of its user-defined type.
func (d *dataset) vectorOf(column string) (group string, found bool) {
	group, isIn := strings.CutSuffix(column, ".values")
	below := d.below(group)
	for _, name := range []string{"type", "size", "indices", "values"} {
		isIn = isIn && slices.Contains(below, group+"."+name)
	}
	return group, isIn
}

// refuseSparseVectors rejects the values of vectors of Spark ML if a row has a sparse one, which
// lists no zeros.
func (t *tables) refuseSparseVectors(ctx context.Context) error {
	for _, o := range []origin{{t.predictions, roles.Score}, {t.before(), roles.BaselineScore}} {
		group, found := o.vectorOf(o.column(o.role))
		if !found {
			continue
		}
		var first string
		err := o.scan(ctx, group+".type", 4096, func(at place, batch *columns.Batch) (more bool) {
			c := &batch.Columns[0]
			for r := range batch.Rows {
				if !c.IsNull(r) && c.Ints[r] == 0 {
					first = at.of(batch, r)
					return false
				}
			}
			return true
		})
		switch {
		case err != nil:
			return err
		case first != "":
			return t.cfg.Errorf(o.key(o.role), "%s: column %q is a sparse vector of Spark, whose values lack zeros: %s", first, group, vectorToArray(group))
		}
	}
	return nil
}

// vectorToArray says how a vector of Spark ML is written as a list.
func vectorToArray(group string) string {
	return fmt.Sprintf("write it as a list, with .withColumn(%q, pyspark.ml.functions.vector_to_array(%q))", group, group)
}

// Rows of a binary task may have the scores of both classes, as predict_proba returns them: in a list, or
// in two columns.

// haveBothClasses reports whether rows have single labels, and two scores each.
func (t *tables) haveBothClasses(ctx context.Context, label columns.Field) (bool, error) {
	p := t.predictions
	if label.List || !p.has(roles.Score) || p.has(roles.ScoreLabel) || t.cfg.Input.Layout == config.LayoutLabel {
		return false, nil
	}
	if wide := p.columns[roles.Score].Wide; wide != nil {
		return len(wide) == 2, nil
	}
	score, err := p.field(roles.Score)
	if err != nil || !score.List {
		return false, err
	}
	n, err := p.listLength(ctx, score.Path)
	return n == 2 && err == nil, nil // reporting damage is left to the run
}

// impliesBinary reports whether a task with the scores of two classes is binary, because it is plain which
// of these is positive, and why. Settings of other tasks say that it is not.
func (t *tables) impliesBinary(ctx context.Context, label columns.Field) (yes bool, why string, err error) {
	switch {
	case t.cfg.PositiveLabel != "":
		return true, "one label, two scores, and positive_label", nil
	case label.Type == columns.String || t.labelled().isClassLabel(label.Path) || t.cfg.NumLabels > 0 || t.cfg.Input.LabelEncoding != "" || len(t.cfg.AverageLabels) > 0:
		return false, "", nil
	}
	named, err := t.namesOfScores(ctx, label)
	if err != nil {
		return false, "", err
	}
	values := named
	if label.Type != columns.Bool {
		found, err := t.labelled().firstValues(ctx, label.Path)
		if err != nil {
			return false, "", nil // reporting damage is left to the run
		}
		values = slices.Concat(named, found)
	}
	other := func(value string) bool { return !slices.Contains(flagTexts, spelled(label, value)) }
	return !slices.ContainsFunc(values, other), "labels are 0 and 1, and there are two scores", nil
}

// namesOfScores returns the names of the classes of two scores: the names of their columns, else of
// the labels, or nil if these have none.
func (t *tables) namesOfScores(ctx context.Context, label columns.Field) (names []string, err error) {
	if o := (origin{t.predictions, roles.Score}); o.wide() != nil && !o.listed() {
		for _, c := range o.wide() {
			names = append(names, c.Label)
		}
		return names, nil
	}
	if t.labelled().isClassLabel(label.Path) {
		return nil, nil // whose 0 and 1 are positions
	}
	quiet := *t
	quiet.notes = new(notes) // the run says it where the labels are those of the report
	l := &labels{number: t.cfg.NumLabels, written: t.cfg.Input.LabelEncoding}
	err = l.findNames(ctx, &quiet)
	return l.known, err
}

// flagTexts are 0 and 1 as spelled spells them.
var flagTexts = []string{"0", "1"}

// spelled returns a class of a column in one of its spellings: a number by its value, true and false as 1
// and 0, and a text as it is.
func spelled(label columns.Field, class string) string {
	if label.Type == columns.String {
		return class
	}
	switch strings.ToLower(class) {
	case "false":
		return "0"
	case "true":
		return "1"
	}
	if x, err := strconv.ParseFloat(class, 64); err == nil {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return class
}

// findBothClasses determines which of two scores is of the positive class, if the rows of a binary task
// have two.
func (t *tables) findBothClasses(ctx context.Context) error {
	if t.task != metrics.Binary {
		return nil
	}
	key := t.key(roles.Score)
	label, err := t.labelled().field(roles.Label)
	if err != nil {
		return err
	}
	if both, err := t.haveBothClasses(ctx, label); err != nil {
		return err
	} else if !both {
		return t.refuseUnusedLabels()
	}
	if t.cfg.Input.ScoreType == metrics.RawScore {
		return t.cfg.Errorf(key, "rows have two scores, and of scores that are not probabilities nothing says what both together mean: name one column with the score of the positive label or the difference, or set task to %s", metrics.Multiclass)
	}
	classes, err := t.classesOfScores(ctx, label)
	if err != nil {
		return err
	}
	positive := t.cfg.PositiveLabel
	isPositive := func(class string) bool { return spelled(label, class) == spelled(label, positive) }
	at := slices.IndexFunc(classes, isPositive)
	switch {
	case positive == "":
		positive = "1"
		if at = slices.IndexFunc(classes, isPositive); at < 0 {
			at = 1 // names of 0 and 1
		}
	case len(classes) != 2:
		return t.cfg.Errorf("positive_label", "is %q, and nothing says which of the two scores of a row is its: set labels, in the order of the scores", positive)
	case at < 0:
		return t.cfg.Errorf("positive_label", "is %q, and the two scores of a row are of %q and %q", positive, classes[0], classes[1])
	}
	t.both = &transforms.BothClasses{Positive: at}
	t.note("score: of two, the %s is of %s", []string{"first", "second"}[at], positive)
	return nil
}

// refuseUnusedLabels rejects labels of a binary task whose rows do not have two scores.
func (t *tables) refuseUnusedLabels() error {
	for _, key := range []string{"labels", "labels_file"} {
		if t.cfg.Sets(key) {
			return t.cfg.Errorf(key, "in a binary task, says which of the two scores of a row is of which class, and rows do not have two: leave it out")
		}
	}
	return nil
}

// classesOfScores returns the classes that two scores are of, in their order: if nothing names them, they
// are sorted. It returns others if these are unknown.
func (t *tables) classesOfScores(ctx context.Context, label columns.Field) (classes []string, err error) {
	if classes, err = t.namesOfScores(ctx, label); err != nil || len(classes) > 0 {
		if err == nil && len(classes) != 2 {
			err = t.cfg.Errorf("labels", "a binary task has two labels, not %d", len(classes))
		}
		return classes, err
	}
	if t.cfg.PositiveLabel == "" || label.Type != columns.String && slices.Contains(flagTexts, spelled(label, t.cfg.PositiveLabel)) {
		return flagTexts, nil
	}
	if label.Type == columns.String || label.Type == columns.Bool {
		return nil, nil
	}
	found, err := t.labelled().firstValues(ctx, label.Path)
	if err != nil {
		return nil, nil // reporting damage is left to the run
	}
	number := func(value string) float64 {
		x, _ := strconv.ParseFloat(value, 64)
		return x
	}
	slices.SortFunc(found, func(a, b string) int { return cmp.Compare(number(a), number(b)) })
	return found, nil
}
