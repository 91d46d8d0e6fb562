package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/transforms/comparison"
)

// findGates finds the gates, and checks that their metrics are computed.
func (p *planner) findGates() error {
	for i := range p.cfg.Gates {
		gate, err := findGate(&p.spec.Params, p.spec.Groups.Names(), p.cfg, i)
		switch at := fmt.Sprintf("gates[%d]", i); {
		case err != nil:
			return err
		case gate.Sure && p.cfg.Confidence == nil:
			return p.cfg.Errorf(at+".sure", "there are no intervals: set confidence, to {} for its defaults")
		case p.cfg.Gates[i].Compares() && p.cfg.Baseline == "":
			return p.cfg.Errorf(at, "max_drop and max_rise need a report to compare with: set baseline or --baseline")
		}
		p.output.Gates = append(p.output.Gates, gate)
	}
	return nil
}

// checkBaseline reads the report with which gates compare.
func (p *planner) checkBaseline(ctx context.Context) error {
	cfg := p.cfg
	if cfg.Baseline == "" {
		return nil
	}
	if !slices.ContainsFunc(cfg.Gates, func(g config.Gate) bool { return g.Compares() }) {
		return cfg.Errorf("baseline", "no gate has max_drop or max_rise: set gates to compare with it, or leave it out; beameval compare compares finished reports")
	}
	r, err := comparison.Read(ctx, cfg.Baseline)
	if err != nil {
		return cfg.Errorf("baseline", "%w", err)
	}
	if task := p.task.String(); r.Task != task {
		return cfg.Errorf("baseline", "the report in %s is of task %s, not %s", cfg.Baseline, r.Task, task)
	}
	return nil
}

// findGate returns a gate of a configuration. Its metric must be computed, or be one of others,
// which are metrics of all labels together that are not in the catalogue.
func findGate(p *metrics.Params, others []string, cfg *config.Config, i int) (gate report.Gate, err error) {
	g := &cfg.Gates[i]
	name, err := g.Metric, error(nil)
	if !slices.Contains(others, name) {
		name, err = computedMetric(p, g.Metric)
	}
	if err != nil {
		return gate, cfg.Errorf(fmt.Sprintf("gates[%d].metric", i), "%w", err)
	}
	if byLabel := !slices.Contains(others, name) && p.OfEachLabel(name); byLabel != (g.Label != "") {
		return gate, cfg.Errorf(fmt.Sprintf("gates[%d]", i), "%s", wrongLabel(name, byLabel, p.Metrics))
	}
	gate = report.Gate{
		Metric: name, Each: g.Slice.Each, AllowUndefined: g.AllowUndefined,
		Limits: report.Limits{Min: g.Min, Max: g.Max, MaxDrop: (*report.Limit)(g.MaxDrop), MaxRise: (*report.Limit)(g.MaxRise), Sure: g.Sure},
	}
	if g.Label != "" {
		gate.Label = &g.Label
	}
	for _, v := range g.Slice.Values {
		value := slice.String(v.Text)
		if v.Null {
			value = slice.Null()
		}
		gate.Slice = append(gate.Slice, slice.Pair{Column: v.Column, Value: value})
	}
	slices.SortFunc(gate.Slice, func(a, b slice.Pair) int { return strings.Compare(a.Column, b.Column) })
	return gate, nil
}

// computedMetric returns the main name of a metric that is computed.
func computedMetric(p *metrics.Params, name string) (string, error) {
	names, err := p.Select([]string{name}, nil)
	var unknown *metrics.UnknownMetricError
	switch {
	case errors.As(err, &unknown):
		return "", fmt.Errorf("%w; did you mean %q?", err, quote.Nearest(name, p.Metrics))
	case err != nil:
		return "", err
	case !slices.Contains(p.Metrics, names[0]):
		return "", fmt.Errorf("%q is not computed: add it to metrics", name)
	}
	return names[0], nil
}

// wrongLabel explains that a gate names a label although the metric has none, or vice versa.
func wrongLabel(name string, byLabel bool, computed []string) string {
	if !byLabel {
		return fmt.Sprintf("%s is one number for all labels: leave label out", name)
	}
	text := fmt.Sprintf("%s is a metric of each label: set label", name)
	var averages []string
	for _, other := range computed {
		if strings.HasPrefix(other, name+"_") {
			averages = append(averages, other)
		}
	}
	if len(averages) > 0 {
		text += ", or take an average: " + strings.Join(averages, ", ")
	}
	return text
}
