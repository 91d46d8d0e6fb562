package ingest

import (
	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/metrics"
)

// OfBaseline returns the batch that Convert returned last, with the baseline's predictions in place
// of the model's. It is valid until the next call.
func (c *Converter) OfBaseline() *metrics.Batch {
	c.ofBaseline.SetBaseline(&c.batch, c.spec.Params.Task, c.spec.Params.ScoreType)
	return &c.ofBaseline
}

// compareWithBaseline sets a baseline's predictions for the examples of a task with labels. If only
// its scores are known, the decision that applies to other scores applies to them.
func (c *Converter) compareWithBaseline(b *metrics.Batch) {
	p := &c.spec.Params
	b.Baseline, b.BaselineSet, b.BaselineScore = b.Baseline[:0], metrics.Sets{}, nil
	if c.by[roles.BaselineScore].Column != nil {
		c.baselineScores = c.scoresOf(c.baselineScores, &c.by[roles.BaselineScore], b.Rows)
		if p.Has.Has(roles.BaselineScore) {
			b.BaselineScore = c.baselineScores
		}
	}
	if !p.Has.Has(roles.BaselinePrediction) {
		b.Baseline = nil
		return
	}
	if p.Task == metrics.Multilabel {
		b.Baseline, b.BaselineSet = nil, c.setsOfBaseline(b)
		return
	}
	b.Baseline = collections.Resize(b.Baseline, b.Rows)
	switch width := c.by[roles.BaselineScore].width; {
	case c.by[roles.BaselinePrediction].Column != nil && p.Task == metrics.Binary:
		c.positives(b.Baseline, &c.by[roles.BaselinePrediction], &c.found.Predicted)
	case c.by[roles.BaselinePrediction].Column != nil:
		c.classes(b.Baseline, &c.by[roles.BaselinePrediction])
	case p.Task == metrics.Binary:
		c.above(b.Baseline, c.baselineScores)
	default:
		for r := range b.Baseline {
			b.Baseline[r] = int32(metrics.TopLabel(c.baselineScores[r*width:][:width]))
		}
	}
}

// setsOfBaseline returns the label sets that a baseline predicts.
func (c *Converter) setsOfBaseline(b *metrics.Batch) metrics.Sets {
	if c.by[roles.BaselinePrediction].Column != nil {
		return c.sets(&c.baselineSets, &c.by[roles.BaselinePrediction], &c.predictionLabel, b.Rows)
	}
	dense := metrics.Batch{Rows: b.Rows, Labels: b.Labels, Score: c.baselineScores}
	return c.decide(&c.baselineSets, &dense)
}
