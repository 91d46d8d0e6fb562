// Package merge is the command that makes the report of several parts of the data from their reports:
//
//	beameval merge 'reports/dt=2026-11-*' --output reports/november
//	beameval merge reports/site=* --output reports/all
//
// It does not read predictions, but statistics.bin of each report, which an evaluation with output.statistics
// writes.
package merge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/beameval/beameval/analysis/reports"
	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/pendingwrites"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/export"
	"github.com/beameval/beameval/jobs/internal/command"
	"github.com/beameval/beameval/jobs/internal/evaluate"
	"github.com/beameval/beameval/pipeline"
	"github.com/beameval/beameval/transforms"
)

// Command returns the command.
func Command() *cobra.Command {
	j := &job{}
	verb := &cobra.Command{
		Use:   "merge REPORTS... --output DIR [flags]",
		Short: "make the report of several parts of the data from their reports",
		Long: `Makes the report of several parts of the data, such as the nights of a week,
from the statistics in their reports (output.statistics), without reading a
prediction. Each of REPORTS is the directory of a report, a directory that holds
reports at any depth, or a glob of either. Their data must not overlap.`,
		Example: `  beameval evaluate -c nightly.yaml -o kept/28 --set output.statistics=true
  beameval merge 'kept/*' --output november
  beameval merge sites/site=* --output all_sites --slice site`,
		PreRun: func(*cobra.Command, []string) { evaluate.BecomeRun() },
		RunE: func(verb *cobra.Command, args []string) error {
			return j.run(verb.Context(), args, verb.OutOrStdout(), verb.ErrOrStderr())
		},
	}
	command.AddFlags(verb, "Flags", func(flags *pflag.FlagSet) {
		flags.StringVarP(&j.output, "output", "o", "", "`directory` for the report, local, gs://…, s3://… or az://…; must be empty or not exist")
		flags.StringVar(&j.slice, "slice", "", "`key` in the names of the directories, such as site of reports/site=A: each of its values becomes a slice")
		j.Add(flags)
	})
	return verb
}

// job is what the command line requests.
type job struct {
	Writing
	output, slice string
}

// Writing says how the report of statistics is written.
type Writing struct{ overwrite, json, quiet bool }

// Add adds its flags.
func (w *Writing) Add(flags *pflag.FlagSet) {
	flags.BoolVar(&w.overwrite, "overwrite", false, "replace a finished report in the output, when the new one is complete")
	flags.BoolVar(&w.json, "json", false, "print metrics.json instead of the summary")
	flags.BoolVar(&w.quiet, "quiet", false, "print no notes")
}

func (j *job) run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	started := time.Now()
	switch {
	case len(args) == 0:
		return errors.New("no reports: merge REPORTS... --output DIR, where each of REPORTS is a directory of reports or a glob")
	case j.output == "":
		return errors.New("no output: set --output to the directory of the merged report")
	}
	dirs, err := reports.FindEach(ctx, args, nil)
	if err != nil {
		return err
	}
	// A glob may stand for the report that is to be replaced.
	dirs = slices.DeleteFunc(dirs, func(dir string) bool { return reports.Same(dir, j.output) })
	p, err := transforms.OpenParts(ctx, dirs, transforms.PartsOptions{Slice: j.slice})
	if err != nil {
		return err
	}
	return j.Write(ctx, p, dirs, j.output, started, stdout, stderr)
}

// Write writes the report of parts, which are in the given directories, and prints its summary.
func (w *Writing) Write(ctx context.Context, p *transforms.Parts, dirs []string, output string, started time.Time, stdout, stderr io.Writer) error {
	if err := pipeline.CheckOutput(ctx, output, "report", export.Replaceable().If(w.overwrite)...); err != nil {
		return err
	}
	if !w.quiet {
		why := "it cannot be merged"
		if len(dirs) == 1 {
			why = "statistics do not have it"
		}
		for _, what := range p.LeftOut {
			fmt.Fprintln(stderr, quote.Line("left out, because "+why+": "+what))
		}
	}
	p.Output.Dir, p.Output.Overwrite, p.Output.Started = output, w.overwrite, started
	p.Output.Files = report.ListFiles(collections.Map(dirs, func(dir string) string { return files.Join(dir, report.StatisticsBin) }))
	if err := Write(ctx, p); err != nil {
		return err
	}
	return evaluate.OfRun(evaluate.Summarize(output, w.json, stdout, stderr))
}

// Write writes the merged report of parts.
func Write(ctx context.Context, p *transforms.Parts) error {
	p.Output.ID, p.Output.Runner = files.NewID(), "direct"
	graph, scope := beam.NewPipelineWithRoot()
	transforms.Merge(scope, p).WriteReport(scope, p.Output)
	err := evaluate.Direct(ctx, graph)
	if ctx.Err() == nil {
		return evaluate.OfRun(err)
	}
	if pendingwrites.Stop(); !report.Complete(context.WithoutCancel(ctx), p.Output.Dir, p.Output.ID) {
		return command.ErrInterrupted
	}
	return nil
}
