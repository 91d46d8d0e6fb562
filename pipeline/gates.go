package pipeline

import (
	"context"
	"fmt"
	"slices"

	"github.com/beameval/beameval/analysis/reports"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/volume"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/pipeline/internal/computed"
	"github.com/beameval/beameval/transforms"
	"github.com/beameval/beameval/transforms/checks"
)

// findGates finds the gates, and checks that their metrics are computed.
func (p *planner) findGates() error {
	known := computed.In(&p.spec.Params, slices.Concat(transforms.GroupMetrics(p.spec.Groups), volume.Names))
	for i := range p.cfg.Gates {
		gate, key, err := known.Gate(&p.cfg.Gates[i])
		switch {
		case err != nil:
			return p.cfg.Errorf(fmt.Sprintf("gates[%d]%s", i, key), "%w", err)
		case gate.Sure && p.cfg.Confidence == nil:
			return p.cfg.Errorf(fmt.Sprintf("gates[%d].sure", i), "there are no intervals: set confidence, to {} for its defaults")
		}
		p.output.Gates = append(p.output.Gates, gate)
		p.spec.GateSlices = append(p.spec.GateSlices, gate.Slice)
	}
	if c := p.spec.Confidence; c != nil {
		isEach := func(g report.Gate) bool { return g.Each }
		c.Overall = p.cfg.Confidence.Slices == config.IntervalsOverall && !slices.ContainsFunc(p.output.Gates, isEach)
	}
	return nil
}

// findBaseline finds and reads the reports with which gates compare.
func (p *planner) findBaseline(ctx context.Context) error {
	cfg := p.cfg
	compares := slices.ContainsFunc(cfg.Gates, func(g config.Gate) bool { return g.Compares() })
	switch {
	case !compares && len(cfg.Baseline) > 0 && !cfg.Checks.ComparesVolume():
		return cfg.Errorf("baseline", "no gate has max_drop or max_rise, and the check volume is off: set gates to compare with it, or leave it out; beameval compare compares finished reports")
	case !compares && len(cfg.Baseline) == 0:
		return nil
	}
	dirs, err := reports.Baseline(ctx, cfg.Baseline, cfg.BaselineWindow, reports.Own{Dir: cfg.Output.Dir, Temporary: cfg.Output.Temporary, Date: cfg.Report.Date},
		func(err error) { p.note("baseline: left out: %v", err) })
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

// findChecks finds what follows from checks, and makes sure that there are such checks of the task.
func (p *planner) findChecks() error {
	of := &p.cfg.Checks
	known := checks.Names()
	for _, list := range []struct {
		key   string
		names []string
	}{{"fail", of.Fail}, {"off", of.Off}} {
		for i, name := range list.names {
			path := fmt.Sprintf("checks.%s[%d]", list.key, i)
			if !slices.Contains(known, name) {
				return p.cfg.Errorf(path, "there is no check %q; did you mean %q?", name, quote.Nearest(name, known))
			}
			if list.key == "fail" && !checks.MadeFor(name, p.task) {
				return p.cfg.Errorf(path, "%s is no check of task %s", name, p.task)
			}
		}
	}
	if i := slices.Index(of.Fail, checks.DuplicateExamples); i >= 0 && (p.byID() || p.spec.Columns.Example == "") {
		why := fmt.Sprintf("the examples have no id: set input.columns.%s", p.layout.id())
		if p.byID() {
			why = "rows with the same id are one example here, so that no example occurs twice"
		}
		return p.cfg.Errorf(fmt.Sprintf("checks.fail[%d]", i), "%s: %s", checks.DuplicateExamples, why)
	}
	if i := slices.Index(of.Fail, checks.Overlap); i >= 0 {
		if err := p.checkOverlap(fmt.Sprintf("checks.fail[%d]", i)); err != nil {
			return err
		}
	}
	p.output.Checks = checks.Options{Off: of.Off, Fail: of.Fail, Volume: of.Volume}
	return nil
}

// checkOverlap checks that a gate on overlap has training data.
func (p *planner) checkOverlap(key string) error {
	if p.training != nil {
		return nil
	}
	return p.cfg.Errorf(key, "%s: set %s.files to the files of the training data", checks.Overlap, trainingSection)
}
