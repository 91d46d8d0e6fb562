package pipeline

import (
	"fmt"
	"slices"

	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/transforms"
)

// findConfidence returns how confidence intervals are computed, or nil if there are none, and
// whether the column of the groups belongs to the truth.
func findConfidence(t *tables, p *metrics.Params, cfg *config.Config) (c *transforms.Confidence, ofTruth bool, err error) {
	if cfg.Confidence == nil {
		return nil, false, nil
	}
	set := *cfg.Confidence
	cfg.Confidence = &set // about to be modified
	id := t.predictions.column(t.layout.id())
	if set.By == "" {
		set.By = id
		if id == "" {
			return nil, false, cfg.Errorf("confidence", "the examples have no id (%w): set confidence.by to a column with a value for each example, or to the cluster that examples belong to, such as a user",
				t.predictions.absent(t.layout.id().names()))
		}
	}
	if ofTruth, err = t.sliceColumn(set.By); err != nil {
		return nil, false, cfg.Errorf("confidence.by", "%w", err)
	}
	for i, name := range set.Metrics {
		main, err := computedMetric(p, name)
		if err != nil {
			return nil, false, cfg.Errorf(fmt.Sprintf("confidence.metrics[%d]", i), "%w", err)
		}
		set.Metrics = slices.Clone(set.Metrics)
		set.Metrics[i] = main
	}
	return &transforms.Confidence{
		Level: set.Level, Groups: set.Groups, By: set.By, Clustered: set.By != id, Seed: uint64(set.Seed), Metrics: set.Metrics,
	}, ofTruth, nil
}
