package ingest

import (
	"math"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
)

// sumTolerance is how far the sum of a true distribution may be from 1. Numbers
// of 32 bits, and even of 16, stay within it.
const sumTolerance = 1e-3

// distributions sets the true distributions of a batch to the lists of a column,
// as they are, and the true classes to the most probable ones, of equals the
// first. It rejects what is no distribution over the classes.
func (c *Converter) distributions(b *metrics.Batch, col *columns.Column) {
	name := c.spec.truth().Label
	b.Distribution = resize(b.Distribution, b.Rows*b.Labels)
	for r := range b.Rows {
		row := b.Distribution[r*b.Labels:][:b.Labels]
		if from, ok := c.vector(row, col, r, name, "values", nullLabel); ok {
			c.checkDistribution(r, row, col, from)
		}
		b.Class[r] = int32(metrics.TopLabel(row))
	}
}

// checkDistribution rejects a row whose label, of the column's values from index
// from on, is no distribution.
func (c *Converter) checkDistribution(r int, row []float64, col *columns.Column, from int) {
	name, sum := c.spec.truth().Label, 0.0
	for i, p := range row {
		switch {
		case col.Null != nil && col.Null[from+i]:
			c.rejectAt(r, element(col, i), name, "null", nullLabel)
		case math.IsNaN(p) || math.IsInf(p, 0):
			c.rejectAt(r, element(col, i), name, number(p), notFinite)
		case p < 0:
			c.rejectAt(r, element(col, i), name, number(p), negativeProbability)
		}
		sum += p
	}
	if !(math.Abs(sum-1) <= sumTolerance) {
		c.reject(r, name, "sum "+number(sum), wrongSum)
	}
}
