package ingest

import (
	"errors"
	"fmt"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
)

// Check returns an error unless a batch has the columns that the task needs, in a usable form.
// Convert requires batches that pass.
func (c *Converter) Check(in *Input) error {
	if err := c.missing(in); err != nil {
		return err
	}
	c.setColumns(in)
	p := &c.spec.Params
	labels, truth, scores := single, single, list
	if p.Task&(metrics.Multilabel|metrics.Ranking) != 0 {
		labels, truth = list, list
	}
	soft := p.Task == metrics.Multiclass && c.spec.Encoding == input.Distribution
	if soft {
		truth = list
	}
	if p.Task == metrics.Binary {
		scores = single | list // lists with one element
	}
	numbers := p.Task&(metrics.Regression|metrics.Ranking) != 0 || labels == list && c.spec.Encoding == input.Indicator
	for _, of := range [...]struct {
		*source
		shapes  shape
		numbers bool
	}{
		{&c.truth, truth, numbers || soft || in.LabelClass != nil},
		{&c.score, scores, true},
		{&c.scoreLabel, list, false},
		{&c.prediction, labels, numbers || in.PredictionClass != nil},
		{&c.baseline, labels, numbers || in.PredictionClass != nil},
		{&c.baselineScore, scores, true},
		{&c.judged, single, false},
		{&c.item, list, false},
		{&c.weight, single, true},
		{&c.quantiles, list, true},
		{&c.ensemble, list, true},
		{&c.scale, single, true},
		{&c.costFP, single, true},
		{&c.costFN, single, true},
		{&c.category, list, false},
		{&c.frequency, list, true},
		{&c.first, single, false},
		{&c.second, single, false},
	} {
		if expected := misfit(of.Column, of.shapes, of.numbers); expected != "" {
			return fmt.Errorf("column %q is %s: the %s of task %s must be %s", of.name, of.Shape(), of.role, p.Task, expected)
		}
	}
	return nil
}

// missing returns an error unless a batch has the columns that the task needs.
func (c *Converter) missing(in *Input) error {
	p := &c.spec.Params
	switch {
	case in.Label == nil:
		return errors.New("no label column")
	case p.Scores && in.Score == nil:
		return errors.New("no score column")
	case (p.Sparse || c.spec.complete()) && in.ScoreLabel == nil:
		return errors.New("no column of the labels of the scores")
	case p.Task == metrics.Regression && in.Prediction == nil:
		return errors.New("no prediction column")
	case p.Task == metrics.Preference && (in.First == nil || in.Second == nil):
		return errors.New("no columns of the two systems")
	case len(p.QuantileLevels) > 0 && in.Quantiles == nil:
		return errors.New("no column of forecasts of quantiles")
	case p.Ensemble && in.Ensemble == nil:
		return errors.New("no column of the members of ensembles")
	case p.Scaled && in.Scale == nil:
		return errors.New("no column of the scale of errors")
	case p.ErrorCosts && (in.CostFP == nil || in.CostFN == nil):
		return errors.New("no columns of what false positives and false negatives cost")
	case p.Decisions && in.Score == nil && in.Prediction == nil:
		return errors.New("no prediction column, and no scores to predict from")
	case p.Baseline && in.Baseline == nil && in.BaselineScore == nil:
		return errors.New("no column of the predictions or scores of a baseline")
	case p.Task == metrics.Regression && p.Baseline && in.Baseline == nil:
		return errors.New("no column of the predictions of a baseline")
	case p.Sparse && in.BaselineScore != nil:
		return errors.New("scores of a baseline are one for each label, and scores are sparse")
	case p.BaselineScores && in.BaselineScore == nil:
		return errors.New("no column of the scores of a baseline")
	case p.JudgedClass && in.Judged == nil:
		return errors.New("no column of judged classes")
	case p.Task == metrics.Ranking && p.Ranking.Ties == metrics.ItemTies && in.Item == nil:
		return errors.New("no item column, to break ties by")
	case p.Items && in.Item == nil:
		return errors.New("no item column")
	case p.Categories && in.Category == nil:
		return errors.New("no column of the categories of items")
	}
	return nil
}

// shape is a set of shapes that the rows of a column may have.
type shape int

const (
	single shape = 1 << iota
	list
)

// misfit says what was expected of a column if it has another shape, or strings instead of numbers.
func misfit(c *columns.Column, shapes shape, numbers bool) string {
	switch {
	case c == nil:
	case c.Offsets == nil && shapes&single == 0:
		return "a list"
	case c.Offsets != nil && shapes&list == 0:
		return "one value a row"
	case numbers && c.Type == columns.String:
		return "of numbers"
	}
	return ""
}
