package ingest

import (
	"slices"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
)

// cross handles a row whose forecasts of quantiles may decrease with the level.
func (c *Converter) cross(b *metrics.Batch, row []float64, r int) {
	if slices.IsSorted(row) {
		return
	}
	s := &c.by[roles.Quantiles]
	switch c.spec.Crossing {
	case input.SortCrossing:
		slices.Sort(row)
		if c.median >= 0 {
			b.Estimate[r] = row[c.median]
		}
		c.found.Crossed++
	case input.KeepCrossing:
		c.found.Crossed++
	default:
		from, _ := s.span(r)
		for i := 1; i < len(row); i++ {
			if row[i] < row[i-1] {
				c.rejectElement(s, r, i, s.text(from+i)+" below "+s.text(from+i-1), decreasing)
			}
		}
	}
}

// medianOf returns the place of the quantile that is also the prediction, or -1.
func medianOf(spec *input.Spec) int {
	of := &spec.Columns
	return slices.Index(of.Wide[of.Quantiles], of.Prediction)
}
