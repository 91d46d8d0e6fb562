// Package pipeline turns a configuration into a Beam pipeline: it finds the
// input files, reads their footers, infers what the configuration leaves open,
// and builds the graph. It has no main and no flags.
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

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/transforms"
)

// Plan is a configuration made concrete: everything is known to fit together,
// and no row has been read.
type Plan struct {
	// Notes say what was inferred, for people.
	Notes []string
	// Rows, RowGroups and Files count the input, with the truth.
	Rows      int64
	RowGroups int
	Files     []string
	// TempDir is a local directory for a runner in this process to put large data
	// into, instead of holding them in memory. It must outlive the run; "" is none.
	TempDir string

	spec   transforms.Spec
	join   *transforms.Truth // nil if true labels are beside the predictions
	shards []transforms.Shard
	truth  []transforms.Shard
	output transforms.Output
}

// Make checks a configuration against the input that it names. What is wrong
// with either is the error.
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
	in, err := open(ctx, cfg.Input.Files, options(cfg))
	if err != nil {
		return nil, err
	}
	effective := *cfg
	p := &planner{cfg: &effective, in: in, plan: new(Plan), found: make(map[string]bool)}
	if err := p.run(ctx); err != nil {
		return nil, err
	}
	if err := files.CheckOutput(ctx, cfg.Output.Dir); err != nil {
		return nil, err
	}
	return p.plan, nil
}

// Build adds the evaluation and the writing of its report to a pipeline.
// Runner and started are for run.json.
func (p *Plan) Build(s beam.Scope, runner string, started time.Time) error {
	out, shards, truth, spec := p.output, p.shards, p.truth, p.spec
	out.Runner, out.Started = runner, started
	if runner == "prism" || runner == "direct" {
		spec.TempDir = p.TempDir
	} else {
		// Workers have other working directories.
		out.Dir = absolute(out.Dir)
		if spec.Labels.File != "" {
			spec.Labels.File = absolute(spec.Labels.File)
		}
		shards, truth = absoluteFiles(shards), absoluteFiles(truth)
	}
	evaluation, err := p.evaluate(s, spec, shards, truth)
	if err == nil {
		evaluation.WriteReport(s, out)
	}
	return err
}

// evaluate adds the evaluation of files to a pipeline.
func (p *Plan) evaluate(s beam.Scope, spec transforms.Spec, shards, truth []transforms.Shard) (transforms.Evaluation, error) {
	if p.join == nil {
		return transforms.Parquet(s, spec, beam.CreateList(s, shards))
	}
	return transforms.Joined(s, spec, beam.CreateList(s, shards), *p.join, beam.CreateList(s, truth))
}

func absoluteFiles(shards []transforms.Shard) []transforms.Shard {
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

// planner makes a plan. Its methods run in the order of run.
type planner struct {
	cfg   *config.Config
	in    *input
	truth *input // nil if true labels are beside the predictions
	plan  *Plan
	task  metrics.Task
	// found are the roles whose columns were found by name: what does not fit
	// the task among them was not meant.
	found map[string]bool
	// left are columns that are not used, as a note has said.
	left []string
	// guessed says that only the type of lists of labels says how they are written.
	guessed bool
	// warnings are for the report.
	warnings []string
}

func (p *planner) run(ctx context.Context) error {
	for _, step := range []func(context.Context) error{
		p.shards, p.openTruth, p.roles, p.inferTask, p.layout, p.truthIDs, p.columnTypes, p.labels, p.indicators, p.positive, p.propensity, p.decisions,
		p.slices, p.curves, p.tuning, p.ranking, p.metrics, p.unused, p.finish,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (p *planner) note(format string, args ...any) {
	p.plan.Notes = append(p.plan.Notes, fmt.Sprintf(format, quote.Args(args)...))
}

func (p *planner) shards(context.Context) error {
	p.plan.shards = p.plan.count(p.in)
	if p.plan.Rows == 0 {
		return fmt.Errorf("no rows to evaluate: the input has none (files: %d, such as %s)", len(p.in.files), p.in.files[0].info.Name)
	}
	return nil
}

// count counts what there is to read, and returns the shards of it.
func (p *Plan) count(in *input) (shards []transforms.Shard) {
	for _, f := range in.files {
		p.Files = append(p.Files, f.info.Name)
		for _, rows := range f.groups {
			p.Rows += rows
		}
		p.RowGroups += len(f.groups)
		shards = append(shards, transforms.Shards(f.info, f.groups)...)
	}
	for i := range shards {
		shards[i].Options = in.options
	}
	return shards
}

// options say how files are read.
func options(cfg *config.Config) columns.Options {
	return columns.Options{MaxPage: int64(cfg.Input.MaxPageMiB) << 20, RoundDecimals: cfg.Input.Decimals == config.DecimalsFloat64}
}

func (p *planner) finish(context.Context) error {
	// What was inferred must fit the rest as if it had been set.
	if err := p.cfg.Validate(); err != nil {
		return err
	}
	echo, err := p.cfg.Echo()
	if err != nil {
		return err
	}
	s := &p.plan.spec
	s.ProbabilityTolerance = p.cfg.ProbabilityTolerance
	s.SkipBadRows = p.cfg.BadRows == config.Skip
	s.MaxSkipped = (*transforms.Limit)(&p.cfg.MaxSkipped)
	s.ZeroDivision = string(p.cfg.ZeroDivision)
	s.PerLabel = transforms.PerLabel(p.cfg.PerLabel)
	s.MaxSlices = p.cfg.MaxSlices
	if rows := s.Rows(); rows > transforms.MaxRows {
		return p.cfg.Errorf("per_label", "a report of %d labels would have %d metric rows; name the labels that matter, or give a number", s.Labels.Len(), rows)
	}
	formats := make([]report.Format, len(p.cfg.Output.Formats))
	for i, name := range p.cfg.Output.Formats {
		if formats[i], err = report.ParseFormat(name); err != nil {
			return err
		}
	}
	p.plan.output = transforms.Output{Dir: p.cfg.Output.Dir, Formats: formats, Config: json.RawMessage(echo), Files: p.plan.Files, Warnings: p.warnings}
	return nil
}

// Output returns where the report will be.
func (p *Plan) Output() string { return p.output.Dir }
