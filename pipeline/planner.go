package pipeline

import (
	"context"
	"slices"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/export"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/transforms"
	"github.com/beameval/beameval/transforms/input"
)

// planner derives the specification and the output of an evaluation from its tables and labels.
type planner struct {
	*tables
	labels    *labels
	effective *config.Config // the given configuration, completed by what was inferred
	spec      transforms.Spec
	folding   input.Folding // of statistics that are merged
	itemFiles []string      // those that say how frequent items are
	output    transforms.Output
}

// inTurn takes steps until one fails. A step may rely on the previous ones.
func inTurn(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// newPlanner returns a planner whose specification has what needs no further inference.
func newPlanner(t *tables, l *labels) *planner {
	cfg := effective(t, l)
	return &planner{tables: t, labels: l, effective: cfg, spec: transforms.Spec{
		Columns: t.rolesOfPredictions(), Long: t.layout.long, PerQuery: t.perQuery(),
		BothClasses: t.both,
		Encoding:    l.encoding, PositiveLabel: l.positive, Labels: l.Vocabulary,
		RangeBytes: cfg.Curves.RangeMiB << 20, MaxSlices: cfg.MaxSlices, MaxExampleRows: cfg.Input.MaxRowValues, MaxNames: int64(cfg.Output.MaxNamesMiB) << 20,
		ProbabilityTolerance: cfg.ProbabilityTolerance,
		NegativeIsZero:       t.task == metrics.Ranking && cfg.Ranking.NegativeRelevance == config.NegativeZero,
		Crossing:             input.Crossing(cfg.Input.Crossing),
		EstimateUnlabelled:   cfg.Unlabelled == config.Estimate,
		SkipBadRows:          cfg.BadRows == config.Skip, CompleteScores: cfg.Input.CompleteScores, Truth: t.join(), Baseline: t.joinBaseline(), Sampling: t.sampling(),
		Worst: worst(cfg.WorstExamples), Changed: worst(cfg.ChangedExamples),
	}, output: transforms.Output{FoundByName: t.predictions.found[roles.Score] && t.predictions.found[roles.Prediction]}}
}

// takeResults sets what does not matter before statistics become metrics.
func (p *planner) takeResults() {
	cfg, s, m := p.effective, &p.spec, &p.spec.Params
	s.Reference, s.TuningName, s.ZeroDivision, s.PerLabel = cfg.Preference.Reference, cfg.TuneThresholds, string(cfg.ZeroDivision), transforms.PerLabel(cfg.PerLabel)
	s.AverageLabels, s.MaxSkipped, s.Histograms = cfg.AverageLabels, (*report.Limit)(&cfg.MaxSkipped), slices.Contains(cfg.Output.Formats, string(report.HTML))
	m.SomeAveraged, m.Preference = len(cfg.AverageLabels) > 0, metrics.PreferenceOptions{Davidson: cfg.Preference.Ties == config.Davidson}
	m.ScoreHistograms = slices.Contains(cfg.Output.Formats, string(report.Parquet))
}

// worst returns which examples are listed, or nil.
func worst(w *config.WorstExamples) *transforms.Worst {
	if w == nil {
		return nil
	}
	return &transforms.Worst{Count: w.Count, PerLabel: w.PerLabel(), PerSlice: w.PerSlice()}
}

// plan takes the steps of planning that follow when the columns and labels are known.
func (p *planner) plan(ctx context.Context) (*Plan, error) {
	err := inTurn(
		func() error { return p.readFrequencies(ctx) },
		func() error { return p.readThresholds(ctx) },
		func() error { return p.readRecalibration(ctx) },
		p.findDecision, p.findSlices, p.checkSampling, p.findParams, p.findGroups, p.findHeadlines,
		func() error { return p.findItemFrequencies(ctx) },
		func() error { return p.findConfidence(ctx) }, p.findSearch, p.findGates, p.findChecks, p.checkEstimate, p.checkJudged,
		p.noteDefaults, p.findOutput,
		func() error { return p.findBaseline(ctx) },
		p.useFound, p.checkRows,
		func() error { return p.findOrder(ctx) },
		func() error {
			return CheckOutput(ctx, p.output.Dir, "report", export.Replaceable().If(p.output.Overwrite)...)
		},
	)
	if err != nil {
		return nil, err
	}
	plan := &Plan{ID: files.NewID(), Notes: p.lines, Searches: p.searches(), Config: byFiles(p.effective, p.cfg), spec: p.spec, output: p.output}
	plan.shards, plan.spec.Training = plan.count(p.predictions), p.trained()
	if p.truth != nil {
		plan.truth = plan.count(p.truth)
	}
	if p.baseline != nil {
		plan.baseline = plan.count(p.baseline)
	}
	plan.Files = append(plan.Files, p.itemFiles...)
	if p.training != nil {
		plan.Files = append(plan.Files, p.training.names()...)
	}
	plan.output.Files = report.ListFiles(plan.Files)
	return plan, nil
}

// effective returns the configuration completed by what was inferred of the columns and labels.
func effective(t *tables, l *labels) *config.Config {
	cfg := *t.cfg
	cfg.Task, cfg.Input.Layout, cfg.Input.LabelEncoding = t.task, t.layout.name(), l.written
	if t.truth != nil {
		cfg.Truth.Columns = config.TruthColumns(t.truth.columns)
	}
	if t.baseline != nil {
		cfg.Input.BaselinePredictions.Columns = config.BaselineColumns(t.baseline.columns)
	}
	if t.logits {
		cfg.Input.ScoreType = metrics.Logit
	}
	if t.task&(metrics.Multiclass|metrics.Multilabel|metrics.Preference) != 0 {
		cfg.Labels, cfg.NumLabels, cfg.LabelsFile = l.Names, l.number, ""
	}
	return &cfg
}

// byFiles returns an effective configuration that refers to files of labels and thresholds by name,
// like the given one, instead of including their contents, which may be long.
func byFiles(effective, given *config.Config) *config.Config {
	cfg := *effective
	if given.LabelsFile != "" {
		cfg.Labels, cfg.NumLabels, cfg.LabelsFile = nil, 0, given.LabelsFile
	}
	if given.Decision.Threshold.File != "" {
		cfg.Decision.Threshold = given.Decision.Threshold
	}
	return &cfg
}

// noteDefaults notes a default and columns that may not be what was intended.
func (p *planner) noteDefaults() error {
	params := &p.spec.Params
	if params.Scores && params.ScoreType == metrics.RawScore && p.effective.Decision.Threshold.Default == nil && p.task == metrics.Binary && !p.predictions.has(roles.Prediction) {
		p.note("scores are compared with a threshold of 0: set decision.threshold for another")
	}
	if params.NoEstimate {
		p.note("no prediction: metrics that need one are left out; set input.columns.prediction if there is one")
	}
	p.noteUnused()
	return nil
}

// findOutput finds where the report goes, and the configuration that it states. What was inferred
// must be consistent with the rest as if it had been set.
func (p *planner) findOutput() error {
	cfg := p.effective
	cfg.Input.Columns = p.predictions.columns
	if p.predictions.has(roles.Lower) { // these columns are the quantiles
		cfg.Input.Columns[roles.Quantiles] = config.Origin{}
	}
	out := &p.output
	out.Dir, out.Overwrite, out.Found = cfg.Output.Dir, cfg.Output.Overwrite, p.found
	return inTurn(p.echo, p.findStatistics)
}

// echo finds the configuration that the report states, and its form.
func (p *planner) echo() error {
	cfg, out := p.effective, &p.output
	if err := cfg.Validate(); err != nil {
		return err
	}
	echo, err := cfg.Echo()
	out.Config, out.JSONRows, out.Formats = echo, cfg.Output.JSONRows, nil
	for _, name := range cfg.Output.Formats {
		out.Formats = append(out.Formats, report.Format(name))
	}
	return err
}

// findStatistics finds what the statistics are of, if they are written.
func (p *planner) findStatistics() error {
	asked := p.effective.Output.Statistics
	if !asked.Written() {
		return nil
	}
	params, cfg := &p.spec.Params, *p.effective
	exact := asked.Curves == metrics.ExactCurves && params.Curving()
	params.Portable = params.Curves == metrics.ExactCurves && !exact
	p.spec.KeepIDs = asked.HasIDs()
	if err := transforms.CheckStatistics(&p.spec, exact); err != nil {
		return p.cfg.Errorf("output.statistics", "%w", err)
	}
	p.output.Statistics = &transforms.Statistics{Exact: exact, MinSupport: int64(asked.MinSupport), Folding: p.folding, LabelsFound: p.labels.Len() == 0 && p.labels.found.Len() > 0}
	if !params.Portable {
		return nil
	}
	_, leftOut := params.Bounded()
	cfg.Curves.Mode = metrics.BoundedCurves
	cfg.Metrics = slices.DeleteFunc(slices.Clone(cfg.Metrics), func(name string) bool { return slices.Contains(leftOut, name) })
	echo, err := cfg.Echo()
	p.output.Statistics.Config = echo
	return err
}

// useFound spares the run the search for labels if planning found them. Nothing else depends on
// whether it did.
func (p *planner) useFound() error {
	if p.spec.Labels.Len() == 0 {
		p.spec.Labels = p.labels.found
	}
	return nil
}

// checkRows checks that the report will not be too large.
func (p *planner) checkRows() error {
	if rows := p.spec.Rows(); rows > transforms.MaxRows {
		return p.cfg.Errorf("per_label", "a report of %d labels would have %d metric rows; name the labels that matter, or give a number", p.labels.Len(), rows)
	}
	return nil
}

// count adds up the input, and returns its shards.
func (p *Plan) count(t *table) []shard {
	p.Files = append(p.Files, t.names()...)
	rows, groups := t.rows()
	p.Rows += rows
	p.RowGroups += groups
	return t.shards()
}
