package ingest

import (
	"errors"
	"fmt"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
)

// Check says whether a batch has the columns that the task needs, in a form
// that it can use. Convert takes only batches that pass.
func (c *Converter) Check(in *Input) error {
	p, names := &c.spec.Params, &c.spec.Columns
	switch {
	case in.Label == nil:
		return errors.New("no label column")
	case p.Scores && in.Score == nil:
		return errors.New("no score column")
	case p.Sparse && in.ScoreLabel == nil:
		return errors.New("no column of the labels of the scores")
	case p.Task == metrics.Regression && in.Prediction == nil:
		return errors.New("no prediction column")
	case p.Decisions && !p.Scores && in.Prediction == nil:
		return errors.New("no prediction column, and no scores to predict from")
	case p.Task == metrics.Ranking && p.Ranking.Ties == metrics.ItemTies && in.Item == nil:
		return errors.New("no item column, to break ties by")
	}
	labels, scores := single, list
	if p.Task&(metrics.Multilabel|metrics.Ranking) != 0 {
		labels = list
	}
	soft := p.Task == metrics.Multiclass && c.spec.Encoding == Distribution
	truth := labels
	if soft {
		truth = list
	}
	if p.Task == metrics.Binary {
		scores = single | list // lists of one
	}
	numbers := p.Task&(metrics.Regression|metrics.Ranking) != 0 || labels == list && c.spec.Encoding == Indicator
	for _, u := range [...]use{
		{"label", c.spec.truth().Label, in.Label, truth, numbers || soft || in.LabelClass != nil},
		{"score", names.Score, in.Score, scores, true},
		{"score_label", names.ScoreLabel, in.ScoreLabel, list, false},
		{"prediction", names.Prediction, in.Prediction, labels, numbers || in.PredictionClass != nil},
		{"item", names.Item, in.Item, list, false},
		{"weight", names.Weight, in.Weight, single, true},
	} {
		if expected := u.misfit(); expected != "" {
			return fmt.Errorf("column %q is %s: the %s of task %s must be %s", u.name, formOf(u.column), u.role, p.Task, expected)
		}
	}
	return nil
}

// shape is a set of the shapes that the rows of a column can have.
type shape int

const (
	single shape = 1 << iota
	list
)

// use is the use of a column: which shapes will do, and whether values must be
// numbers.
type use struct {
	role, name string
	column     *columns.Column
	shapes     shape
	numbers    bool
}

// misfit returns what was expected of a column that cannot be used so.
func (u *use) misfit() string {
	switch c := u.column; {
	case c == nil:
	case c.Offsets == nil && u.shapes&single == 0:
		return "a list"
	case c.Offsets != nil && u.shapes&list == 0:
		return "one value a row"
	case u.numbers && c.Type == columns.String:
		return "of numbers"
	}
	return ""
}

func formOf(c *columns.Column) string {
	if c.Offsets != nil {
		return fmt.Sprintf("list<%s>", c.Type)
	}
	return c.Type.String()
}
