package pipeline

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/transforms/checks"
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
