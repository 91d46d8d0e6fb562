package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/transforms"
	"github.com/beameval/beameval/transforms/input"
)

// labels are the labels of a task and how columns encode them: the second value of planning.
type labels struct {
	input.Vocabulary
	found    input.Vocabulary // the labels in the data, if planning found them; see find
	known    []string         // names, including those in a labels_file that workers read
	number   int              // num_labels if set, or the length of a labels_file that workers read
	positive string           // for binary tasks, the label that counts as positive; "" means 1
	written  string           // input.label_encoding, as set or as inferred
	encoding input.Encoding   // of lists
	guessed  bool             // the encoding of lists of labels was inferred only from their type
}

// findLabels determines the labels and how they are encoded.
func findLabels(ctx context.Context, t *tables) (*labels, error) {
	switch {
	case t.task&metrics.Unlabelled != 0:
		return &labels{Vocabulary: input.NumberedLabels(1)}, nil
	case t.task == metrics.Binary:
		return findPositive(ctx, t)
	case t.predictions.has(roles.Raters):
		return t.ratersOfColumns(), nil
	case t.task == metrics.Agreement:
		l := new(labels)
		return l, inTurn(func() error { return l.leaveOpen(t) }, func() error { return l.find(ctx, t) })
	}
	l := &labels{number: t.cfg.NumLabels, written: t.cfg.Input.LabelEncoding}
	if t.soft {
		l.written, l.encoding = config.EncodingDistribution, input.Distribution
	}
	err := inTurn(
		func() error { return l.findNames(ctx, t) },
		func() error { return l.findIntegers(t) },
		func() error { return l.findEncoding(t) },
		func() error { return l.checkNames(t) },
		func() error { return l.alignWide(t) },
		func() error { return l.count(ctx, t) },
		func() error { return l.refuseIndicators(ctx, t) },
		func() error { return l.find(ctx, t) },
		func() error { return l.checkLengths(t) },
	)
	return l, err
}

// ratersOfColumns returns the raters as labels: each has a column.
func (t *tables) ratersOfColumns() *labels {
	l := new(labels)
	for _, c := range t.predictions.columns[roles.Raters].Wide {
		name := c.Label
		if name == "" {
			name = c.Column
		}
		l.Names = append(l.Names, name)
	}
	l.known = l.Names
	t.note("raters: %s", strings.Join(l.Names, ", "))
	return l
}

// findPositive determines which label of a binary task counts as positive.
func findPositive(ctx context.Context, t *tables) (*labels, error) {
	positive := t.cfg.PositiveLabel
	in, r := t.labelled(), roles.Label
	label, err := in.field(r)
	if err != nil {
		return nil, err
	}
	if t.predictions.has(roles.Prediction) && label.Type != columns.String {
		in, r = t.predictions, roles.Prediction
		if label, err = in.field(r); err != nil {
			return nil, err
		}
	}
	if label.Type == columns.String && positive == "" {
		return nil, fmt.Errorf("column %q has strings%s: set positive_label to the one that means positive", label.Path, in.someValues(ctx, label.Path))
	}
	l := &labels{Vocabulary: input.NumberedLabels(2), positive: positive}
	if positive != "" && positive != "1" {
		l.Names = []string{"not " + positive, positive}
	}
	return l, l.refuseAbsentPositive(ctx, t)
}

// mostDictionaries is the maximum number of row groups whose dictionaries are searched for labels,
// one after another.
const mostDictionaries = 64

// refuseAbsentPositive rejects a positive label that no row has according to the dictionaries of
// the label column. If these are incomplete, the run will find out.
func (l *labels) refuseAbsentPositive(ctx context.Context, t *tables) error {
	in, column := t.labelled(), t.labelled().column(roles.Label)
	if _, groups := in.rows(); l.positive == "" || groups > mostDictionaries {
		return nil
	}
	if label, err := in.lookup(column); err != nil || label.Type != columns.String {
		return err
	}
	var met columns.Strings
	absent := false
	err := in.eachGroup(ctx, func(file columns.File, at place) (more bool, err error) {
		complete, err := file.Dictionary(at.group, column, &met)
		_, found := met.Find(l.positive)
		absent = err == nil && complete && !found // reporting damage is left to the run
		return absent, nil
	})
	if err != nil || !absent || met.Len() == 0 {
		return err
	}
	return t.cfg.Errorf("positive_label", "%w", transforms.NoPositive(settings.Keys, column, l.positive, met.Values()))
}

// namingRoles returns the roles of columns whose values are labels; the first names the label of a
// value.
func (t *tables) namingRoles() (all []origin) {
	p, truth := t.predictions, t.labelled()
	for r := range roles.Task(t.task).Naming().All() {
		all = append(all, origin{p, r})
	}
	if all != nil {
		return all
	}
	ofTruth := origin{truth, roles.Label}
	if truth.has(roles.Class) {
		ofTruth.role = roles.Class
	}
	all = []origin{ofTruth}
	if p.has(roles.Class) {
		all[0] = origin{p, roles.Class}
	}
	switch {
	case !t.layout.long:
		all = append(all, origin{p, roles.ScoreLabel}, origin{p, roles.Prediction}, origin{t.before(), roles.BaselinePrediction})
		all = append(all, t.judgements()...)
		all = append(all, t.listedSets()...)
	case t.truth != nil:
		all = append(all, ofTruth)
	}
	return slices.DeleteFunc(all, func(o origin) bool { return !o.has(o.role) })
}

// listedSets returns the role of prediction sets if these are lists of classes, and have no true or false for each.
func (t *tables) listedSets() []origin {
	set := origin{t.predictions, roles.PredictionSet}
	if set.wide() != nil {
		return nil
	}
	if field, err := set.field(set.role); err == nil && field.Type == columns.Bool {
		return nil
	}
	return []origin{set}
}

// naming returns the columns of namingRoles. Where all values of one are null, it has the type of another.
func (t *tables) naming() (fields []columns.Field, err error) {
	for _, o := range t.namingRoles() {
		field, err := o.field(o.role)
		if err != nil {
			return nil, err
		}
		fields = append(fields, field)
	}
	if known := slices.IndexFunc(fields, func(f columns.Field) bool { return !f.Null }); known >= 0 {
		for i := range fields {
			if fields[i].Null {
				fields[i].Type = fields[known].Type
			}
		}
	}
	return fields, nil
}

// count determines the number of labels: the number of their names, the configured one, or the
// length of lists with a value for each label. If there is none of these, the labels are found in
// the data.
func (l *labels) count(ctx context.Context, t *tables) error {
	n, counted, err := l.listed(ctx, t)
	if err != nil {
		return err
	}
	switch named := l.Len(); {
	case named > 0 && counted != "" && n != named:
		return t.cfg.Errorf("labels", "%d labels are named, but %s has %d values a row", named, counted, n)
	case named > 0:
		return nil
	case l.number > 0 && counted != "" && n != l.number:
		return t.cfg.Errorf("num_labels", "there are %d labels, but %s has %d values a row", l.number, counted, n)
	case l.number > 0:
		n, counted = l.number, ""
		if rows, _ := t.predictions.rows(); t.layout.long && t.predictions.has(roles.Score) && !t.predictions.has(roles.ScoreLabel) && int64(n) > rows {
			return t.cfg.Errorf("num_labels", "an example needs a row for each of %d labels, but there are %d rows; if labels without a row have no score, set input.columns.score_label to %q",
				n, rows, t.predictions.column(roles.Class))
		}
	case n == 0:
		return l.leaveOpen(t)
	}
	naming, err := t.naming()
	if err != nil {
		return err
	}
	if label := naming[0]; label.Type == columns.String {
		return fmt.Errorf("column %q has label names, and %s a value for each label, but nothing says in which order: set labels or labels_file, or have the file say it (df.attrs[\"labels\"] in pandas, or the key-value metadata \"labels\")", label.Path, cmp.Or(counted, "num_labels"))
	}
	if counted != "" {
		t.note("labels: %d, numbered from 0 (the length of the lists in %s)", n, counted)
	}
	l.Vocabulary = input.NumberedLabels(n)
	return nil
}

// listed returns the length of the lists that have a value for each label, and their column, or ""
// if there are none.
func (l *labels) listed(ctx context.Context, t *tables) (n int, column string, err error) {
	in, r := t.predictions, roles.Score
	if !in.has(r) || in.has(roles.ScoreLabel) || t.layout.long {
		in, r = t.labelled(), roles.Label
		if l.encoding != input.Indicator && l.encoding != input.Distribution {
			return 0, "", nil
		}
	}
	column = fmt.Sprintf("column %q", in.column(r))
	if wide := in.columns[r].Wide; wide != nil {
		return len(wide), column, nil
	}
	n, err = in.listLength(ctx, in.column(r))
	if err == nil && n == 0 {
		err = fmt.Errorf("%s: no row has a list, so that the number of labels is unknown: set labels or num_labels", column)
	}
	if err != nil && (l.Len() > 0 || l.number > 0) {
		return 0, "", nil
	}
	return n, column, err
}

// leaveOpen leaves finding the labels in the data to the run.
func (l *labels) leaveOpen(t *tables) error {
	if l.encoding == input.Indices && !t.predictions.has(roles.ScoreLabel) && !t.layout.long {
		return errors.New("the number of labels is unknown: set labels or num_labels")
	}
	naming, err := t.naming()
	if err != nil {
		return err
	}
	first := naming[0]
	occur := []string{strconv.Quote(first.Path)}
	for _, other := range naming[1:] {
		if (first.Type == columns.String) != (other.Type == columns.String) {
			return fmt.Errorf("column %q is %s but column %q is %s: they must both have names or both numbers, or set labels",
				first.Path, first.Physical, other.Path, other.Physical)
		}
		occur = append(occur, strconv.Quote(other.Path))
	}
	in := "column"
	if len(occur) > 1 {
		in = "columns"
	}
	t.note("labels: those that occur in %s %s", in, strings.Join(occur, " and "))
	return nil
}

// Planning finds at most mostFound labels, because they are part of the pipeline, and reads at most
// mostFoundRows rows of a column for them.
const (
	mostFound     = 1000
	mostFoundRows = 1 << 18
)

// find finds the labels in the data if nothing names them, so that the run needs no pass for that. It
// finds none if dictionaries and a few rows do not prove which there are.
func (l *labels) find(ctx context.Context, t *tables) error {
	if l.Len() > 0 {
		return nil
	}
	var numbers []int64
	var texts []string
	for _, o := range t.namingRoles() {
		field, err := o.field(o.role)
		if err != nil {
			return err
		}
		values, proved := o.distinct(ctx)
		if !proved {
			return ctx.Err()
		}
		for _, value := range values {
			if n, err := strconv.ParseInt(value, 10, 64); err == nil && field.Type == columns.Int {
				numbers = append(numbers, n)
			} else {
				texts = append(texts, value)
			}
		}
	}
	slices.Sort(numbers)
	slices.Sort(texts)
	if numbers, texts = slices.Compact(numbers), slices.Compact(texts); len(numbers)+len(texts) <= mostFound {
		l.found = input.FoundLabels(numbers, texts)
	}
	return nil
}

// distinct returns the distinct values of a column of texts or integers, as text. proved is false if
// the dictionaries do not have them all, or if some value of a dictionary is not in the first rows.
// Reporting damage is left to the run.
func (o origin) distinct(ctx context.Context) (values []string, proved bool) {
	path := o.column(o.role)
	if _, groups := o.rows(); path == "" || groups > mostDictionaries {
		return nil, false
	}
	var table columns.Strings
	met, left := []bool{}, mostFoundRows
	err := o.eachGroup(ctx, func(file columns.File, at place) (more bool, err error) {
		complete, err := file.Dictionary(at.group, path, &table)
		if proved = err == nil && complete && table.Len() <= mostFound; !proved {
			return false, err
		}
		unmet := table.Len() - len(met)
		met = append(met, make([]bool, unmet)...)
		if unmet > 0 {
			unmet, err = meet(file, at.group, path, &table, met, unmet, &left)
		}
		proved = err == nil && unmet == 0
		return proved, err
	})
	return table.Values(), proved && err == nil
}

// meet reads rows of a column until it has met all values of a table. unmet is how many it has not
// met yet; meet returns how many are left. left is the number of rows that may be read.
func meet(file columns.File, group int, path string, table *columns.Strings, met []bool, unmet int, left *int) (int, error) {
	const rows = 4096
	for batch, err := range file.Peek(group, []string{path}, []*columns.Strings{table}, rows) {
		if err != nil {
			return unmet, err
		}
		c := &batch.Columns[0]
		for i := range c.Len() {
			if c.IsNull(i) {
				continue
			}
			code := table.CodeOf(textOf(c, i))
			if int(code) >= len(met) {
				return unmet, fmt.Errorf("column %q has %q, which is not in its dictionary", path, textOf(c, i))
			}
			if !met[code] {
				met[code] = true
				unmet--
			}
		}
		if *left -= batch.Rows; unmet == 0 || *left <= 0 {
			break
		}
	}
	return unmet, nil
}
