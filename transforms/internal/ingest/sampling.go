package ingest

import (
	"math"

	"github.com/beameval/beameval/internal/roles"
)

// probabilities returns the source of the weights of rows that were drawn.
func (c *Converter) probabilities() source {
	of := c.by[roles.Weight]
	of.role, of.null = roles.SamplingProbability.String(), nullOf(roles.SamplingProbability)
	if c.spec.Sampling.OfTruth(c.spec.Truth) {
		of.name, of.ofTruth = c.spec.Truth.Columns.Weight, true
	}
	return of
}

// drawn returns the weight of row r, which was drawn with a probability.
func (c *Converter) drawn(r int, probability float64) float64 {
	if weight := 1 / probability; probability > 0 && probability <= 1 && weight <= math.MaxFloat64 {
		return weight
	}
	c.rejectValue(&c.by[roles.Weight], r, r, notDrawn)
	return 0
}
