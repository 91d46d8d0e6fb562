package ingest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/internal/settings"
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
	several := p.Task&(metrics.Multilabel|metrics.Ranking) != 0
	soft := p.Task == metrics.Multiclass && c.spec.Encoding == input.Distribution
	numbers := p.Task&(metrics.Regression|metrics.Ranking) != 0 || several && c.spec.Encoding == input.Indicator
	for r := range roles.All() {
		of, about, shapes := &c.by[r], r.Of(), single
		switch {
		case r == roles.Class || r == roles.Example: // they are of rows
			continue
		case p.Task&metrics.Results != 0 && r != roles.Weight && r != roles.Raters:
			shapes = single | list // of one attempt or rater, or of several
		case about.Shape == roles.PerLabel && about.Type == roles.Number && roles.Task(p.Task)&roles.Several == 0:
			shapes = single | list // lists with one element
		case about.Shape == roles.PerLabel, about.Shape == roles.List, about.Shape == roles.OfTask && several, r == roles.Label && soft:
			shapes = list
		}
		target := numbers || in.PredictionClass != nil
		if r == roles.Label {
			target = numbers || soft || in.LabelClass != nil
		}
		if of.Column = listed(of.Column, shapes); of.Column != nil {
			in.Of[r] = of.Column
		}
		expected := misfit(of.Column, shapes, about.Type == roles.Number || about.Type == roles.Flag && p.Task != metrics.Agreement || about.Type == roles.Target && r != roles.Judged && target)
		if r == roles.Raters || r == roles.Grade && p.Task == metrics.Agreement {
			expected = cmp.Or(expected, c.misfitOfRatings(of.Column))
		}
		if expected != "" {
			return fmt.Errorf("column %q is %s: the %s of task %s must be %s", of.name, of.Shape(), of.role, p.Task, expected)
		}
	}
	return nil
}

// missing returns an error unless a batch has the columns that the task and the metrics need.
func (c *Converter) missing(in *Input) error {
	p, has := &c.spec.Params, in.has()
	given := roles.Given{Task: roles.Task(p.Task), Has: has &^ roles.SetOf(roles.ScoreLabel, roles.SamplingStratum), Rows: true, Scores: p.Scores, Sparse: p.Sparse} // classes may say which labels scores are of
	if _, err := given.Check(func(r roles.Role) string { return p.Names.Of(settings.Role(r)) }); err != nil {
		return err
	}
	missing := p.Has &^ has
	if has.Has(roles.BaselineScore) && p.Task != metrics.Regression {
		missing &^= metrics.HasBaseline
	}
	switch {
	case p.Scores && !has.Has(roles.Score):
		return errors.New("no score column")
	case given.Lacks() != 0:
		return fmt.Errorf("no column of %s", given.Lacks().First().Of().What)
	case (p.Sparse || c.spec.CompleteScores) && !has.Has(roles.ScoreLabel):
		return errors.New("no column of the labels of the scores")
	case len(p.QuantileLevels) > 0 && !has.Has(roles.Quantiles):
		return errors.New("no column of forecasts of quantiles")
	case p.Decisions && !has.HasAny(roles.Score, roles.Prediction):
		return errors.New("no prediction column, and no scores to predict from")
	case missing != 0:
		return fmt.Errorf("no column of %s", missing.First().Of().What)
	case p.Task == metrics.Ranking && p.Ranking.Ties == metrics.ItemTies && !has.Has(roles.Item):
		return errors.New("no item column, to break ties by")
	}
	return nil
}

// has returns the roles of the columns that a batch has.
func (in *Input) has() (has roles.Set) {
	for r := range roles.All() {
		if in.Of[r] != nil && r != roles.Example && r != roles.Class { // they are of rows
			has |= roles.SetOf(r)
		}
	}
	return has
}

// shape is a set of shapes that the rows of a column may have.
type shape int

const (
	single shape = 1 << iota
	list
)

// listed turns a column of nulls into a column of null lists if only lists are allowed: if a column
// has no values, its file does not say whether it has lists.
func listed(c *columns.Column, shapes shape) *columns.Column {
	if c == nil || c.Offsets != nil || shapes&single != 0 || c.Type == columns.String || slices.Contains(c.Null, false) || len(c.Null) < c.Len() {
		return c
	}
	return &columns.Column{Type: c.Type, Offsets: make([]int32, c.Len()+1), RowNull: slices.Clone(c.Null)}
}

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
