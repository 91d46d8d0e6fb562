package pipeline

import (
	"fmt"
	"slices"

	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/transforms"
)

// findGroups returns how groups are compared, or nil if they are not. It adds the compared metrics
// to the computed ones.
func findGroups(p *metrics.Params, cfg *config.Config) (*transforms.Groups, error) {
	g := &cfg.Groups
	if g.By == "" {
		return nil, nil
	}
	if p.Task != metrics.Binary && len(g.Metrics) == 0 {
		return nil, cfg.Errorf("groups", "selection rates and error rates are of task binary, the task is %s: set groups.metrics to the metrics to compare", p.Task)
	}
	var asked []string
	for i, name := range g.Metrics {
		found, err := p.Select([]string{name}, nil)
		if err == nil && p.OfEachLabel(found[0]) {
			err = fmt.Errorf("%s is a metric of each label: name an average of it", found[0])
		}
		if err != nil {
			return nil, cfg.Errorf(fmt.Sprintf("groups.metrics[%d]", i), "%w", err)
		}
		asked = append(asked, found...)
	}
	if p.Task == metrics.Binary {
		asked = append(asked, "accuracy", "fnr", "fpr", "predicted_positive_rate", "recall")
	}
	slices.Sort(asked)
	names := slices.Compact(asked)
	all, err := p.Select(slices.Concat(p.Metrics, names), nil)
	if err != nil {
		return nil, cfg.Errorf("groups", "%w", err)
	}
	p.Metrics = all
	return &transforms.Groups{By: g.By, Reference: g.Reference, Metrics: names}, nil
}
