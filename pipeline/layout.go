package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/transforms/checks"
	"github.com/beameval/beameval/transforms/input"
)

// layout defines what a row of a table is: an example or, if long is set, one label or item of an
// example, or an attempt at it. The example then has several rows.
type layout struct {
	task metrics.Task
	long bool
}

// name returns the name of the layout in the configuration.
func (l layout) name() string {
	if l.long && l.task&metrics.Results == 0 {
		return config.LayoutLabel
	}
	return config.LayoutExample
}

// id returns the role of the column that identifies the rows of an example.
func (l layout) id() roles.Role {
	if l.task == metrics.Ranking {
		return roles.Query
	}
	return roles.Example
}

// expectation defines what the column of a role must be.
type expectation struct {
	role  string
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
func (l layout) expects(r roles.Role) expectation {
	about, several := r.Of(), l.task&(metrics.Multilabel|metrics.Ranking) != 0
	e := expectation{role: r.String(), types: map[roles.Type][]columns.Type{roles.Number: numbers, roles.Text: names, roles.ID: scalars, roles.Target: scalars, roles.Flag: flags}[about.Type]}
	switch about.Shape {
	case roles.List:
		e.list = true
	case roles.PerLabel:
		e.list = !l.long && roles.Task(l.task)&roles.Several != 0
	case roles.OfTask:
		e.list = !l.long && several
	}
	switch {
	case r == roles.Grade && l.task == metrics.Agreement:
		e.types = scalars
	case about.Type != roles.Target:
	case l.task&(metrics.Ranking|metrics.Regression) != 0:
		e.types = numbers
	case l.task == metrics.Preference && r == roles.Label:
		e.types = []columns.Type{columns.String}
	case l.task == metrics.Multilabel && l.long:
		e.types = flags
	}
	return e
}

// check explains why a column does not meet the expectation. of is what needs the column.
func (e expectation) check(f columns.Field, of string) error {
	if f.NullAs(e.list) {
		return nil
	}
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

// textualList matches a list as text, as Python and JSON write it, but not a text in brackets, such as
// [CLS].
var textualList = regexp.MustCompile(`^(\[\s*([\]"'0-9.+-].*)?\]?|[{(]\s*["'].*[)}])\s*$`)

// refuseTextualLists rejects lists of labels or scores that are written as text, as pandas writes them to
// CSV.
func (t *tables) refuseTextualLists(ctx context.Context) error {
	for _, r := range []roles.Role{roles.Score, roles.Label, roles.Prediction} {
		in := t.of(r)
		if !in.has(r) || t.dispensable(r) {
			continue
		}
		field, err := in.field(r)
		if err != nil {
			return err
		}
		if field.List || field.Type != columns.String {
			continue
		}
		values, err := in.firstValues(ctx, field.Path)
		if err != nil || len(values) == 0 || !t.areLists(r, values) {
			continue // reporting damage is left to the run
		}
		return t.cfg.Errorf(in.key(r), "%s: column %q has lists as text, such as %.24q: write a column for each label, such as %s_spam, or lists in Parquet or JSON lines",
			in.files[0].info.Name, field.Path, values[0], field.Path)
	}
	return nil
}

// writtenAsText says how numbers are written that the columns of a role have as texts, or returns "".
func (t *table) writtenAsText(ctx context.Context, r roles.Role) string {
	paths := columnsOfList(t.columns[r])
	if len(paths) == 0 {
		paths = []string{t.column(r)}
	}
	for _, path := range paths {
		if f, err := t.lookup(path); err != nil || f.Type != columns.String || f.List {
			continue
		}
		values, err := t.firstValues(ctx, path)
		if err != nil {
			return "" // reporting damage is left to the run
		}
		numbers := 0
		for _, value := range values {
			if _, err := strconv.ParseFloat(value, 64); err == nil {
				numbers++
			} else if advice := asNumber(value); advice != "" {
				return fmt.Sprintf("; column %q has %.40q: %s", path, value, advice)
			}
		}
		if numbers == len(values) && numbers > 0 {
			return fmt.Sprintf("; column %q has %.40q: write numbers as such, not as texts", path, values[0])
		}
	}
	return ""
}

// The texts of numbers that are none to a parser: percentages, and numbers with commas.
var (
	percentage   = regexp.MustCompile(`^([+-]?[0-9.]+)\s*%$`)
	thousand     = regexp.MustCompile(`^[+-]?[1-9][0-9]{0,2},[0-9]{3}$`)
	thousands    = regexp.MustCompile(`^[+-]?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]*)?$`)
	decimalComma = regexp.MustCompile(`^[+-]?([0-9]*|[0-9]{1,3}(\.[0-9]{3})+),[0-9]+$`)
)

// asNumber says how to write a text that is no number as the one that it stands for, or returns "" if it stands for none.
func asNumber(value string) string {
	text := strings.TrimSpace(value)
	if quote.LooksMissing(text) {
		return "write null, or list the text in input.null_values, if it means a missing value"
	}
	without := func(mark string) string { return strings.ReplaceAll(text, mark, "") }
	if part := percentage.FindStringSubmatch(text); part != nil {
		if x, err := strconv.ParseFloat(part[1], 64); err == nil {
			return "write the share as a number, " + strconv.FormatFloat(x/100, 'g', -1, 64)
		}
	}
	switch _, err := strconv.ParseFloat(text, 64); {
	case err == nil:
		return "write numbers without spaces around them"
	case thousand.MatchString(text):
		return fmt.Sprintf("write %s or, if the comma is that of a decimal, %s", without(","), strings.ReplaceAll(text, ",", "."))
	case thousands.MatchString(text):
		return "write " + without(",")
	case decimalComma.MatchString(text):
		return "write " + strings.ReplaceAll(without("."), ",", ".")
	}
	return ""
}

// areLists reports whether texts are lists: of scores, if one begins as a list; of labels, if all look
// like lists, and none is a class that the configuration names.
func (t *tables) areLists(r roles.Role, values []string) bool {
	if r == roles.Score {
		return strings.HasPrefix(values[0], "[")
	}
	named := func(value string) bool {
		return slices.Contains(t.cfg.Labels, value) || t.cfg.PositiveLabel == value
	}
	other := func(value string) bool { return value != "" && !textualList.MatchString(value) }
	return t.cfg.Task != metrics.Preference && !slices.ContainsFunc(values, named) && !slices.ContainsFunc(values, other)
}

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

// findLayout determines whether examples have several rows, and which column identifies the rows of
// an example.
func (t *tables) findLayout() error {
	p := t.predictions
	if t.task == metrics.Ranking {
		if !p.has(roles.Score) {
			return fmt.Errorf("no score column: set input.columns.score (%w)", p.absent(roles.Score.Of().Names))
		}
		t.forget(roles.Example, roles.Prediction)
	}
	for r := range roles.All() {
		if tasks := metrics.Task(r.Of().Tasks); tasks != 0 && tasks&t.task == 0 {
			t.forget(r)
		}
	}
	if err := t.needClass(); err != nil {
		return err
	}
	long, why, err := t.guessLong()
	if err != nil {
		return err
	}
	t.layout = layout{t.task, long}
	if why != "" {
		t.note("layout: %s (%s)", t.layout.name(), why)
	}
	if long && t.task == metrics.Multilabel && !p.has(roles.Class) {
		return errors.New("layout label needs the column that says which label a row is about: set input.columns.class")
	}
	id := t.layout.id()
	if t.byID() || t.listed() != "" || t.cfg.Confidence != nil {
		t.need(id)
	}
	if t.task == metrics.Ranking && (t.truth != nil || t.cfg.Ranking.Ties == metrics.ItemTies || len(t.cfg.Ranking.ItemFrequencies.Files) > 0) {
		t.need(roles.Item)
	}
	if !t.byID() {
		return t.findIDs()
	}
	if !p.has(id) {
		return fmt.Errorf("no %s column, which says which rows belong together: set input.columns.%s%s (%w)", id, id, cmp.Or(t.perhapsRanking(), p.perhaps(id)), p.absent(id.Of().Names))
	}
	for r := range roles.All() {
		if r.IsID() && p.found[r] && p.has(r) {
			t.note("%s: column %q", r, p.column(r))
		}
	}
	return p.checkID(id)
}

// perhapsRanking proposes to set the task if it was inferred, and one of the columns may have
// queries.
func (t *tables) perhapsRanking() string {
	p := t.predictions
	query := p.findSpelled(roles.Query, anyColumn, p.taken())
	if t.cfg.Task != 0 || query == "" {
		return ""
	}
	return fmt.Sprintf(", or set task to ranking if column %q has queries", query)
}

// needClass finds the column of classes of a multilabel task whose labels are single numbers, so that each label
// is a row.
func (t *tables) needClass() error {
	p := t.predictions
	if t.task != metrics.Multilabel || t.truth != nil || p.has(roles.Class) || p.columns[roles.Label].Wide != nil || t.cfg.Input.Layout == config.LayoutExample {
		return nil
	}
	label, err := p.field(roles.Label)
	if err != nil || label.List {
		return err
	}
	if !slices.Contains(flags, label.Type) {
		return t.namesClass(label)
	}
	if t.need(roles.Class); p.has(roles.Class) {
		t.note("class: column %q", p.column(roles.Class))
		return nil
	}
	var perhaps []string
	for _, f := range p.files[0].schema.Fields {
		if slices.Contains(names, f.Type) && !f.List && !slices.Contains(p.taken(), f.Path) && len(perhaps) < mostUnused {
			perhaps = append(perhaps, fmt.Sprintf("%q", f.Path))
		}
	}
	proposal := ""
	if perhaps != nil {
		proposal = ", perhaps to " + strings.Join(perhaps, " or ")
	}
	return fmt.Errorf("column %q of labels has one value a row, so there is a row for each label, but nothing says which: set input.columns.class%s", label.Path, proposal)
}

// namesClass fails if the column of labels has one name a row, and another column is named like labels and has what is true: the
// first says which label a row is about.
func (t *tables) namesClass(label columns.Field) error {
	p := t.predictions
	if !p.found[roles.Label] || label.Type != columns.String {
		return nil
	}
	for _, f := range p.files[0].schema.Fields {
		if slices.Contains(flags, f.Type) && !f.List && slices.ContainsFunc(roles.Label.Of().Names, func(usual string) bool { return roles.Same(usual, f.Path) }) {
			return fmt.Errorf("column %q has the name of one label a row: if a row is about that label, set input.columns.class to %[1]q and input.columns.label to %q", label.Path, f.Path)
		}
	}
	return nil
}

// listed returns the key that asks for a list of examples, or "".
func (t *tables) listed() string {
	switch {
	case t.cfg.WorstExamples != nil:
		return "worst_examples"
	case t.cfg.ChangedExamples != nil:
		return "changed_examples"
	case t.training != nil:
		return trainingSection
	case slices.Contains(t.cfg.Checks.Fail, checks.DuplicateExamples):
		return "checks.fail"
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
	if t.task == metrics.Agreement {
		return t.predictions.has(roles.Rater), "", t.needRated()
	}
	if t.task == metrics.Grading {
		t.need(roles.Example)
		return t.predictions.has(roles.Example), "", nil
	}
	switch set := t.cfg.Input.Layout; {
	case set != "":
		return set == config.LayoutLabel, "", nil
	case t.task == metrics.Multilabel && t.predictions.has(roles.Class):
		return true, "a row for each label, of which a column has the name", nil
	case t.task != metrics.Ranking:
		return false, "", nil
	}
	score, err := t.predictions.field(roles.Score)
	if err != nil || score.List {
		return false, "a row for each query, with lists", err
	}
	return true, "a row for each item", nil
}

// needRated finds what was rated, which must be known if each rating is a row.
func (t *tables) needRated() error {
	if !t.predictions.has(roles.Rater) {
		return nil
	}
	if t.need(roles.Example); !t.predictions.has(roles.Example) {
		return errors.New("each rating is a row, and nothing says what was rated: set input.columns.example")
	}
	return nil
}

// perQuery reports whether the report has the metrics of each query.
func (t *tables) perQuery() bool { return t.task == metrics.Ranking && t.cfg.Output.PerQuery }

// checkID checks that a column has ids of a single type, one in each row.
func (t *table) checkID(r roles.Role) error {
	field, err := t.lookupID(t.column(r))
	if err == nil && field.List {
		err = fmt.Errorf("%s: column %q is %s: ids must be one value a row", t.files[0].info.Name, field.Path, field.Physical)
	}
	return err
}

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

// orderRows is the number of rows of the first file whose ids are read to find out whether rows are in random order:
// among a billion, with five for each example, there are some ten pairs of an example.
const orderRows = 1 << 16

// findOrder finds out whether the rows of examples are in random order, from the first rows: then no pass over all
// ids has to look for examples whose rows are together.
func (p *planner) findOrder(ctx context.Context) error {
	if !p.spec.Long || p.spec.Truth != nil || p.spec.Baseline != nil {
		return nil
	}
	id, err := p.predictions.lookup(p.spec.Columns.Example)
	if err != nil {
		return err
	}
	var first input.Order
	_, err = p.predictions.eachGroupOf(ctx, &p.predictions.files[0], func(file columns.File, at place) (more bool, err error) {
		for batch, err := range file.Peek(at.group, []string{id.Path}, nil, firstRows) {
			if err != nil || first.Add(&batch.Columns[0]) >= orderRows {
				return false, err
			}
		}
		return true, nil
	})
	all, _ := p.predictions.rows()
	p.spec.Shuffled = first.Shuffled(all)
	return err
}
