package pipeline

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/beameval/beameval/transforms"
)

// findConfidence finds how confidence intervals are computed, if there are any.
func (p *planner) findConfidence() error {
	if p.cfg.Confidence == nil {
		return nil
	}
	set := *p.cfg.Confidence
	p.effective.Confidence = &set // about to be modified
	id := p.predictions.column(p.layout.id())
	if set.By == "" && id == "" {
		return p.cfg.Errorf("confidence", "the examples have no id (%w): set confidence.by to a column with a value for each example, or to the cluster that examples belong to, such as a user",
			p.predictions.absent(p.layout.id().names()))
	}
	set.By = cmp.Or(set.By, id)
	ofTruth, err := p.sliceColumn(set.By)
	if err != nil {
		return p.cfg.Errorf("confidence.by", "%w", err)
	}
	p.takeFromTruth(set.By, ofTruth)
	set.Metrics = slices.Clone(set.Metrics)
	for i, name := range set.Metrics {
		if set.Metrics[i], err = computedMetric(&p.spec.Params, name); err != nil {
			return p.cfg.Errorf(fmt.Sprintf("confidence.metrics[%d]", i), "%w", err)
		}
	}
	p.spec.Confidence = &transforms.Confidence{
		Level: set.Level, Groups: set.Groups, By: set.By, Clustered: set.By != id, Seed: uint64(set.Seed), Metrics: set.Metrics,
	}
	return nil
}
