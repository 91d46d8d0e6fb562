package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
)

// roleNames are the column names that stand for a role, case aside; the first
// that exists counts.
var roleNames = []struct {
	role   string
	column func(*config.Columns) *string
	names  []string
}{
	{"label", func(c *config.Columns) *string { return &c.Label.Column }, []string{"label", "labels", "y_true", "y", "target", "ground_truth", "relevance"}},
	{"score", func(c *config.Columns) *string { return &c.Score.Column }, []string{"score", "scores", "probability", "probabilities", "proba", "prob", "y_score", "y_prob", "y_proba", "logits"}},
	{"score_label", func(c *config.Columns) *string { return &c.ScoreLabel }, nil},
	{"prediction", func(c *config.Columns) *string { return &c.Prediction.Column }, []string{"prediction", "predictions", "predicted", "pred", "y_pred"}},
	{"example", func(c *config.Columns) *string { return &c.Example }, []string{"example_id", "id"}},
	{"class", func(c *config.Columns) *string { return &c.Class }, nil},
	{"query", func(c *config.Columns) *string { return &c.Query }, []string{"query_id", "qid"}},
	{"item", func(c *config.Columns) *string { return &c.Item }, []string{"doc_id", "item_id"}},
	{"weight", func(c *config.Columns) *string { return &c.Weight }, []string{"weight", "sample_weight"}},
}

// isID says whether columns of a role have ids, which may turn out to be of no use.
func isID(role string) bool { return role == "example" || role == "query" || role == "item" }

// namesOfRole are the column names that stand for a role.
func namesOfRole(role string) []string {
	for _, r := range roleNames {
		if r.role == role {
			return r.names
		}
	}
	return nil
}

// roles finds the columns of roles that the configuration leaves open.
func (p *planner) roles(ctx context.Context) error {
	if err := p.wide(); err != nil {
		return err
	}
	if err := p.sparseScores(); err != nil {
		return err
	}
	for _, r := range roleNames {
		column := r.column(&p.cfg.Input.Columns)
		if r.role == "label" && p.truth != nil {
			continue
		}
		if *column != "" {
			if _, err := p.in.field(*column); err != nil {
				return p.cfg.Errorf("input.columns."+r.role, "%w", err)
			}
			continue
		}
		*column = p.findColumn(r.role, r.names)
		p.found[r.role] = *column != ""
		if *column != "" && !isID(r.role) {
			p.note("%s: column %q", r.role, *column)
		}
	}
	if err := p.findWide(ctx); err != nil {
		return err
	}
	c := &p.cfg.Input.Columns
	if c.Label.Column == "" && p.truth == nil {
		return fmt.Errorf("no label column: set input.columns.label%s (%w)", p.perhaps("label"), p.in.absent(roleNames[0].names))
	}
	if c.Score.Column == "" && c.Prediction.Column == "" {
		return fmt.Errorf("neither a score nor a prediction column: set input.columns.score%s or input.columns.prediction (%w)",
			p.perhaps("score"), p.in.absent(slices.Concat(roleNames[1].names, roleNames[3].names)))
	}
	return nil
}

// findColumn returns the first column of all files that has one of the names and no
// other role: of several columns of labels, the first that the task, if it is set,
// can use.
func (p *planner) findColumn(role string, names []string) string {
	return p.in.find(names, func(f columns.Field) bool { return role != "label" || p.fitsLabel(f) }, p.withRoles()...)
}

// withRoles are the columns of predictions that have a role.
func (p *planner) withRoles() (names []string) {
	for _, r := range roleNames {
		column := *r.column(&p.cfg.Input.Columns)
		names = append(names, column)
		for _, c := range p.in.wide[column] {
			names = append(names, c.Column)
		}
	}
	return names
}

// find returns the first column of all files that has one of the names, is not
// taken, and fits or, if none fits, the first at all.
func (in *input) find(names []string, fits func(columns.Field) bool, taken ...string) string {
	first := ""
	for _, name := range names {
		for _, f := range in.files[0].schema.Fields {
			if !strings.EqualFold(f.Path, name) || slices.Contains(taken, f.Path) || !in.everywhere(f.Path) {
				continue
			}
			if fits(f) {
				return f.Path
			}
			first = cmp.Or(first, f.Path)
		}
	}
	return first
}

// fitsLabel says whether a column of labels is a list where the task wants one.
// Where the task is not set, it follows from the labels, and all fit.
func (p *planner) fitsLabel(f columns.Field) bool {
	switch p.cfg.Task {
	case 0, metrics.Ranking:
		return true
	case metrics.Multiclass:
		return !f.List || f.Type == columns.Float || p.cfg.Input.LabelEncoding == config.EncodingDistribution
	case metrics.Multilabel:
		return p.truth != nil || f.List == (p.cfg.Input.Columns.Class == "")
	}
	return !f.List
}

// absent says why no column of all files has one of the names: it names a file
// that lacks such a column.
func (in *input) absent(names []string) error {
	column := names[0]
	named := func(path string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, path) })
	}
	for _, f := range in.files[0].schema.Fields {
		if named(f.Path) {
			column = f.Path
		}
	}
	for _, u := range in.files[0].schema.Unreadable {
		if named(u.Path) {
			column = u.Path
		}
	}
	if _, err := in.field(column); err != nil {
		return err
	}
	return fmt.Errorf("column %q has another role, or does not fit", column)
}

// inferTask settles the task.
func (p *planner) inferTask(context.Context) error {
	if p.cfg.Task == 0 {
		task, why, err := p.guessTask()
		if err != nil {
			return err
		}
		p.cfg.Task = task
		p.note("task: %s (%s)", task, why)
		if query := p.cfg.Input.Columns.Query; task != metrics.Ranking && query != "" {
			p.note("column %q is not used: set task to ranking if rows are the results of queries", query)
		}
	}
	p.task = p.cfg.Task
	p.plan.spec.Params.Task = p.task
	return nil
}

// guessTask tells the task from the shape of the columns.
func (p *planner) guessTask() (task metrics.Task, why string, err error) {
	c := &p.cfg.Input.Columns
	label, err := p.label()
	if err != nil {
		return 0, "", err
	}
	switch {
	case c.Class != "" || p.cfg.Truth.Columns.Class != "":
		return metrics.Multilabel, "a row for each label", nil
	case p.ranked(label):
		return metrics.Ranking, fmt.Sprintf("column %q has queries", c.Query), nil
	}
	if p.cfg.Input.LabelEncoding == config.EncodingDistribution {
		return metrics.Multiclass, "labels are distributions", nil
	}
	if label.List {
		return metrics.Multilabel, "labels are lists", nil
	}
	if c.Score.Column != "" {
		score, err := p.in.field(c.Score.Column)
		switch {
		case err != nil:
			return 0, "", err
		case score.List:
			return metrics.Multiclass, "one label, a list of scores", nil
		}
		return metrics.Binary, "one label, one score", nil
	}
	prediction, err := p.in.field(c.Prediction.Column)
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
	return 0, "", fmt.Errorf("the task is ambiguous: label %q and prediction %q are both whole numbers; set task to binary, multiclass or regression", c.Label.Column, c.Prediction.Column)
}

// ranked says whether scores rank the results of queries. A column that may be of
// queries by its name is not enough: other predictions have such ids, too.
func (p *planner) ranked(label columns.Field) bool {
	c, t := &p.cfg.Input.Columns, &p.cfg.Truth.Columns
	if c.Query == "" || c.Score.Column == "" || c.Score.Wide != nil || label.Type == columns.String || label.Type == columns.Bool {
		return false
	}
	return !p.found["query"] || c.Item != "" || t.Query != "" || t.Item != "" ||
		p.cfg.Input.Layout == config.LayoutLabel || strings.EqualFold(label.Path, "relevance")
}

// columnTypes checks the type of every column with a role.
func (p *planner) columnTypes(context.Context) error {
	c := &p.cfg.Input.Columns
	params := &p.plan.spec.Params
	params.ScoreType = p.cfg.Input.ScoreType
	switch p.task {
	case metrics.Ranking:
		params.ScoreType = metrics.RawScore
		if c.Prediction.Column != "" {
			p.leave("prediction", c.Prediction.Column, "column %q is not used: a ranking has no predictions", c.Prediction.Column)
		}
	case metrics.Regression:
		if c.Prediction.Column == "" {
			return errors.New("regression needs a prediction column: set input.columns.prediction")
		}
		if c.Score.Column != "" {
			p.leave("score", c.Score.Column, "column %q is not used: a regression has no scores", c.Score.Column)
		}
	}
	if err := p.checkWide(); err != nil {
		return err
	}
	soft, err := p.softLabels()
	if err != nil {
		return err
	}
	if params.Sparse = c.ScoreLabel != ""; params.Sparse && p.task&(metrics.Multiclass|metrics.Multilabel) == 0 {
		return p.cfg.Errorf("input.columns.score_label", "scores by label are for tasks multiclass and multilabel, the task is %s", p.cfg.Task)
	}
	for _, e := range p.expectations(soft) {
		if e.column == "" {
			continue
		}
		field, err := p.in.field(e.column)
		if err != nil {
			return err
		}
		if err := e.check(field, "task "+p.task.String()); err != nil {
			if !p.dispensable(e.role) {
				return p.cfg.Errorf("input.columns."+e.role, "%s: %w; name another column or another task", p.in.files[0].info.Name, err)
			}
			p.leave(e.role, e.column, "%v: not used", err)
			continue
		}
		if e.role == "score" {
			params.Scores = true
			params.LogLossEps = p.cfg.LogLossEps
			if params.LogLossEps == 0 {
				params.LogLossEps = machineEpsilon(field)
			}
		}
	}
	params.Bins = p.cfg.Calibration.Bins
	to := &p.plan.spec.Columns
	to.Label, to.Score, to.ScoreLabel, to.Prediction, to.Weight = c.Label.Column, c.Score.Column, c.ScoreLabel, c.Prediction.Column, c.Weight
	to.Class, to.Item = c.Class, c.Item
	if p.plan.spec.Long {
		to.ScoreLabel = "" // it is the class
	}
	return p.checkTruth(soft)
}

// expectations are what the columns of predictions must be.
func (p *planner) expectations(soft bool) []expectation {
	c := &p.cfg.Input.Columns
	label, prediction := p.labelExpectation(c.Label.Column, soft, p.plan.spec.Long), p.labelExpectation(c.Prediction.Column, false, p.plan.spec.Long)
	label.role, prediction.role = "label", "prediction"
	lists := !p.plan.spec.Long && p.task != metrics.Binary
	return []expectation{
		label, prediction,
		{"score", c.Score.Column, lists, numbers},
		{"score_label", c.ScoreLabel, lists, scalars},
		{"class", c.Class, false, names},
		{"item", c.Item, lists, scalars},
		{"weight", c.Weight, false, numbers},
	}
}

// labelExpectation is what a column of labels, true or predicted, must be.
func (p *planner) labelExpectation(column string, soft, long bool) expectation {
	e := expectation{column: column, types: scalars}
	switch {
	case p.task == metrics.Ranking:
		e.list, e.types = !long, numbers
	case p.task == metrics.Regression:
		e.types = numbers
	case p.task == metrics.Multilabel && long:
		e.types = []columns.Type{columns.Bool, columns.Int, columns.Float}
	case soft:
		e.list, e.types = true, numbers
	case p.task == metrics.Multilabel:
		e.list = true
	}
	return e
}

// checkTruth checks the label column of the truth.
func (p *planner) checkTruth(soft bool) error {
	if p.truth == nil {
		return nil
	}
	t := &p.plan.join.Columns
	e := p.labelExpectation(t.Label, soft, t.Class != "" || t.Item != "")
	e.role = "label"
	field, err := p.truth.field(t.Label)
	if err != nil {
		return err
	}
	if err := e.check(field, "task "+p.task.String()); err != nil {
		return p.cfg.Errorf("truth.columns.label", "%s: %w", p.truth.files[0].info.Name, err)
	}
	return nil
}

// The types of columns of numbers, of names or indices, and of anything.
var (
	numbers = []columns.Type{columns.Int, columns.Float}
	names   = []columns.Type{columns.Int, columns.String}
	scalars = []columns.Type{columns.Bool, columns.Int, columns.Float, columns.String}
)

// dispensable says whether a column that does not fit can be left aside: it was
// found by its name alone, and another tells the predictions.
func (p *planner) dispensable(role string) bool {
	c := &p.cfg.Input.Columns
	other := role == "weight" || role == "score" && c.Prediction.Column != "" || role == "prediction" && c.Score.Column != ""
	return other && p.found[role]
}

// leave says why a column is not used after all.
func (p *planner) leave(role, column, why string, args ...any) {
	p.note(why, args...)
	p.left = append(p.left, column)
	p.drop(role)
}

func (p *planner) drop(role string) {
	for _, r := range roleNames {
		if r.role == role {
			*r.column(&p.cfg.Input.Columns) = ""
		}
	}
}

// expectation is what a column must be.
type expectation struct {
	role, column string
	list         bool
	types        []columns.Type
}

func (e expectation) check(f columns.Field, of string) error {
	kind := map[bool]string{true: "a list", false: "one value a row"}
	if f.List != e.list {
		return fmt.Errorf("column %q is %s: the %s of %s must be %s", f.Path, f.Physical, e.role, of, kind[e.list])
	}
	names := make([]string, len(e.types))
	for i, t := range e.types {
		if f.Type == t {
			return nil
		}
		names[i] = t.String()
	}
	return fmt.Errorf("column %q is %s: the %s of %s must be of type %s", f.Path, f.Physical, e.role, of, strings.Join(names, " or "))
}

// machineEpsilon is that of the scores' type, to which scikit-learn clips log
// loss.
func machineEpsilon(f columns.Field) float64 {
	if f.Type != columns.Float {
		return 0x1p-52
	}
	switch f.Bits {
	case 16:
		return 0x1p-10
	case 32:
		return 0x1p-23
	}
	return 0x1p-52
}
