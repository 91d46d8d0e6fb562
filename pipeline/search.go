package pipeline

import (
	"fmt"
	"slices"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/sliceline"
	"github.com/beameval/beameval/transforms"
)

// searchQuantiles is the number of quantiles that divide the numbers of searched columns.
const searchQuantiles = 10

// findSearch finds which columns are searched for the worst slices, and by which loss.
func (p *planner) findSearch() error {
	cfg := p.cfg.Search
	if cfg == nil {
		return nil
	}
	s := &transforms.Search{
		Level: cfg.Level, Top: cfg.Top, MinSupport: cfg.MinSupport, Alpha: cfg.Alpha, MostValues: cfg.MaxValues, MostCandidates: cfg.MaxCandidates, Unconfirmed: !cfg.Confirm,
	}
	if err := p.findMeasure(s); err != nil {
		return err
	}
	if cfg.All() && p.layout.long {
		return p.cfg.Errorf("search.columns", "an example has several rows: instead of all, name columns that have the same value in all of them")
	}
	if cfg.All() {
		s.Columns, s.LeftOut = p.searchable(s)
	} else {
		for i, name := range cfg.Columns {
			c, err := p.searched(name)
			if err != nil {
				return p.cfg.Errorf(fmt.Sprintf("search.columns[%d]", i), "%w", err)
			}
			s.Columns = append(s.Columns, c)
		}
	}
	if n := len(s.Columns); n == 0 || n > sliceline.MostColumns {
		return p.cfg.Errorf("search.columns", "%d columns to search: there must be 1 to %d", n, sliceline.MostColumns)
	}
	p.spec.Search = s
	passes, most := []string{"once", "twice"}[p.searches()-1], ""
	if p.searches() > 1 {
		most = fmt.Sprintf(", of which it counts %s besides single values and pairs at most (search.max_candidates)", document.Grouped(int64(s.MostCandidates)))
	}
	p.note("search: %d columns, by %s: there may be %s slices%s; the predictions are read %s more", len(s.Columns), s.Measure,
		slicesText(sliceline.Slices(s.Level, len(s.Columns), s.MostValues)), most, passes)
	return nil
}

// searches returns how often the rows are read by the search, before they are read for metrics.
func (p *planner) searches() int {
	s := p.spec.Search
	if s == nil {
		return 0
	}
	return sliceline.Passes(s.Level, len(s.Columns), s.MostValues)
}

// slicesText formats a number of slices.
func slicesText(n float64) string {
	if n < 1e15 {
		return document.Grouped(int64(n))
	}
	return fmt.Sprintf("%.2g", n)
}

// findMeasure finds the loss of an example.
func (p *planner) findMeasure(s *transforms.Search) error {
	losses, name := p.spec.Params.LossesOfExamples(), p.cfg.Search.Measure
	if s.Measure = name; name == "" {
		if len(losses) == 0 {
			return p.cfg.Errorf("search", "the examples have neither probabilities nor predictions to take the loss of: set search.measure to a column of losses")
		}
		s.Measure = losses[0]
	}
	if p.spec.Params.HasLoss(s.Measure) {
		return nil
	}
	from, err := p.tableOf(name)
	compared := p.spec.Params
	compared.Has |= metrics.HasBaseline
	if compared.Scores {
		compared.Has |= metrics.HasBaselineScores
	}
	switch {
	case err == nil:
	case compared.HasLoss(name):
		return p.cfg.Errorf("search.measure", "%q compares the model with a baseline: set input.columns.baseline_score or, for regression alone, baseline_prediction", name)
	default:
		return p.cfg.Errorf("search.measure", "%q is no loss that these examples have (%q, and metrics that are means over examples; did you mean %q?), and no column: %w",
			name, losses, quote.Nearest(name, losses), err)
	}
	if field, err := from.lookup(name); err == nil && field.Type != columns.Int && field.Type != columns.Float {
		return p.cfg.Errorf("search.measure", "column %q is %s: losses are numbers", name, field.Physical)
	}
	s.OfColumn = true
	return nil
}

// tableOf returns the table that a column is taken from.
func (p *planner) tableOf(column string) (*table, error) {
	ofTruth, err := p.sliceColumn(column)
	if err != nil || !ofTruth {
		return p.predictions, err
	}
	if !p.spec.Truth.Has(column) {
		p.takeFromTruth(column, true)
	}
	return p.truth, nil
}

// searched returns how the values of a column make slices.
func (p *planner) searched(name string) (transforms.SliceColumn, error) {
	c := transforms.SliceColumn{Column: name}
	from, err := p.tableOf(name)
	if err != nil {
		return c, err
	}
	if field, err := from.lookup(name); err == nil && (field.Type == columns.Int || field.Type == columns.Float) {
		c.Quantiles = searchQuantiles
	}
	return c, nil
}

// searchable returns all columns that can be searched, and says which were left out.
func (p *planner) searchable(s *transforms.Search) (list []transforms.SliceColumn, leftOut []string) {
	taken := p.predictions.taken()
	if c := p.spec.Confidence; c != nil {
		taken = append(taken, c.By)
	}
	if s.OfColumn {
		taken = append(taken, s.Measure)
	}
	names := make([]string, 0, len(p.predictions.files[0].schema.Fields))
	for _, k := range p.predictions.files[0].info.Keys {
		names = append(names, k.Name)
	}
	for _, f := range p.predictions.files[0].schema.Fields {
		names = append(names, f.Path)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if slices.Contains(taken, name) {
			continue
		}
		if c, err := p.searched(name); err != nil {
			leftOut = append(leftOut, err.Error())
		} else {
			list = append(list, c)
		}
	}
	return list, leftOut
}
