package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/transforms"
)

// ofStatistics are the keys of a configuration that do not matter before statistics become metrics.
var ofStatistics = []string{
	"metrics", "k", "beta", "zero_division", "per_label", "average_labels", "tune_thresholds", "decision.threshold", "costs", "preference", "gates", "max_skipped",
	"confidence.level", "confidence.metrics", "groups.reference", "groups.metrics", "groups.min_support", "report", "output.formats", "output.json_rows",
}

// Again opens the statistics of a finished report, to evaluate them with other values of some keys of its
// configuration. set sets them; it is an error if predictions must be read again for one of the given keys.
func Again(ctx context.Context, dir string, keys []string, set func(*config.Config) error) (*transforms.Parts, error) {
	for _, key := range keys {
		if !slices.ContainsFunc(ofStatistics, func(known string) bool { return key == known || strings.HasPrefix(key, known+".") }) {
			return nil, fmt.Errorf("%s cannot be set for statistics that exist: evaluate the predictions with it; what can be set is %s", quote.Line(key), strings.Join(ofStatistics, ", "))
		}
	}
	change := func(spec *transforms.Spec, out *transforms.Output) error {
		cfg, err := config.Read(out.Config, files.Join(dir, report.MetricsJSON))
		if err != nil {
			return err
		}
		cfg.Output.JSONRows, cfg.Output.Formats = out.JSONRows, nil
		for _, format := range out.Formats {
			cfg.Output.Formats = append(cfg.Output.Formats, string(format))
		}
		if spec.Truth != nil { // whose files no report names
			cfg.Truth.Files = []string{dir}
		}
		if spec.Baseline != nil {
			cfg.Input.BaselinePredictions.Files = []string{dir}
		}
		if err := set(cfg); err != nil {
			return err
		}
		if err := cfg.Validate(); err != nil {
			return err
		}
		if slices.ContainsFunc(keys, isThreshold) && (spec.Params.Task != metrics.Binary || cfg.Decision.Threshold.File != "") {
			return cfg.Errorf("decision.threshold", "statistics that exist can be decided by another number in a binary task alone: evaluate the predictions with it")
		}
		return again(cfg, spec, out)
	}
	return transforms.OpenParts(ctx, []string{dir}, transforms.PartsOptions{Change: change})
}

func isThreshold(key string) bool { return strings.HasPrefix(key, "decision.threshold") }

// again takes the steps of planning that do not need the predictions.
func again(cfg *config.Config, spec *transforms.Spec, out *transforms.Output) error {
	l := &labels{Vocabulary: spec.Labels}
	if spec.Params.Labels == 0 { // they were not known when the evaluation was planned
		l = &labels{found: spec.Labels}
	}
	effective := *cfg
	p := &planner{tables: &tables{notes: new(notes), cfg: cfg, task: spec.Params.Task}, labels: l, effective: &effective, spec: *spec, output: *out}
	p.output.Gates, p.spec.GateSlices, p.spec.Groups, p.spec.Params.Tuning = nil, nil, nil, nil
	p.spec.Params.Has |= spec.Columns.Has().Batch() & (metrics.HasItems | metrics.HasCategories)
	p.takeResults()
	if d := spec.Decision; d != nil && p.task == metrics.Binary {
		decision := *d
		decision.Threshold = cfg.Threshold()
		p.spec.Decision = &decision
	}
	err := inTurn(p.findCosts, p.findTuning, p.findMetrics, p.checkSystems, p.checkAverages, p.findGroups, p.findHeadlines, p.findAgain, p.findGates, p.checkRows, p.echo)
	*spec, *out = p.spec, p.output
	return err
}

// findAgain finds what intervals are like, if there are any.
func (p *planner) findAgain() error {
	switch {
	case p.cfg.Confidence == nil:
		return nil
	case p.spec.Confidence == nil:
		return p.cfg.Errorf("confidence", "there are no intervals, because the statistics are not divided into groups: evaluate the predictions with it")
	}
	set, c := *p.cfg.Confidence, *p.spec.Confidence
	if err := p.findReplicated(&set); err != nil {
		return err
	}
	c.Level, c.Metrics = set.Level, set.Metrics
	p.effective.Confidence, p.spec.Confidence = &set, &c
	return nil
}
