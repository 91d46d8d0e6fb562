package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/formats"
	"github.com/beameval/beameval/io/text"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/transforms/input"
)

// role is the purpose of a column. Its value is the name of its key in the configuration.
type role string

// The roles.
const (
	roleLabel         role = "label"
	roleScore         role = "score"
	roleScoreLabel    role = "score_label"
	rolePrediction    role = "prediction"
	roleExample       role = "example"
	roleClass         role = "class"
	roleQuery         role = "query"
	roleItem          role = "item"
	roleWeight        role = "weight"
	roleQuantiles     role = "quantiles"
	roleEnsemble      role = "ensemble"
	roleScale         role = "scale"
	roleCostFP        role = "cost_fp"
	roleCostFN        role = "cost_fn"
	roleCategory      role = "category"
	roleFrequency     role = "item_frequency"
	roleFirst         role = "a"
	roleSecond        role = "b"
	roleBaseline      role = "baseline_prediction"
	roleBaselineScore role = "baseline_score"
	roleJudged        role = "judged"
)

// roles lists all roles in the order in which their columns are found, with the usual names of
// these columns, ignoring case. The first name that exists wins.
var roles = []struct {
	role  role
	names []string
}{
	{roleLabel, []string{"label", "labels", "y_true", "y", "target", "ground_truth", "relevance", "winner"}},
	{roleScore, []string{"score", "scores", "probability", "probabilities", "proba", "prob", "y_score", "y_prob", "y_proba", "logits"}},
	{roleScoreLabel, nil},
	{rolePrediction, []string{"prediction", "predictions", "predicted", "pred", "y_pred"}},
	{roleExample, []string{"example_id", "id"}},
	{roleClass, nil},
	{roleQuery, []string{"query_id", "qid"}},
	{roleItem, []string{"doc_id", "item_id"}},
	{roleWeight, []string{"weight", "sample_weight"}},
	{roleQuantiles, nil},
	{roleEnsemble, nil},
	{roleScale, nil},
	{roleCostFP, nil},
	{roleCostFN, nil},
	{roleCategory, nil},
	{roleFrequency, nil},
	{roleFirst, []string{"model_a"}},
	{roleSecond, []string{"model_b"}},
	{roleBaseline, nil},
	{roleBaselineScore, nil},
	{roleJudged, nil},
}

// names returns the usual names of columns of a role.
func (r role) names() []string {
	for _, known := range roles {
		if known.role == r {
			return known.names
		}
	}
	return nil
}

// isID reports whether columns of a role hold ids. Most data have some, needed or not.
func (r role) isID() bool { return r == roleExample || r == roleQuery || r == roleItem }

// table is a dataset with the column of each role.
type table struct {
	*dataset
	section string // of the configuration: input, truth or baselineSection
	columns map[role]config.Origin
	found   map[role]bool // roles whose columns were found by name; an unsuitable one was not meant
}

// newTable returns a table with the columns that its section of the configuration names.
func newTable(d *dataset, section string, c config.Columns) *table {
	t := &table{d, section, make(map[role]config.Origin), make(map[role]bool)}
	for r, o := range map[role]config.Origin{
		roleLabel: c.Label, roleScore: c.Score, rolePrediction: c.Prediction,
		roleScoreLabel: {Column: c.ScoreLabel}, roleExample: {Column: c.Example}, roleClass: {Column: c.Class},
		roleQuery: {Column: c.Query}, roleItem: {Column: c.Item}, roleWeight: {Column: c.Weight},
		roleQuantiles: c.Quantiles, roleEnsemble: c.Ensemble, roleScale: {Column: c.Scale},
		roleCostFP: {Column: c.CostFP}, roleCostFN: {Column: c.CostFN},
		roleCategory: {Column: c.Category}, roleFrequency: {Column: c.ItemFrequency},
		roleFirst: {Column: c.A}, roleSecond: {Column: c.B},
		roleBaseline: c.BaselinePrediction, roleBaselineScore: c.BaselineScore,
		roleJudged: {Column: c.Judged},
	} {
		o.Wide = slices.Clone(o.Wide) // about to be sorted
		t.columns[r] = o
	}
	return t
}

// config returns the columns in the form of a configuration.
func (t *table) config() config.Columns {
	return config.Columns{
		Label: t.columns[roleLabel], Score: t.columns[roleScore], Prediction: t.columns[rolePrediction],
		ScoreLabel: t.column(roleScoreLabel), Example: t.column(roleExample), Class: t.column(roleClass),
		Query: t.column(roleQuery), Item: t.column(roleItem), Weight: t.column(roleWeight),
		Quantiles: t.columns[roleQuantiles], Ensemble: t.columns[roleEnsemble], Scale: t.column(roleScale),
		CostFP: t.column(roleCostFP), CostFN: t.column(roleCostFN),
		Category: t.column(roleCategory), ItemFrequency: t.column(roleFrequency),
		A: t.column(roleFirst), B: t.column(roleSecond),
		BaselinePrediction: t.columns[roleBaseline], BaselineScore: t.columns[roleBaselineScore],
		Judged: t.column(roleJudged),
	}
}

// column returns the name of the column of a role, or "" if there is none.
func (t *table) column(r role) string { return t.columns[r].Column }

// has reports whether there is a column of a role.
func (t *table) has(r role) bool { return t.column(r) != "" }

func (t *table) set(r role, column string) { t.columns[r] = config.Origin{Column: column} }

// key returns the configuration key of the column of a role.
func (t *table) key(r role) string {
	if t.section == baselineSection {
		r = role(strings.TrimPrefix(string(r), "baseline_"))
	}
	return fmt.Sprintf("%s.columns.%s", t.section, r)
}

// field returns the column of a role.
func (t *table) field(r role) (columns.Field, error) {
	o := t.columns[r]
	if o.Wide != nil {
		return t.wideField(o)
	}
	return t.lookup(o.Column)
}

// taken returns the columns that have a role.
func (t *table) taken() (names []string) {
	for _, o := range t.columns {
		names = append(names, o.Column)
		for _, c := range o.Wide {
			names = append(names, c.Column)
		}
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
	task        metrics.Task
	layout      layout
	soft        bool      // true labels are distributions over the classes
	levels      []float64 // of the forecasts of quantiles
	left        []string  // columns that are ignored, according to a note
}

// labelled returns the table with the true labels.
func (t *tables) labelled() *table {
	if t.truth != nil {
		return t.truth
	}
	return t.predictions
}

// before returns the table with what a baseline predicts, if there is a baseline.
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
		MaxPage: int64(in.MaxPageMiB) << 20, MaxRowValues: in.MaxRowValues, RoundDecimals: in.Decimals == config.DecimalsFloat64,
		NoQuotes: in.Quotes == config.QuotesNone, Names: settings.Keys,
	}
	d, err := open(ctx, "input", in.Format, in.Files, options)
	if err != nil {
		return err
	}
	t.predictions = newTable(d, "input", in.Columns)
	t.noteTypes(d, "")
	if rows, _ := d.rows(); rows == 0 {
		return fmt.Errorf("no rows to evaluate: the input has none (files: %d, such as %s)", len(d.files), d.files[0].info.Name)
	}
	if len(truth.Files) > 0 {
		if d, err = open(ctx, "truth", truth.Format, truth.Files, options); err != nil {
			return fmt.Errorf("truth: %w", err)
		}
		t.noteTypes(d, " of the truth")
		c := &truth.Columns
		t.truth = newTable(d, "truth", config.Columns{Example: c.Example, Class: c.Class, Query: c.Query, Item: c.Item, Label: c.Label})
	}
	if before := &in.BaselinePredictions; len(before.Files) > 0 {
		if d, err = open(ctx, baselineSection, before.Format, before.Files, options); err != nil {
			return fmt.Errorf("baseline: %w", err)
		}
		t.noteTypes(d, " of the baseline")
		c := &before.Columns
		t.baseline = newTable(d, baselineSection, config.Columns{Example: c.Example, BaselinePrediction: config.Origin{Column: c.Prediction}, BaselineScore: config.Origin{Column: c.Score}})
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
}

// findColumns finds the columns of roles for which the configuration names none, infers the task
// and the layout from them, and checks that the columns suit these.
func (t *tables) findColumns(ctx context.Context) error {
	return inTurn(
		t.findTrueLabels, t.widenPredictions, t.findSparseScores, t.findJudged, t.findByName,
		func() error { return t.findWide(ctx) },
		t.findForecasts, t.requireColumns,
		func() error { return t.refuseTextualLists(ctx) },
		t.findTask, t.findLayout, t.findIDsOfTruth, t.findBaselinePredictions, t.checkColumns, t.judgeAlone, t.checkMissing, t.choosePredictions,
	)
}

// findByName finds the columns of predictions that have the usual names.
func (t *tables) findByName() error {
	p := t.predictions
	for _, r := range roles {
		switch {
		case r.role == roleLabel && t.truth != nil:
		case p.has(roleJudged) && t.cfg.Task != metrics.Multiclass && !p.has(r.role) && (r.role == roleScore || r.role == rolePrediction): // of another model
		case p.has(r.role):
			if _, err := p.field(r.role); err != nil {
				return t.cfg.Errorf(p.key(r.role), "%w", err)
			}
		default:
			p.set(r.role, t.findColumn(r.role))
			p.found[r.role] = p.has(r.role)
			if p.has(r.role) && !r.role.isID() {
				t.note("%s: column %q", r.role, p.column(r.role))
			}
		}
	}
	return nil
}

// findColumn returns the first column of the predictions that has a usual name of the role and no
// other role. Among several columns of labels, it prefers one that suits the task.
func (t *tables) findColumn(r role) string {
	return t.predictions.find(r.names(), func(f columns.Field) bool { return r != roleLabel || t.fitsLabel(f) }, t.predictions.taken()...)
}

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
		return t.truth != nil || f.List == !t.predictions.has(roleClass)
	}
	return !f.List
}

// requireColumns fails if there are no labels, or nothing to compare with them.
func (t *tables) requireColumns() error {
	p := t.predictions
	if file := p.files[0].info.Name; t.truth == nil && cmp.Or(t.cfg.Input.Format, formats.Of(file)) == text.Run {
		return fmt.Errorf("%s is a TREC run, which has no judgements: set truth.files to its qrels", file)
	}
	if !p.has(roleLabel) && t.truth == nil {
		return fmt.Errorf("no label column: set input.columns.label%s (%w)", p.perhaps(roleLabel), p.absent(roleLabel.names()))
	}
	if t.cfg.Task == metrics.Preference {
		for _, r := range []role{roleFirst, roleSecond} {
			if !p.has(r) {
				return fmt.Errorf("no column of system %s: set input.columns.%s (%w)", r, r, p.absent(r.names()))
			}
		}
		return nil
	}
	if !p.has(roleScore) && !p.has(rolePrediction) && !p.has(roleJudged) && !p.compares() {
		return fmt.Errorf("neither a score nor a prediction column: set input.columns.score%s or input.columns.prediction (%w)",
			p.perhaps(roleScore), p.absent(slices.Concat(roleScore.names(), rolePrediction.names())))
	}
	return nil
}

// compares reports whether rows compare two systems.
func (t *table) compares() bool { return t.has(roleFirst) && t.has(roleSecond) }

// leave drops a column of the predictions, and notes why.
func (t *tables) leave(r role, why string, args ...any) {
	t.note(why, args...)
	t.left = append(t.left, t.predictions.column(r))
	t.predictions.set(r, "")
}

// forget drops columns that were found by name for roles that have no meaning for the task.
func (t *tables) forget(all ...role) {
	for _, r := range all {
		if t.predictions.found[r] {
			t.predictions.set(r, "")
		}
	}
}

// roles returns the columns of a table for package transforms; id is the role of the column that
// identifies the rows of an example.
func (t *table) roles(id role) input.Columns {
	r := input.Columns{
		Label: t.column(roleLabel), Score: t.column(roleScore), ScoreLabel: t.column(roleScoreLabel), Prediction: t.column(rolePrediction),
		Weight: t.column(roleWeight), Example: t.column(id), Class: t.column(roleClass), Item: t.column(roleItem),
		Quantiles: t.column(roleQuantiles), Ensemble: t.column(roleEnsemble), Scale: t.column(roleScale),
		CostFP: t.column(roleCostFP), CostFN: t.column(roleCostFN),
		Category: t.column(roleCategory), ItemFrequency: t.column(roleFrequency),
		First: t.column(roleFirst), Second: t.column(roleSecond),
		Baseline: t.column(roleBaseline), BaselineScore: t.column(roleBaselineScore),
	}
	for _, o := range t.columns {
		for _, c := range o.Wide {
			if r.Wide == nil {
				r.Wide = make(map[string][]string)
			}
			r.Wide[o.Column] = append(r.Wide[o.Column], c.Column)
		}
	}
	return r
}

// rolesOfPredictions returns the columns of the predictions for package transforms.
func (t *tables) rolesOfPredictions() input.Columns {
	r := t.predictions.roles(t.layout.id())
	if t.layout.long {
		r.ScoreLabel = "" // it is the class
	}
	if !t.byID() && t.listed() == "" {
		r.Example = ""
	}
	for _, o := range t.judgements() {
		r.Judged = o.column(o.role)
	}
	return r
}

// byID reports whether examples are assembled by a column of ids.
func (t *tables) byID() bool { return t.layout.long || t.perQuery() || len(t.others()) > 0 }
