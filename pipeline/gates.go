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
	"github.com/beameval/beameval/transforms/reports"
)

// findGates finds the gates, and checks that their metrics are computed.
func (p *planner) findGates() error {
	for i := range p.cfg.Gates {
		gate, key, err := findGate(&p.spec.Params, p.spec.Groups.Names(), &p.cfg.Gates[i])
		switch {
		case err != nil:
			return p.cfg.Errorf(fmt.Sprintf("gates[%d]%s", i, key), "%w", err)
		case gate.Sure && p.cfg.Confidence == nil:
			return p.cfg.Errorf(fmt.Sprintf("gates[%d].sure", i), "there are no intervals: set confidence, to {} for its defaults")
		}
		p.output.Gates = append(p.output.Gates, gate)
	}
	return nil
}

// findBaseline finds and reads the reports with which gates compare.
func (p *planner) findBaseline(ctx context.Context) error {
	cfg := p.cfg
	compares := slices.ContainsFunc(cfg.Gates, func(g config.Gate) bool { return g.Compares() })
	switch {
	case !compares && len(cfg.Baseline) > 0:
		return cfg.Errorf("baseline", "no gate has max_drop or max_rise: set gates to compare with it, or leave it out; beameval compare compares finished reports")
	case !compares:
		return nil
	}
	dirs, err := reports.Baseline(ctx, cfg.Baseline, cfg.BaselineWindow, reports.Own{Dir: cfg.Output.Dir, Temporary: cfg.Output.Temporary, Date: cfg.Report.Date})
	if err != nil {
		return cfg.Errorf("baseline", "%w", err)
	}
	if len(dirs) == 0 {
		return p.noBaseline()
	}
	read, err := reports.ReadAll(ctx, dirs)
	if err != nil {
		return cfg.Errorf("baseline", "%w", err)
	}
	for i, r := range read {
		if task := p.task.String(); r.Task != task {
			return cfg.Errorf("baseline", "the report in %s is of task %s, not %s", dirs[i], r.Task, task)
		}
	}
	p.output.Baseline = dirs
	if len(dirs) > 1 {
		p.note("baseline: the medians of %d reports, from %s to %s", len(dirs), dirs[len(dirs)-1], dirs[0])
	} else {
		p.note("baseline: %s", dirs[0])
	}
	return nil
}

// noBaseline notes that there is no report to compare with, or returns an error if that is one.
func (p *planner) noBaseline() error {
	cfg, key := p.cfg, "baseline"
	why := "max_drop and max_rise need a report to compare with: set baseline or --baseline"
	if len(cfg.Baseline) > 0 {
		why = fmt.Sprintf("there is no finished report in %s, other than that of this run or later ones", quote.List(cfg.Baseline, mostBaselines, "%d more"))
	} else {
		key = fmt.Sprintf("gates[%d]", slices.IndexFunc(cfg.Gates, func(g config.Gate) bool { return g.Compares() }))
	}
	if cfg.BaselineMissing == config.Fail {
		return cfg.Errorf(key, "%s", why)
	}
	p.note("no baseline: %s", why)
	return nil
}

// mostBaselines is the maximum number of patterns that a message names.
const mostBaselines = 3

// findGate returns a gate of a configuration. Its metric must be computed, or be one of others,
// which are metrics of all labels together that are not in the catalogue. An error is of the gate or,
// as .metric, of a key of it.
func findGate(p *metrics.Params, others []string, g *config.Gate) (gate report.Gate, key string, err error) {
	name := g.Metric
	if !slices.Contains(others, name) {
		if name, err = computedMetric(p, g.Metric); err != nil {
			return gate, ".metric", err
		}
	}
	if byLabel := !slices.Contains(others, name) && p.OfEachLabel(name); byLabel != (g.Label != "") {
		return gate, "", errors.New(wrongLabel(name, byLabel, p.Metrics))
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
	return gate, "", nil
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
