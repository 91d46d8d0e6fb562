package ingest

import (
	"math"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/groupby"
)

// probabilities returns the source of the weights of rows that were drawn.
func (c *Converter) probabilities() source {
	of := c.by[roles.Weight]
	of.role, of.null = roles.SamplingProbability.String(), nullOf(roles.SamplingProbability)
	if c.spec.Sampling.OfTruth(c.spec.Truth) {
		of.name, of.side = c.spec.Truth.Columns.Weight, input.OfTruth
	}
	return of
}

// weighDrawn weighs rows that were drawn, and finds their strata if metrics of judgements need them. Rows without a label that
// are kept weigh 1, whatever their columns say: they were not drawn, or are not labelled.
func (c *Converter) weighDrawn(b *metrics.Batch) {
	s := &c.by[roles.Weight]
	c.weights = collections.Resize(c.weights, b.Rows)
	s.copyFloats(c.weights, 0)
	of := &c.by[roles.SamplingStratum]
	if c.spec.Params.Drawn && of.Column != nil {
		c.strata = groupby.Hash(c.strata, of.Column)
		b.Stratum = c.strata
	}
	counts := func(r int) bool { return c.withoutLabel == nil || !c.withoutLabel[r] }
	for r, probability := range c.weights {
		if counts(r) {
			c.rejectUnfit(s, r, probability)
		} else {
			c.weights[r] = 1
		}
	}
	for r, probability := range c.weights {
		if !counts(r) {
			continue
		}
		c.weights[r] = c.drawn(r, probability)
		if b.Stratum != nil && of.IsNull(r) {
			c.rejectNull(of, r, r)
		}
	}
	b.Weight = c.weights
}

// drawn returns the weight of row r, which was drawn with a probability.
func (c *Converter) drawn(r int, probability float64) float64 {
	if weight := 1 / probability; probability > 0 && probability <= 1 && weight <= math.MaxFloat64 {
		return weight
	}
	c.rejectValue(&c.by[roles.Weight], r, r, notDrawn)
	return 0
}
