package batches

import (
	"fmt"
	"slices"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/ingest"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// Predictions is the number of predictions in memory in a batch.
const Predictions = 1024

func predictionFields(c *wire.Coder, p *prediction) {
	wire.String(c, &p.Example)
	c.Strings(&p.Labels)
	wire.List(c, &p.Distribution, (*wire.Coder).Float)
	c.Strings(&p.Items)
	wire.List(c, &p.Relevance, (*wire.Coder).Float)
	c.Strings(&p.Categories)
	wire.List(c, &p.ItemFrequencies, (*wire.Coder).Float)
	c.Float(&p.Target)
	wire.List(c, &p.Scores, (*wire.Coder).Float)
	c.Strings(&p.ScoreLabels)
	c.Strings(&p.Predicted)
	c.Strings(&p.Baseline)
	wire.List(c, &p.BaselineScores, (*wire.Coder).Float)
	c.Float(&p.BaselineEstimate)
	c.Strings(&p.Judged)
	c.Strings(&p.Set)
	c.Float(&p.Estimate)
	wire.List(c, &p.Quantiles, (*wire.Coder).Float)
	wire.List(c, &p.Ensemble, (*wire.Coder).Float)
	for r := range roles.Numbers() {
		c.Float(p.Number(r))
	}
	wire.String(c, &p.First)
	wire.String(c, &p.Second)
	wire.List(c, &p.Grades, (*wire.Coder).Float)
	wire.List(c, &p.FurtherGrades, func(c *wire.Coder, list *[]float64) { wire.List(c, list, (*wire.Coder).Float) })
	c.Strings(&p.Answers)
	c.Strings(&p.Raters)
	wire.Optional(c, &p.Weight, (*wire.Coder).Float)
	wire.Map(c, &p.Slices, wire.String, wire.String)
}

// PredictionsFields lists the fields of predictions for a coder.
func PredictionsFields(c *wire.Coder, list *[]prediction) { wire.List(c, list, predictionFields) }

func init() { shuffle.Register(predictionFields) }

// OfPredictions puts predictions into columns, as if they had been read from a file. The batch is
// the caller's: its columns are new, except for the string tables of dicts, which batches share.
// Place refers to list.
func OfPredictions(j *shuffle.Job, sliceColumns []string, dicts Dictionaries, list []prediction) *Batch {
	b := &Batch{Input: ingest.Input{Rows: len(list)}, Place: func(bad *ingest.Bad) report.SkippedRow {
		if bad == nil {
			return report.SkippedRow{File: "predictions in memory", RowGroup: -1}
		}
		return report.SkippedRow{File: fmt.Sprintf("example %q", list[bad.Row].Example), RowGroup: -1}
	}}
	p, memory := &j.Params, predictions{list, dicts}
	switch p.Task {
	case metrics.Regression:
		memory.setRegression(b, p)
	case metrics.Ranking:
		b.Of[roles.Label] = memory.lists(func(p *prediction) []float64 { return p.Relevance })
		if j.Columns.Item != "" {
			b.Of[roles.Item] = memory.strings("item", false, func(p *prediction) []string { return p.Items })
		}
		if j.Columns.Category != "" {
			b.Of[roles.Category] = memory.strings("category", false, func(p *prediction) []string { return p.Categories })
		}
		if j.Columns.ItemFrequency != "" {
			b.Of[roles.ItemFrequency] = memory.lists(func(p *prediction) []float64 { return p.ItemFrequencies })
		}
	case metrics.Preference:
		memory.compare(b)
	case metrics.Grading:
		b.Of[roles.Grade] = memory.lists(func(p *prediction) []float64 { return p.Grades })
		if len(p.FurtherGrades) > 0 {
			b.Of[roles.FurtherGrades] = memory.lists(furtherGrades)
		}
		if j.Columns.Answer != "" {
			b.Of[roles.Answer] = memory.strings("answer", false, func(p *prediction) []string { return p.Answers })
			b.Of[roles.Label] = memory.strings("label", true, func(p *prediction) []string { return p.Labels })
		}
	case metrics.Agreement:
		b.Of[roles.Grade] = memory.lists(func(p *prediction) []float64 { return p.Grades })
		b.Of[roles.Rater] = memory.strings("rater", false, func(p *prediction) []string { return p.Raters })
	case metrics.Binary, metrics.Multiclass, metrics.Multilabel:
		single := p.Task != metrics.Multilabel
		if j.Encoding == input.Distribution {
			b.Of[roles.Label] = memory.lists(func(p *prediction) []float64 { return p.Distribution })
		} else {
			b.Of[roles.Label] = memory.strings("label", single, func(p *prediction) []string { return p.Labels })
		}
		memory.decisions(b, j, single)
	}
	if p.Scores {
		b.Of[roles.Score] = memory.lists(func(p *prediction) []float64 { return p.Scores })
	}
	if p.Scores && (p.Sparse || j.CompleteScores) {
		b.Of[roles.ScoreLabel] = memory.strings("score label", false, func(p *prediction) []string { return p.ScoreLabels })
	}
	for r := range roles.Numbers() {
		if p.Has.Has(r) {
			b.Of[r] = memory.floats(func(p *prediction) float64 { return *p.Number(r) })
		}
	}
	if j.PerQuery || j.ListsExamples() {
		b.IDs = memory.strings("id", true, func(p *prediction) []string {
			if p.Example == "" && !j.PerQuery {
				return nil
			}
			return []string{p.Example}
		})
	}
	b.Of[roles.Weight] = memory.weights()
	for i, name := range sliceColumns {
		if g := j.Confidence; g != nil && g.By == "" && i == len(sliceColumns)-1 {
			b.Slices = append(b.Slices, memory.strings("example", true, func(p *prediction) []string { return []string{p.Example} }))
			continue
		}
		b.Slices = append(b.Slices, memory.strings("slice "+name, true, func(p *prediction) []string {
			if v, ok := p.Slices[name]; ok {
				return []string{v}
			}
			return nil
		}))
	}
	return b
}

// setRegression sets the columns of a regression.
func (p predictions) setRegression(b *Batch, params *metrics.Params) {
	b.Of[roles.Label] = p.floats(func(p *prediction) float64 { return p.Target })
	if !params.NoEstimate {
		b.Of[roles.Prediction] = p.floats(func(p *prediction) float64 { return p.Estimate })
	}
	if params.Has.Has(roles.BaselinePrediction) {
		b.Of[roles.BaselinePrediction] = p.floats(func(p *prediction) float64 { return p.BaselineEstimate })
	}
	if len(params.QuantileLevels) > 0 {
		b.Of[roles.Quantiles] = p.lists(func(p *prediction) []float64 { return p.Quantiles })
	}
	if params.Has.Has(roles.Ensemble) {
		b.Of[roles.Ensemble] = p.lists(func(p *prediction) []float64 { return p.Ensemble })
	}
}

// weights returns the column of weights, or nil if every prediction has the weight 1.
func (p predictions) weights() *columns.Column {
	if !slices.ContainsFunc(p.list, func(p prediction) bool { return p.Weight != nil }) {
		return nil
	}
	return p.floats(func(p *prediction) float64 {
		if p.Weight == nil {
			return 1
		}
		return *p.Weight
	})
}

// furtherGrades returns the further grades of all attempts, attempt by attempt, or none if their numbers differ.
func furtherGrades(p *prediction) (list []float64) {
	if slices.ContainsFunc(p.FurtherGrades, func(of []float64) bool { return len(of) != len(p.Grades) }) {
		return nil
	}
	for i := range p.Grades {
		for _, of := range p.FurtherGrades {
			list = append(list, of[i])
		}
	}
	return list
}

// compare sets the columns of preferences.
func (p predictions) compare(b *Batch) {
	b.Of[roles.Label] = p.strings("label", true, func(p *prediction) []string { return p.Labels })
	b.Of[roles.A] = p.strings("first", true, func(p *prediction) []string { return named(p.First) })
	b.Of[roles.B] = p.strings("second", true, func(p *prediction) []string { return named(p.Second) })
}

// named returns a list of a name, or of none if it is empty.
func named(name string) []string {
	if name == "" {
		return nil
	}
	return []string{name}
}

// decisions sets the columns of predicted labels, of a baseline's predictions and of judgements, if
// there are such columns.
func (p predictions) decisions(b *Batch, j *shuffle.Job, single bool) {
	if j.Params.Decisions && j.Columns.Prediction != "" {
		b.Of[roles.Prediction] = p.strings("prediction", single, func(p *prediction) []string { return p.Predicted })
	}
	if j.Columns.Baseline != "" {
		b.Of[roles.BaselinePrediction] = p.strings("baseline", single, func(p *prediction) []string { return p.Baseline })
	}
	if j.Columns.Judged != "" {
		b.Of[roles.Judged] = p.strings("judged", single, func(p *prediction) []string { return p.Judged })
	}
	if j.Columns.Set != "" {
		b.Of[roles.PredictionSet] = p.strings("set", false, func(p *prediction) []string { return p.Set })
	}
	if j.Columns.BaselineScore != "" {
		b.Of[roles.BaselineScore] = p.lists(func(p *prediction) []float64 { return p.BaselineScores })
	}
}

type prediction = input.Prediction

// predictions makes columns from the fields of predictions.
type predictions struct {
	list  []prediction
	dicts Dictionaries
}

func (p predictions) floats(field func(*prediction) float64) *columns.Column {
	c := &columns.Column{Type: columns.Float, Floats: make([]float64, len(p.list))}
	for i := range p.list {
		c.Floats[i] = field(&p.list[i])
	}
	return c
}

// lists returns a column of lists of numbers.
func (p predictions) lists(field func(*prediction) []float64) *columns.Column {
	c := &columns.Column{Type: columns.Float, Offsets: make([]int32, 1, len(p.list)+1)}
	for i := range p.list {
		c.Floats = append(c.Floats, field(&p.list[i])...)
		c.Offsets = append(c.Offsets, int32(len(c.Floats)))
	}
	return c
}

// strings returns a column of strings: either single ones, which are null unless the field has
// exactly one, or lists.
func (p predictions) strings(name string, single bool, field func(*prediction) []string) *columns.Column {
	c := &columns.Column{Type: columns.String, Dict: p.dicts.Table(name)}
	if single {
		c.Null = make([]bool, len(p.list))
	} else {
		c.Offsets = make([]int32, 1, len(p.list)+1)
	}
	for i := range p.list {
		values := field(&p.list[i])
		if single && len(values) != 1 {
			c.Null[i] = true
			c.Codes = append(c.Codes, 0)
			continue
		}
		for _, v := range values {
			c.Codes = append(c.Codes, c.Dict.Code([]byte(v)))
		}
		if !single {
			c.Offsets = append(c.Offsets, int32(len(c.Codes)))
		}
	}
	return c
}
