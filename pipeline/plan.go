// Package pipeline turns a configuration into a Beam pipeline: it finds the input files, reads
// their footers, infers what the configuration leaves open, and builds the graph. It has no main
// function and no flags, and evaluates nothing itself.
//
// Planning derives a sequence of values, each from the previous ones:
//
//	configuration
//	     │ open files, find columns, infer task and layout
//	     ▼
//	tables     the files and the roles of their columns
//	     │ find names, number and encoding of the labels
//	     ▼
//	labels
//	     │ metrics, slices, gates, …
//	     ▼
//	Plan       the specification that package transforms evaluates
//	     │ Build: divide the input into bundles
//	     ▼
//	Beam graph
package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/export"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/pipeline/internal/packed"
	"github.com/beameval/beameval/transforms"
	"github.com/beameval/beameval/transforms/input"
)

// Plan is a configuration in which everything has been decided and checked for consistency. No row
// has been evaluated yet.
type Plan struct {
	// Notes tell people what was inferred.
	Notes []string
	// Rows, RowGroups and Files are the totals of the input, including the truth.
	Rows      int64
	RowGroups int
	Files     []string
	// ID identifies the run in run.json.
	ID string
	// Config is the effective configuration: the given one, completed by what was inferred from the
	// files.
	Config *config.Config
	// TempDir is a local directory in which a runner in this process may keep large data instead of
	// in memory. It must outlive the run; "" means none.
	TempDir string

	spec   transforms.Spec
	shards []shard
	truth  []shard
	output transforms.Output
}

// Make checks a configuration against the input that it names. The error says what is wrong with
// either.
func Make(ctx context.Context, cfg *config.Config) (*Plan, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if len(cfg.Input.Files) == 0 {
		return nil, errors.New("no input: set input.files or --input")
	}
	if cfg.Output.Dir == "" {
		return nil, errors.New("no output: set output.dir or --output")
	}
	t, err := findTables(ctx, cfg)
	if err != nil {
		return nil, err
	}
	defer t.close()
	l, err := findLabels(ctx, t)
	if err != nil {
		return nil, err
	}
	p, err := newPlan(ctx, t, l)
	if err == nil {
		err = CheckOutput(ctx, cfg.Output.Dir, "report", export.Replaceable().If(cfg.Output.Overwrite)...)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// CheckOutput is like [files.CheckOutput]. If the output exists and nothing may be replaced, the
// error names the flag that allows replacing a finished report or comparison; what is which of
// these.
func CheckOutput(ctx context.Context, dir, what string, replaceable ...files.Replaceable) error {
	err := files.CheckOutput(ctx, dir, replaceable...)
	if errors.Is(err, files.ErrOutputExists) && len(replaceable) == 0 {
		return fmt.Errorf("%w; --overwrite replaces a finished %s", err, what)
	}
	return err
}

// newPlan returns the plan, which defines what is evaluated and with which options.
func newPlan(ctx context.Context, t *tables, l *labels) (*Plan, error) {
	cfg := effective(t, l)
	frequencies, err := readFrequencies(ctx, t, l)
	if err != nil {
		return nil, err
	}
	if cfg.Decision.Threshold, err = readThresholds(ctx, t); err != nil {
		return nil, err
	}
	decision, err := findDecision(t, l, cfg)
	if err != nil {
		return nil, err
	}
	by, ofTruth, err := findSlices(t)
	if err != nil {
		return nil, err
	}
	params, err := findParams(t, l, cfg)
	if err != nil {
		return nil, err
	}
	groups, err := findGroups(&params, cfg)
	if err != nil {
		return nil, err
	}
	intervals, byTruth, err := findConfidence(t, &params, cfg)
	if err != nil {
		return nil, err
	}
	if byTruth {
		ofTruth = append(ofTruth, intervals.By)
	}
	p := &Plan{
		ID: files.NewID(),
		spec: transforms.Spec{
			Params: params, Columns: t.rolesOfPredictions(), Long: t.layout.long, PerQuery: t.perQuery(),
			Encoding: l.encoding, PositiveLabel: l.positive, Decision: decision, Labels: l.Vocabulary, TuningName: cfg.TuneThresholds,
			RangeBytes: cfg.Curves.RangeMiB << 20, Slices: by, MaxSlices: cfg.MaxSlices, ProbabilityTolerance: cfg.ProbabilityTolerance,
			NegativeIsZero: t.task == metrics.Ranking && cfg.Ranking.NegativeRelevance == config.NegativeZero,
			SkipBadRows:    cfg.BadRows == config.Skip, MaxSkipped: (*report.Limit)(&cfg.MaxSkipped),
			ZeroDivision: string(cfg.ZeroDivision), PerLabel: transforms.PerLabel(cfg.PerLabel), Truth: t.join(ofTruth),
			Confidence: intervals, Groups: groups, Histograms: slices.Contains(cfg.Output.Formats, string(report.HTML)),
		},
	}
	p.spec.Labels.Frequencies = frequencies
	gates, err := findGates(&params, groups, cfg)
	if err != nil {
		return nil, err
	}
	if params.Scores && params.ScoreType == metrics.RawScore && cfg.Decision.Threshold.Default == nil && t.task == metrics.Binary && !t.predictions.has(rolePrediction) {
		t.note("scores are compared with a threshold of 0: set decision.threshold for another")
	}
	t.noteUnused()
	if p.output, err = newOutput(t, cfg); err != nil {
		return nil, err
	}
	p.output.Gates, p.output.Baseline = gates, cfg.Baseline
	if err := checkBaseline(ctx, cfg); err != nil {
		return nil, err
	}
	if rows := p.spec.Rows(); rows > transforms.MaxRows {
		return nil, cfg.Errorf("per_label", "a report of %d labels would have %d metric rows; name the labels that matter, or give a number", l.Len(), rows)
	}
	p.shards = p.count(t.predictions)
	if t.truth != nil {
		p.truth = p.count(t.truth)
	}
	p.Notes, p.output.Files = t.lines, report.ListFiles(p.Files)
	p.Config = byFiles(cfg, t.cfg)
	return p, nil
}

// effective returns the configuration completed by what was inferred.
func effective(t *tables, l *labels) *config.Config {
	cfg := *t.cfg
	cfg.Task, cfg.Input.Layout, cfg.Input.LabelEncoding = t.task, t.layout.name(), l.written
	if t.truth != nil {
		c := t.truth.config()
		cfg.Truth.Columns = config.TruthColumns{Example: c.Example, Class: c.Class, Query: c.Query, Item: c.Item, Label: c.Label}
	}
	if t.task&(metrics.Multiclass|metrics.Multilabel) != 0 {
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

// newOutput returns where the report goes, and the configuration that it states. What was inferred
// must be consistent with the rest as if it had been set.
func newOutput(t *tables, cfg *config.Config) (out transforms.Output, err error) {
	cfg.Input.Columns = t.predictions.config()
	if err := cfg.Validate(); err != nil {
		return out, err
	}
	echo, err := cfg.Echo()
	if err != nil {
		return out, err
	}
	formats := make([]report.Format, len(cfg.Output.Formats))
	for i, name := range cfg.Output.Formats {
		formats[i] = report.Format(name)
	}
	return transforms.Output{Dir: cfg.Output.Dir, Overwrite: cfg.Output.Overwrite, Formats: formats, Config: json.RawMessage(echo), Warnings: t.warnings}, nil
}

// count adds up the input, and returns its shards.
func (p *Plan) count(t *table) []shard {
	for _, f := range t.files {
		p.Files = append(p.Files, f.info.Name)
	}
	rows, groups := t.rows()
	p.Rows += rows
	p.RowGroups += groups
	return t.shards()
}

// Build adds the evaluation and the writing of its report to a pipeline for a runner. It is an
// error if the input exceeds the limits of the runner. started is recorded in run.json.
func (p *Plan) Build(s beam.Scope, runner string, started time.Time) error {
	out, spec := p.output, p.spec
	if spec.BundlePerKey = limited(runner); spec.BundlePerKey {
		var err error
		if spec.Bundles, err = p.bundles(); err != nil {
			return fmt.Errorf("runner %s: %w", runner, err)
		}
	}
	shards, truth := shardsOf(p.shards), shardsOf(p.truth)
	out.ID, out.Runner, out.Started = p.ID, runner, started
	if InProcess(runner) {
		spec.TempDir = p.TempDir
	} else {
		// Workers have other working directories.
		out.Dir = absolute(out.Dir)
		if spec.Labels.File != "" {
			spec.Labels.File = absolute(spec.Labels.File)
		}
		shards, truth = absoluteFiles(shards), absoluteFiles(truth)
	}
	e, err := evaluation(s, spec, shards, truth)
	if err == nil {
		e.WriteReport(s, out)
	}
	return err
}

// InProcess reports whether the workers of a runner are in this process.
func InProcess(runner string) bool { return runner == "prism" || runner == "direct" }

// evaluation adds the evaluation of files to a pipeline.
func evaluation(s beam.Scope, spec transforms.Spec, shards, truth []input.Shard) (transforms.Evaluation, error) {
	predictions, err := packed.Shards(s, shards)
	if err != nil {
		return transforms.Evaluation{}, err
	}
	if spec.Truth == nil {
		return transforms.Parquet(s, spec, predictions)
	}
	labels, err := packed.Shards(s, truth)
	if err != nil {
		return transforms.Evaluation{}, err
	}
	return transforms.Joined(s, spec, predictions, labels)
}

func absoluteFiles(shards []input.Shard) []input.Shard {
	shards = slices.Clone(shards)
	for i := range shards {
		shards[i].File = absolute(shards[i].File)
	}
	return shards
}

// absolute returns the absolute name of a local file.
func absolute(name string) string {
	if strings.Contains(name, "://") {
		return name
	}
	if abs, err := filepath.Abs(name); err == nil {
		return abs
	}
	return name
}

// LabelsFile returns the file of labels that workers read, if there is one.
func (p *Plan) LabelsFile() string { return p.spec.Labels.File }

// Output returns where the report will be.
func (p *Plan) Output() string { return p.output.Dir }
