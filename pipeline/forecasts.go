package pipeline

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/beameval/beameval/pipeline/config"
)

// findForecasts finds the columns of forecasts of quantiles, of which the bounds of an interval are
// two, and puts them in the order of their levels. If there is no prediction, it is the median.
func (t *tables) findForecasts() error {
	p, in := t.predictions, &t.cfg.Input
	if c := &in.Columns; c.Lower != "" && c.Upper != "" {
		var o config.Origin
		o.Widen([]config.WideColumn{{Label: tail(1 - in.IntervalLevel), Column: c.Lower}, {Label: tail(1 + in.IntervalLevel), Column: c.Upper}})
		p.columns[roleQuantiles] = o
	}
	if !p.has(roleQuantiles) {
		return nil
	}
	o, key := p.columns[roleQuantiles], p.key(roleQuantiles)
	if o.Wide == nil {
		return t.cfg.Errorf(key, "column %q: expected a column for each level, such as {0.1: q10, 0.5: q50, 0.9: q90}", o.Column)
	}
	levels := make(map[string]float64, len(o.Wide))
	for _, c := range o.Wide {
		level, err := strconv.ParseFloat(c.Label, 64)
		if err != nil || !(level > 0 && level < 1) {
			return t.cfg.Errorf(key, "column %q: %q is not the level of a quantile: expected a number between 0 and 1, as in {0.1: q10, 0.9: q90}", c.Column, c.Label)
		}
		levels[c.Label] = level
	}
	slices.SortFunc(o.Wide, func(a, b config.WideColumn) int { return cmp.Compare(levels[a.Label], levels[b.Label]) })
	for i, c := range o.Wide {
		t.levels = append(t.levels, levels[c.Label])
		if i > 0 && t.levels[i]-t.levels[i-1] < 1e-6 {
			return t.cfg.Errorf(key, "columns %q and %q are of the same level", o.Wide[i-1].Column, c.Column)
		}
		if t.levels[i] == 0.5 && !p.has(rolePrediction) {
			p.set(rolePrediction, c.Column)
			t.note("prediction: column %q, the median", c.Column)
		}
	}
	p.columns[roleQuantiles] = o
	return nil
}

// tail returns half of twice the level of a quantile as text.
func tail(twice float64) string {
	return strconv.FormatFloat(math.Round(twice/2*1e9)/1e9, 'g', -1, 64)
}

// setForecasts says what forecasts a regression has.
func (p *planner) setForecasts() error {
	m := &p.spec.Params
	m.QuantileLevels, m.Ensemble, m.Scaled = p.levels, p.predictions.has(roleEnsemble), p.predictions.has(roleScale)
	return nil
}
