package ingest

import (
	"github.com/beameval/beameval/internal/lists"
	"github.com/beameval/beameval/metrics"
)

// OfBaseline returns the batch that Convert returned last, with what the baseline predicts in place of
// all other predictions. It is valid until the next call.
func (c *Converter) OfBaseline() *metrics.Batch {
	c.ofBaseline.SetBaseline(&c.batch, c.spec.Params.Task, c.spec.Params.ScoreType)
	return &c.ofBaseline
}

// compareWithBaseline sets what a baseline predicts for the examples of a binary or multiclass task. If
// only its scores are known, the decision that applies to other scores applies to them.
func (c *Converter) compareWithBaseline(b *metrics.Batch) {
	p := &c.spec.Params
	b.Baseline, b.BaselineScore = b.Baseline[:0], nil
	if c.baselineScore.Column != nil {
		c.baselineScores = c.denseScores(c.baselineScores, &c.baselineScore, b.Rows)
		if p.BaselineScores {
			b.BaselineScore = c.baselineScores
		}
	}
	if !p.Baseline {
		b.Baseline = nil
		return
	}
	b.Baseline = lists.Resize(b.Baseline, b.Rows)
	switch width := c.baselineScore.width; {
	case c.baseline.Column != nil && p.Task == metrics.Binary:
		c.positives(b.Baseline, &c.baseline, &c.found.Predicted)
	case c.baseline.Column != nil:
		c.classes(b.Baseline, &c.baseline)
	case p.Task == metrics.Binary:
		c.above(b.Baseline, c.baselineScores)
	default:
		for r := range b.Baseline {
			b.Baseline[r] = int32(metrics.TopLabel(c.baselineScores[r*width:][:width]))
		}
	}
}
