package pipeline

import (
	"fmt"
	"slices"

	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms"
)

// findGroups finds how groups are compared, if they are. It adds the compared metrics to the
// computed ones.
func (p *planner) findGroups() error {
	g, m := &p.cfg.Groups, &p.spec.Params
	if g.By == "" {
		return nil
	}
	if m.Task != metrics.Binary && len(g.Metrics) == 0 {
		return p.cfg.Errorf("groups", "selection rates and error rates are of task binary, the task is %s: set groups.metrics to the metrics to compare", m.Task)
	}
	var asked []string
	for i, name := range g.Metrics {
		found, err := m.Select([]string{name}, nil)
		if err == nil && m.OfEachLabel(found[0]) {
			err = fmt.Errorf("%s is a metric of each label: name an average of it", found[0])
		}
		if err != nil {
			return p.cfg.Errorf(fmt.Sprintf("groups.metrics[%d]", i), "%w", err)
		}
		asked = append(asked, found...)
	}
	if m.Task == metrics.Binary {
		asked = append(asked, "accuracy", "fnr", "fpr", "predicted_positive_rate", "recall")
	}
	slices.Sort(asked)
	names := slices.Compact(asked)
	all, err := m.Select(slices.Concat(m.Metrics, names), nil)
	if err != nil {
		return p.cfg.Errorf("groups", "%w", err)
	}
	m.Metrics = all
	p.spec.Groups = &transforms.Groups{By: g.By, Reference: g.Reference, Metrics: names}
	return nil
}
