package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

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
	d, err := open(ctx, "input", in.Format, in.Files, options)
	if err != nil {
		return err
	}
	t.predictions = newTable(d, inputSection, in.Columns)
	t.noteTypes(d, "")
	if rows, _ := d.rows(); rows == 0 {
		return fmt.Errorf("no rows to evaluate: the input has none (files: %d, such as %s)", len(d.files), d.files[0].info.Name)
	}
	if len(truth.Files) > 0 {
		if d, err = open(ctx, truthSection, truth.Format, truth.Files, options); err != nil {
			return fmt.Errorf("truth: %w", err)
		}
		t.noteTypes(d, " of the truth")
		t.truth = newTable(d, truthSection, config.Columns(truth.Columns))
	}
	if before := &in.BaselinePredictions; len(before.Files) > 0 {
		if d, err = open(ctx, baselineSection, before.Format, before.Files, options); err != nil {
			return fmt.Errorf("baseline: %w", err)
		}
		t.noteTypes(d, " of the baseline")
		t.baseline = newTable(d, baselineSection, config.Columns(before.Columns))
	}
	if training := &t.cfg.Checks.Training; len(training.Files) > 0 && !slices.Contains(t.cfg.Checks.Off, checks.Overlap) {
		if d, err = open(ctx, trainingSection, training.Format, training.Files, options); err != nil {
			return t.cfg.Errorf(trainingSection, "%w", err)
		}
		t.noteTypes(d, " of the training data")
		t.training = newTable(d, trainingSection, config.Columns(training.Columns))
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

// findColumns finds the columns of roles for which the configuration names none, infers the task
// and the layout from them, and checks that the columns suit these.
func (t *tables) findColumns(ctx context.Context) error {
	return inTurn(
		t.findTrueLabels, t.widenPredictions, t.findSparseScores, t.findJudged,
		func() error { return t.findByName(ctx) },
		func() error { return t.nameListed(ctx) },
		func() error { return t.findWide(ctx) },
		t.findForecasts,
		func() error { return t.distrustSystems(ctx) },
		t.findNeeded, t.requireColumns,
		func() error { return t.refuseTextualLists(ctx) },
		func() error { return t.refuseSparseVectors(ctx) },
		func() error { return t.findTask(ctx) },
		func() error { return t.findBothClasses(ctx) },
		t.findLogits, t.findLayout, t.findIDsOfTruth, t.findSampling, t.findBaselinePredictions, t.findIDsOfTraining,
		func() error { return t.checkColumns(ctx) },
		t.judgeAlone, t.checkMissing, t.choosePredictions,
	)
}

// findByName finds the columns of predictions that have the usual names.
func (t *tables) findByName(ctx context.Context) error {
	p := t.predictions
	for r := range roles.All() {
		switch {
		case r == roles.Label && t.truth != nil:
		case t.withoutLabels() && !p.has(r) && (roles.SetOf(roles.Score, roles.Prediction).Has(r) || r == roles.Label && !p.has(roles.Answer)):
		case p.has(roles.Judged) && t.cfg.Task != metrics.Multiclass && !p.has(r) && (r == roles.Score || r == roles.Prediction): // of another model
		case p.has(r):
			if _, err := p.field(r); err != nil {
				return t.cfg.Errorf(p.key(r), "%w%s", err, p.writtenAsText(ctx, r))
			}
		case p.vacant(r):
			column := t.findColumn(r)
			if t.decided(r, column) {
				continue
			}
			p.set(r, column)
			p.found[r] = p.has(r)
			if p.has(r) && !r.IsID() {
				t.note("%s: column %q", r, p.column(r))
			}
		}
	}
	return nil
}

// decided reports whether the configuration names what to evaluate: scores, if a column of
// predictions was found by name, or predictions, if a column of scores was found. The found column
// may belong to another model: it is not used, and a warning says so.
func (t *tables) decided(r roles.Role, column string) bool {
	p, named := t.predictions, roles.Score
	switch r {
	case roles.Score:
		named = roles.Prediction
	case roles.Prediction:
	default:
		return false
	}
	if column == "" || !p.has(named) || p.found[named] || t.cfg.Task&^(metrics.Binary|metrics.Multiclass|metrics.Multilabel) != 0 {
		return false
	}
	t.left = append(t.left, column)
	t.warn("unused_columns", "column %q is not used: %s names column %q, and whether both are of one model is unknown: set %s to use it, or to null if it is not", column, p.key(named), p.column(named), p.key(r))
	return true
}

// findColumn returns the first column of the predictions that has a usual name of the role and no
// other role. Among several columns of labels, it prefers one that suits the task.
func (t *tables) findColumn(r roles.Role) string {
	return t.predictions.find(r.Of().Names, t.fits(r), t.predictions.taken()...)
}

// findNeeded finds columns by further usual names, for roles without which nothing can be evaluated, and for weights.
// What only some tasks need is looked for when the task is known, because these names are no evidence of it.
func (t *tables) findNeeded() error {
	p, task := t.predictions, t.known()
	needs := p.ownNeeds(task)
	decided := p.has(roles.Score) || p.has(roles.Prediction) || p.has(roles.Judged) || p.compares() || needs != 0 || t.withoutLabels()
	needed := map[roles.Role]bool{
		roles.Label:      t.truth == nil && (!t.withoutLabels() || task == metrics.Grading && p.has(roles.Answer)),
		roles.Score:      !decided || roles.Task(task).Needs().Has(roles.Score),
		roles.Prediction: !decided || task == metrics.Regression && !p.has(roles.Judged),
		roles.Weight:     true,
	}
	for r := range roles.All() {
		if needed[r] || needs.Has(r) {
			t.need(r)
		}
	}
	return nil
}

// need finds the column of the predictions for a role that the task needs, by any of its usual names.
func (t *tables) need(r roles.Role) {
	p := t.predictions
	if !p.vacant(r) {
		return
	}
	p.set(r, p.findSpelled(r, t.fits(r), p.taken()))
	if p.found[r] = p.has(r); p.has(r) && !r.IsID() {
		t.note("%s: column %q", r, p.column(r))
	}
}

// distrustSystems drops columns of systems that were found by name if the values of the label are
// no outcomes and there are predictions: then the rows are predictions, not comparisons.
func (t *tables) distrustSystems(ctx context.Context) error {
	p, of := t.predictions, t.labelled()
	if !p.has(roles.Score) && !p.has(roles.Prediction) || !p.compares() || !p.found[roles.A] || !p.found[roles.B] || t.cfg.Task != 0 || !of.has(roles.Label) {
		return nil
	}
	label, err := of.field(roles.Label)
	if err != nil {
		return nil // reported where the label is checked
	}
	if label.Type == columns.String && !label.List && of.columns[roles.Label].Wide == nil {
		values, err := of.firstValues(ctx, label.Path)
		if err != nil || len(values) == 0 || slices.ContainsFunc(values, input.IsOutcome) {
			return err
		}
	}
	t.note("columns %q and %q are not used as two systems: column %q has no outcomes, such as model_a or tie", p.column(roles.A), p.column(roles.B), label.Path)
	t.forget(roles.A, roles.B)
	return nil
}

// fits returns which columns fit a role.
func (t *tables) fits(r roles.Role) func(columns.Field) bool {
	if r == roles.Label {
		return t.fitsLabel
	}
	return anyColumn
}

func anyColumn(columns.Field) bool { return true }

// fitsLabel reports whether a column of labels holds lists if the task needs lists, and single
// values if not. If the task is not set, every column fits, because the task will be inferred from
// the labels.
func (t *tables) fitsLabel(f columns.Field) bool {
	switch t.cfg.Task {
	case 0, metrics.Ranking:
		return true
	case metrics.Multiclass:
		return !f.List || f.Type == columns.Float || t.cfg.Input.LabelEncoding == config.EncodingDistribution
	case metrics.Multilabel:
		return t.truth != nil || f.List == !t.predictions.has(roles.Class)
	}
	return !f.List
}

// findLogits takes scores for logits if they were found by the name logits, and nothing says otherwise.
func (t *tables) findLogits() error {
	p := t.predictions
	name := p.column(roles.Score)
	if wide := p.columns[roles.Score].Wide; wide != nil {
		name = wide[0].Column
	}
	const usual = "logits"
	t.logits = p.found[roles.Score] && len(name) >= len(usual) && strings.EqualFold(name[:len(usual)], usual) &&
		t.task&(metrics.Binary|metrics.Multiclass|metrics.Multilabel) != 0 && !t.cfg.Sets("input.score_type")
	if t.logits {
		t.note("score_type: %s (the name of column %q)", metrics.Logit, name)
	}
	return nil
}

// known returns the task as far as it is known: from the configuration, or from columns that only a task without labels has or needs.
func (t *tables) known() metrics.Task {
	if t.cfg.Task != 0 {
		return t.cfg.Task
	}
	for i := range slices.Backward(roles.TaskNames) { // ratings may be grades of raters
		if task := metrics.Task(1 << i); !roles.Task(task).Labelled() && t.predictions.hasOnlyFor(task) {
			return task
		}
	}
	return 0
}

// withoutLabels reports whether rows are known to need no labels, such as grades, which say themselves what they are worth.
func (t *tables) withoutLabels() bool {
	task := t.known()
	return task != 0 && !roles.Task(task).Labelled()
}

// compares reports whether rows compare two systems.
func (t *table) compares() bool { return t.has(roles.A) && t.has(roles.B) }

// leave drops a column of the predictions, and notes why.
func (t *tables) leave(r roles.Role, why string, args ...any) {
	t.note(why, args...)
	t.left = append(t.left, t.predictions.column(r))
	t.predictions.set(r, "")
}

// forget drops columns that were found by name for roles that have no meaning for the task.
func (t *tables) forget(all ...roles.Role) {
	for _, r := range all {
		if t.predictions.found[r] {
			t.predictions.set(r, "")
		}
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
