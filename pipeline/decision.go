package pipeline

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/recalibration"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/curves"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/transforms/input"
)

// withoutDecisions are the tasks in which no labels are predicted.
const withoutDecisions = metrics.AnyTask &^ metrics.Classifying

// choosePredictions determines whether predictions are taken from the data, or derived from scores
// because the configuration says how.
func (t *tables) choosePredictions() error {
	p, d := t.predictions, &t.cfg.Decision
	rule := d.TopK > 0 || !reflect.ValueOf(d.Threshold).IsZero()
	switch {
	case !rule || !p.has(roles.Prediction) || t.task&withoutDecisions != 0:
	case p.has(roles.Score):
		t.leave(roles.Prediction, "column %q is not used: decision says how predictions are made from scores", p.column(roles.Prediction))
	default:
		t.note("decision is not used: there are predictions in column %q, and no scores", p.column(roles.Prediction))
	}
	return nil
}

// findDecision finds the rule that derives predictions from scores, unless the data have predictions
// or the task needs none.
func (p *planner) findDecision() error {
	if p.task&withoutDecisions != 0 || p.predictions.has(roles.Prediction) {
		return nil
	}
	cfg, l := p.effective, p.labels
	d := &input.Decision{Threshold: cfg.Threshold(), PerLabel: cfg.Decision.Threshold.ByLabel, TopK: cfg.Decision.TopK}
	switch {
	case p.task == metrics.Multiclass:
		p.note("predictions: the class with the highest score")
	case d.TopK > 0:
		p.note("predictions: the %d labels with the highest scores", d.TopK)
	case len(d.PerLabel) == 0:
		p.note("predictions: score >= %v", d.Threshold)
	}
	for _, name := range slices.Sorted(maps.Keys(d.PerLabel)) {
		if _, found := l.Label(name); found {
			continue
		}
		suggestion := ""
		if l.Names != nil {
			suggestion = fmt.Sprintf("; did you mean %q?", quote.Nearest(name, l.Names))
		}
		return cfg.Errorf("decision.threshold."+name, "%q is not one of the %d labels%s", name, l.Len(), suggestion)
	}
	p.spec.Decision = d
	return nil
}

// grade is the column of a grade, and what it means.
type grade struct {
	field columns.Field
	metrics.FurtherGrade
}

// findGrades finds what grades mean, and what is needed of attempts.
func (p *planner) findGrades() error {
	if p.task != metrics.Grading {
		return nil
	}
	grades, err := p.gradeColumns()
	if err != nil {
		return err
	}
	if err := p.judgeGrades(grades); err != nil {
		return err
	}
	main := grades[0]
	p.spec.Params.Grades = metrics.GradeOptions{Booleans: main.Booleans, PassThreshold: main.PassThreshold, LowerIsBetter: main.LowerIsBetter, FailFew: p.cfg.TooFewAttempts == config.Fail}
	for _, g := range grades[1:] {
		p.spec.Params.FurtherGrades = append(p.spec.Params.FurtherGrades, g.FurtherGrade)
	}
	only := metrics.Params{Task: metrics.Grading, FurtherGrades: p.spec.Params.FurtherGrades}
	switch err := only.Complete(); {
	case err != nil:
		return p.cfg.Errorf(p.predictions.key(roles.FurtherGrades), "%w, as in {usd: cost}", err)
	case !main.Booleans && main.PassThreshold == nil && p.cfg.WorstExamples != nil:
		return p.cfg.Errorf("worst_examples", "examples have a loss if their grades pass or not: set pass_threshold")
	case !main.Booleans && main.PassThreshold == nil:
		p.note("grades are numbers: set pass_threshold for pass_rate, pass@k and others of attempts that pass or not")
	}
	if !p.layout.long {
		p.note("rows have no example, so each is the only attempt at one: set input.columns.example to what was attempted")
	}
	return nil
}

// gradeColumns returns the columns of the grade and of further grades. Names of further grades are the names of their columns,
// unless the configuration gives them others; the grade is called after its column.
func (p *planner) gradeColumns() (list []*grade, err error) {
	main, key := p.predictions.column(roles.Grade), p.predictions.key(roles.FurtherGrades)
	for i, c := range append([]config.WideColumn{{Column: main}}, p.predictions.columns[roles.FurtherGrades].Wide...) {
		field, err := p.predictions.lookup(c.Column)
		name := cmp.Or(c.Label, c.Column)
		switch {
		case err != nil:
			return nil, err
		case i > 0 && c.Column == main:
			return nil, p.cfg.Errorf(key, "column %q is the grade already: leave it out", main)
		case i > 0 && name == main:
			return nil, p.cfg.Errorf(key, "the grade is called %q already: give column %q another name, as in {usd: cost}", name, c.Column)
		}
		list = append(list, &grade{field, metrics.FurtherGrade{Name: name, Booleans: field.Type == columns.Bool}})
	}
	return list, nil
}

// judgeGrades finds which grades pass, and whose lower values are better.
func (p *planner) judgeGrades(list []*grade) error {
	main, all := list[0].Name, map[string]*grade{}
	for _, g := range list {
		all[g.Name] = g
	}
	find := func(key, name string) (*grade, error) {
		if of := all[name]; of != nil {
			return of, nil
		}
		names := slices.Sorted(maps.Keys(all))
		return nil, p.cfg.Errorf(key, "there is no grade %q; did you mean %q? The grade is called %s, further grades are in input.columns.grades", name, quote.Nearest(name, names), main)
	}
	for i, name := range p.cfg.LowerIsBetter {
		of, err := find(fmt.Sprintf("lower_is_better[%d]", i), name)
		if err != nil {
			return err
		}
		of.LowerIsBetter = true
	}
	thresholds := p.cfg.PassThreshold.ByName
	if x := p.cfg.PassThreshold.Grade; x != nil {
		thresholds = map[string]float64{main: *x}
	}
	for _, name := range slices.Sorted(maps.Keys(thresholds)) {
		key := "pass_threshold." + name
		if p.cfg.PassThreshold.Grade != nil {
			key = "pass_threshold"
		}
		of, err := find(key, name)
		x := thresholds[name]
		switch {
		case err != nil:
			return err
		case of.Booleans:
			return p.cfg.Errorf(key, "column %q is %s, and %t passes: leave it out", of.field.Path, of.field.Physical, !of.LowerIsBetter)
		}
		of.PassThreshold = &x
	}
	return nil
}

// findRatings finds what ratings are.
func (p *planner) findRatings() error {
	if p.task != metrics.Agreement {
		return nil
	}
	r := roles.Raters
	if !p.predictions.has(r) {
		r = roles.Grade
	}
	field, err := p.predictions.field(r)
	if err != nil {
		return err
	}
	names := field.Type == columns.String || field.Type == columns.Bool
	p.spec.Params.Raters = metrics.RaterOptions{Names: names && !field.Null, Weights: p.cfg.Raters.Weights, MaxValues: p.cfg.Raters.MaxValues}
	if p.spec.Params.Raters.Names {
		p.note("ratings are %ss, which are equal or not: other metrics are of numbers", field.Type)
	}
	return nil
}

// mostBeside is the largest size of a file that the configuration names besides the data, in bytes: of thresholds, a
// recalibration or counts of labels. It is read whole.
const mostBeside = 256 << 20

// readThresholds reads the thresholds in the file named by decision.threshold, if it names one, into
// the effective configuration.
func (p *planner) readThresholds(ctx context.Context) error {
	const key = "decision.threshold"
	name := p.cfg.Decision.Threshold.File
	if name == "" || p.task&withoutDecisions != 0 {
		return nil
	}
	data, err := files.ReadFile(ctx, name, mostBeside)
	if err != nil {
		return p.cfg.Errorf(key, "%w; expected a number, a mapping of labels to numbers or a file with one, such as a thresholds.json", err)
	}
	byLabel, err := parseThresholds(data)
	if err != nil {
		return p.cfg.Errorf(key, "%s: %w", name, err)
	}
	with := *p.cfg
	with.Input.ScoreType = p.effective.Input.ScoreType
	read := &with.Decision.Threshold
	*read = config.Thresholds{}
	if threshold, set := byLabel["default"]; set {
		read.Default = &threshold
		delete(byLabel, "default")
	}
	if len(byLabel) > 0 {
		read.ByLabel = byLabel
		p.note("decision.threshold: from %s, for %d labels; for others %v", name, len(byLabel), with.Threshold())
	} else {
		p.note("decision.threshold: from %s", name)
	}
	with.Task, p.effective.Decision.Threshold = p.task, *read
	return with.Validate()
}

// readRecalibration reads the file that recalibrate names, if it names one.
func (p *planner) readRecalibration(ctx context.Context) error {
	const key = "recalibrate"
	name := p.cfg.Recalibrate
	switch {
	case name == "":
		return nil
	case !p.predictions.has(roles.Score):
		return p.cfg.Errorf(key, "needs scores: set input.columns.score")
	case p.predictions.has(roles.BaselineScore):
		return p.cfg.Errorf(key, "is of the scores of one model, but there are those of a baseline in column %q: leave one out", p.predictions.column(roles.BaselineScore))
	}
	data, err := files.ReadFile(ctx, name, mostBeside)
	if err != nil {
		return p.cfg.Errorf(key, "%w; expected the recalibration.json of a report", err)
	}
	m, err := recalibration.Read(data)
	if err != nil {
		return p.cfg.Errorf(key, "%s: %w", name, err)
	}
	if is := p.effective.Input.ScoreType.String(); m.ScoreType != is {
		return p.cfg.Errorf(key, "%s: score_type is %s, but input.score_type is %s: the file is not of these scores", name, m.ScoreType, is)
	}
	p.spec.Recalibration = m
	p.warn("recalibrated_scores", "scores are recalibrated: each becomes one of %d probabilities", len(m.Scores))
	return nil
}

// parseThresholds parses a JSON object that maps labels to numbers.
func parseThresholds(data []byte) (map[string]float64, error) {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(data, &values); err != nil || len(values) == 0 {
		return nil, errors.New(`expected a JSON object of labels and numbers, such as {"default": 0.5}`)
	}
	if _, err := jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowInvalidUTF8(true)).ReadValue(); errors.Is(err, jsontext.ErrDuplicateName) {
		return nil, fmt.Errorf("a label occurs twice: %w", err)
	}
	byLabel := make(map[string]float64, len(values))
	for _, label := range slices.Sorted(maps.Keys(values)) {
		value := string(values[label])
		x, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return nil, fmt.Errorf("threshold of %q: expected a finite number, found %.40s", label, value)
		}
		byLabel[label] = x
	}
	return byLabel, nil
}

// criterionOf returns the criterion of the given name for tuning thresholds.
func criterionOf(name string) (curves.Criterion, bool) {
	if name == "youden" {
		return curves.Criterion{Objective: curves.Youden}, true
	}
	if p, found := strings.CutPrefix(name, "recall_at_precision@"); found {
		x, err := strconv.ParseFloat(p, 64)
		return curves.Criterion{Objective: curves.RecallAtPrecision, At: x}, err == nil && x >= 0 && x <= 1
	}
	beta, err := strconv.ParseFloat(strings.TrimPrefix(name, "f"), 64)
	return curves.Criterion{Objective: curves.FBeta, At: beta}, err == nil && name[0] == 'f' && beta > 0 && beta <= 1e6
}

// leastCost is the name of the criterion for tuning thresholds that costs define.
const leastCost = "expected_cost"

// criterionOfCosts returns the criterion of the least cost. It depends on how much more an error costs
// than a right decision, of positives and of negatives: false positives must be dearer than true
// negatives, and false negatives than true positives. Costs of each example weigh these, and right
// decisions cost nothing.
func criterionOfCosts(p *metrics.Params) (curves.Criterion, bool) {
	costs := p.Costs
	switch {
	case p.Has.Has(roles.CostFP):
		return curves.Criterion{Objective: curves.NetBenefit, At: 1}, true
	case costs == nil:
		return curves.Criterion{}, false
	}
	negative, positive := costs[0][1]-costs[0][0], costs[1][0]-costs[1][1]
	c := curves.Criterion{Objective: curves.NetBenefit, At: positive / negative}
	return c, negative > 0 && positive > 0 && c.Check() == nil
}
