package ingest

import (
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/metrics"
)

func (c *Converter) regression(b *metrics.Batch) {
	b.Target = c.finiteNumbers(b.Target, &c.by[roles.Label], b.Rows)
	if c.by[roles.Prediction].Column != nil {
		b.Estimate = c.finiteNumbers(b.Estimate, &c.by[roles.Prediction], b.Rows)
	}
	if c.spec.Params.Has.Has(roles.BaselinePrediction) {
		b.BaselineEstimate = c.finiteNumbers(b.BaselineEstimate, &c.by[roles.BaselinePrediction], b.Rows)
	}
	if c.by[roles.Quantiles].Column != nil {
		c.forecastQuantiles(b)
	}
	if c.by[roles.Ensemble].Column != nil {
		c.forecastEnsembles(b)
	}
}

// forecastQuantiles sets the forecasts of quantiles. It rejects rows with a forecast that is not
// finite; cross rejects rows with a forecast below the forecast of a lower quantile.
func (c *Converter) forecastQuantiles(b *metrics.Batch) {
	s, width := &c.by[roles.Quantiles], c.by[roles.Quantiles].width
	b.Quantile = collections.Resize(b.Quantile, b.Rows*width)
	for r := range b.Rows {
		row := b.Quantile[r*width:][:width]
		if _, ok := c.list(s, r, width, "forecasts", fewForecasts); ok && c.finiteList(row, s, r) {
			c.cross(b, row, r)
		}
	}
}

// forecastEnsembles sets the members of ensembles.
func (c *Converter) forecastEnsembles(b *metrics.Batch) {
	s := &c.by[roles.Ensemble]
	b.Member, b.MemberOffset = b.Member[:0], append(b.MemberOffset[:0], 0)
	for r := range b.Rows {
		from, to := s.span(r)
		switch {
		case s.IsNullList(r):
			c.reject(s, r, "null", s.null)
		case from == to:
			c.reject(s, r, "an empty list", s.null)
		default:
			end := len(b.Member)
			b.Member = slices.Grow(b.Member, to-from)[:end+to-from]
			c.finiteList(b.Member[end:], s, r)
		}
		b.MemberOffset = append(b.MemberOffset, int32(len(b.Member)))
	}
}

// finiteList copies the list of row r. It rejects the row if a number is not finite.
func (c *Converter) finiteList(out []float64, s *source, r int) (good bool) {
	from, _ := s.span(r)
	s.copyFloats(out, from)
	good = true
	for i, x := range out {
		if why, unfit := s.unfit(from+i, x); unfit {
			c.rejectValue(s, r, from+i, why)
			good = false
		}
	}
	return good
}
