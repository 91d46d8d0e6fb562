package pipeline

import (
	"bytes"
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

// findGrades finds which grades pass, and what is needed of attempts.
func (p *planner) findGrades() error {
	if p.task != metrics.Grading {
		return nil
	}
	field, err := p.predictions.field(roles.Grade)
	if err != nil {
		return err
	}
	pass := p.cfg.PassThreshold
	p.spec.Params.Grades = metrics.GradeOptions{Booleans: field.Type == columns.Bool, PassThreshold: pass, FailFew: p.cfg.TooFewAttempts == config.Fail}
	switch {
	case field.Type == columns.Bool && pass != nil:
		return p.cfg.Errorf("pass_threshold", "column %q is %s, and true passes: leave it out", field.Path, field.Physical)
	case field.Type != columns.Bool && pass == nil && p.cfg.WorstExamples != nil:
		return p.cfg.Errorf("worst_examples", "examples have a loss if their grades pass or not: set pass_threshold")
	case field.Type != columns.Bool && pass == nil:
		p.note("grades are numbers: set pass_threshold for pass_rate, pass@k and others of attempts that pass or not")
	}
	if !p.layout.long {
		p.note("rows have no example, so each is the only attempt at one: set input.columns.example to what was attempted")
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
