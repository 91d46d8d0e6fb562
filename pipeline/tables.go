package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/transforms"
	"github.com/beameval/beameval/transforms/checks"
	"github.com/beameval/beameval/transforms/input"
)

// table is a dataset with the column of each role.
type table struct {
	*dataset
	section string // of the configuration, such as inputSection
	columns config.Columns
	found   [roles.Count]bool // roles whose columns were found by name; an unsuitable one was not meant
}

// newTable returns a table with the columns that its section of the configuration names.
func newTable(d *dataset, section string, c config.Columns) *table {
	t := &table{dataset: d, section: section, columns: c}
	for r := range t.columns {
		t.columns[r].Wide = slices.Clone(t.columns[r].Wide) // about to be sorted
	}
	return t
}

// column returns the name of the column of a role, or "" if there is none.
func (t *table) column(r roles.Role) string { return t.columns[r].Column }

// has reports whether there is a column of a role.
func (t *table) has(r roles.Role) bool { return t.column(r) != "" }

// all returns the roles that have a column.
func (t *table) all() (has roles.Set) {
	for r := range roles.All() {
		if t.has(r) {
			has |= roles.SetOf(r)
		}
	}
	return has
}

// ownNeeds returns the roles that a task needs besides labels and scores.
func (t *table) ownNeeds(task metrics.Task) roles.Set { return roles.Task(task).OwnNeeds(t.all()) }

// hasOnlyFor reports whether the table has the column of a role that only one task has or, among few, needs.
func (t *table) hasOnlyFor(task metrics.Task) bool {
	for r := range roles.All() {
		about, one := r.Of(), roles.Task(task)
		if t.has(r) && about.Tasks != 0 && (about.Tasks == one || about.Needed == one) {
			return true
		}
	}
	return false
}

// vacant reports whether a role has no column, and may have one that nobody named.
func (t *table) vacant(r roles.Role) bool { return !t.has(r) && !t.columns[r].Off }

func (t *table) set(r roles.Role, column string) { t.columns[r] = config.Origin{Column: column} }

// findUsual finds the column of a role by its most usual names or, if there is none, by any usual name in any spelling.
func (t *table) findUsual(r roles.Role, fits func(columns.Field) bool, taken []string) string {
	return cmp.Or(t.find(r.Of().Names, fits, taken...), t.findSpelled(r, fits, taken))
}

// findSpelled finds the column of a role by any of its usual names, in any spelling.
func (t *table) findSpelled(r roles.Role, fits func(columns.Field) bool, taken []string) string {
	return t.findAs(roles.Same, r.UsualNames(t.kind()), fits, taken)
}

// kind returns which files the table has.
func (t *table) kind() roles.Files {
	return sections[t.section].files
}

// name returns what messages call files.
func (t *table) name() string { return sections[t.section].name }

// key returns the configuration key of the column of a role.
func (t *table) key(r roles.Role) string {
	return fmt.Sprintf("%s.columns.%s", t.section, r.InFiles(t.kind()).Key)
}

// field returns the column of a role.
func (t *table) field(r roles.Role) (columns.Field, error) {
	o := t.columns[r]
	switch {
	case r == roles.Raters && o.Column != "":
		return t.ratingsField(o)
	case o.Wide != nil:
		return t.wideField(o)
	}
	return t.lookup(o.Column)
}

// taken returns the columns that have a role.
func (t *table) taken() (names []string) {
	for _, o := range t.columns {
		names = append(names, o.Column)
		names = append(names, columnsOfList(o)...)
	}
	return names
}

// columnsOfList returns the columns that make the list of a role, or nil if it is one column.
func columnsOfList(o config.Origin) (names []string) {
	for _, c := range o.Wide {
		names = append(names, c.Column)
	}
	return names
}

// tables are the predictions and, if the true labels are in other files, the truth. The task and
// the layout follow from their columns.
type tables struct {
	*notes
	cfg         *config.Config // as given; planning does not modify it
	predictions *table
	truth       *table // nil if the predictions have the true labels
	baseline    *table // nil if no other files have what a baseline predicts
	training    *table // nil if nothing is compared with the training data
	task        metrics.Task
	layout      layout
	soft        bool      // true labels are distributions over the classes
	levels      []float64 // of the forecasts of quantiles
	left        []string  // columns that are ignored, according to a note
	logits      bool      // scores are logits, as the name says by which they were found
	both        *transforms.BothClasses
}

// labelled returns the table with the true labels.
func (t *tables) labelled() *table {
	if t.truth != nil {
		return t.truth
	}
	return t.predictions
}

// of returns the table with the column of a role.
func (t *tables) of(r roles.Role) *table {
	switch r {
	case roles.Label:
		return t.labelled()
	case roles.BaselinePrediction, roles.BaselineScore:
		return t.before()
	case roles.SamplingProbability, roles.SamplingStratum:
		if t.truth != nil && t.truth.has(r) {
			return t.truth
		}
	}
	return t.predictions
}

// key returns the configuration key of the column of a role.
func (t *tables) key(r roles.Role) string { return t.of(r).key(r) }

// all returns the roles that have a column.
func (t *tables) all() (has roles.Set) {
	for r := range roles.All() {
		if t.of(r).has(r) {
			has |= roles.SetOf(r)
		}
	}
	return has
}

// before returns the table with the baseline's predictions, if there is a baseline.
func (t *tables) before() *table {
	if t.baseline != nil {
		return t.baseline
	}
	return t.predictions
}

// others returns the tables beside the predictions.
func (t *tables) others() []*table {
	return slices.DeleteFunc([]*table{t.truth, t.baseline}, func(other *table) bool { return other == nil })
}

// findTables opens the files that a configuration names, and finds the columns of the roles.
func findTables(ctx context.Context, cfg *config.Config) (*tables, error) {
	t := &tables{notes: new(notes), cfg: cfg}
	err := t.open(ctx)
	if err == nil {
		err = t.findColumns(ctx)
	}
	if err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

func (t *tables) open(ctx context.Context) error {
	in, truth := &t.cfg.Input, &t.cfg.Truth
	options := columns.Options{
		MaxPage: int64(in.MaxPageMiB) << 20, MaxRowValues: in.MaxRowValues, MaxName: in.MaxNameKiB << 10, RoundDecimals: in.Decimals == config.DecimalsFloat64,
		NoQuotes: in.Quotes == config.QuotesNone, NullValues: in.NullValues, Names: settings.Keys,
	}
	read := func(section, of, format string, files []string, columns config.Columns) (*table, error) {
		d, err := open(ctx, section, format, files, options)
		if err != nil {
			return nil, err
		}
		t.noteTypes(d, of)
		return newTable(d, section, columns), nil
	}
	var err error
	if t.predictions, err = read(inputSection, "", in.Format, in.Files, in.Columns); err != nil {
		return err
	}
	if rows, _ := t.predictions.rows(); rows == 0 {
		files := t.predictions.files
		return fmt.Errorf("no rows to evaluate: the input has none (files: %d, such as %s)", len(files), files[0].info.Name)
	}
	if len(truth.Files) > 0 {
		if t.truth, err = read(truthSection, " of the truth", truth.Format, truth.Files, config.Columns(truth.Columns)); err != nil {
			return fmt.Errorf("truth: %w", err)
		}
	}
	if before := &in.BaselinePredictions; len(before.Files) > 0 {
		if t.baseline, err = read(baselineSection, " of the baseline", before.Format, before.Files, config.Columns(before.Columns)); err != nil {
			return fmt.Errorf("baseline: %w", err)
		}
	}
	if training := &t.cfg.Checks.Training; len(training.Files) > 0 && !slices.Contains(t.cfg.Checks.Off, checks.Overlap) {
		if t.training, err = read(trainingSection, " of the training data", training.Format, training.Files, config.Columns(training.Columns)); err != nil {
			return t.cfg.Errorf(trainingSection, "%w", err)
		}
	}
	return nil
}

func (t *tables) close() {
	if t.predictions != nil {
		t.predictions.close()
	}
	for _, in := range t.others() {
		in.close()
	}
	if t.training != nil {
		t.training.close()
	}
}

// roles returns the columns of a table for package transforms; id is the role of the column that
// identifies the rows of an example.
func (t *table) roles(id roles.Role) input.Columns {
	var c input.Columns
	for r := range roles.All() {
		if name := c.Of(r); name != nil {
			*name = t.column(r)
		}
	}
	c.Example = t.column(id)
	c.Weight = cmp.Or(c.Weight, t.column(roles.SamplingProbability))
	t.addLists(&c)
	return c
}

// addLists adds the columns that make lists. A list is called by its first and last column, and by its
// role, too, if something else is called so.
func (t *table) addLists(c *input.Columns) {
	single := map[string]bool{}
	for _, o := range t.columns {
		if o.Wide == nil {
			single[o.Column] = true
		}
	}
	for r := range roles.All() {
		names, of := columnsOfList(t.columns[r]), c.Of(r)
		if len(names) == 0 || of == nil {
			continue
		}
		if other, taken := c.Wide[*of]; taken && !slices.Equal(other, names) || single[*of] {
			*of += ", " + r.String()
		}
		if c.Wide == nil {
			c.Wide = map[string][]string{}
		}
		c.Wide[*of] = names
	}
}

// rolesOfPredictions returns the columns of the predictions for package transforms.
func (t *tables) rolesOfPredictions() input.Columns {
	r := t.predictions.roles(t.layout.id())
	if t.layout.long {
		r.ScoreLabel = "" // it is the class
	}
	if !t.byID() && t.listed() == "" && !t.cfg.Output.Statistics.HasIDs() {
		r.Example = ""
	}
	if !t.judgesDrawn() {
		r.Stratum = ""
	}
	if r.Judged = ""; len(t.judgements()) > 0 { // else they are predictions or scores
		r.Judged = t.predictions.column(roles.Judged)
	}
	return r
}

// byID reports whether examples are assembled by a column of ids.
func (t *tables) byID() bool { return t.layout.long || t.perQuery() || len(t.others()) > 0 }
