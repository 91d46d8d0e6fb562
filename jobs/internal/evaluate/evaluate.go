// Package evaluate is the command that computes the metrics of predictions in Parquet files and
// writes a report:
//
//	beameval evaluate --input 'predictions/*.parquet' --output out
//	beameval evaluate --config eval.yaml --runner flink --endpoint localhost:8099
package evaluate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/spf13/cobra"

	"github.com/beameval/beameval/internal/secret"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document/evaluation"
	"github.com/beameval/beameval/jobs/internal/command"
	"github.com/beameval/beameval/jobs/internal/terminal"
	"github.com/beameval/beameval/pipeline"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/transforms"
)

// errGate means that gates failed; the report has the details.
var errGate = errors.New("a gate failed")

// Command returns the command. A process can have only one at a time, because Beam's flags are
// global.
func Command() *cobra.Command { return new(flags).command() }

// command returns the command with these flags.
func (f *flags) command() *cobra.Command {
	verb := &cobra.Command{
		Use:   "evaluate --input GLOB[,GLOB…] --output DIR [--config FILE] [flags]",
		Short: "compute the metrics of predictions and write a report",
		Long:  "Computes the metrics of predictions in files and writes a report.",
		Example: `  beameval evaluate --input predictions.parquet --output report
  beameval evaluate -i night -o sliced --slice country --set confidence={}
  beameval evaluate --config nightly.yaml --output reports/dt=2026-11-28
  beameval evaluate --input predictions.parquet --json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("unexpected argument %q: give inputs with --input, separated by commas", args[0])
			}
			return nil
		},
		PreRun: func(*cobra.Command, []string) { BecomeRun() },
		RunE: func(verb *cobra.Command, _ []string) error {
			f.path = verb.CommandPath()
			return f.evaluate(verb.Context(), time.Now(), verb.InOrStdin(), verb.OutOrStdout(), verb.ErrOrStderr())
		},
	}
	f.add(verb)
	return verb
}

// BecomeRun prepares this process for running a pipeline.
func BecomeRun() {
	collectGarbage(whilePlanning)
	beam.Init()
	quietLogs()
}

// evaluate executes the command.
func (f *flags) evaluate(ctx context.Context, started time.Time, stdin io.Reader, stdout, stderr io.Writer) error {
	if f.printConfig && !f.validate {
		cfg, err := f.configuration(ctx)
		if err == nil {
			err = command.Print(config.Print(cfg), stdout)
		}
		return err
	}
	if err := f.check(); err != nil {
		return err
	}
	at, err := f.findPlace(ctx, stderr)
	if err != nil {
		return err
	}
	defer at.close()
	if f.cancelJob != "" {
		return at.cancel(ctx, stdout)
	}
	cfg, err := f.configuration(ctx)
	if err != nil {
		return ofPlanning(ctx, err)
	}
	inputs, output := cfg.Input.Files, cfg.Output.Dir
	own, err := f.setAside(ctx, cfg, at, stdin, stderr)
	defer own.remove()
	if err != nil {
		return err
	}
	stop := f.showWork(stderr, planning)
	plan, err := makePlan(ctx, cfg)
	stop()
	if err != nil {
		return ofPlanning(ctx, own.explain(err))
	}
	f.sayNotes(plan, own, stderr)
	if f.validate {
		if _, err := at.build(plan, started); err != nil {
			return OfRun(own.explain(err))
		}
	}
	if f.validate && f.printConfig {
		plan.Config.Input.Files, plan.Config.Output.Dir = inputs, output
		return command.Print(config.Print(plan.Config), stdout)
	}
	if f.validate {
		fmt.Fprintf(stdout, "valid: files %d, row groups %d, rows %d\n", len(plan.Files), plan.RowGroups, plan.Rows)
		return nil
	}
	return OfRun(own.explain(run(ctx, at, plan, started, stdout, stderr)))
}

// sayNotes prints the notes of a plan.
func (f *flags) sayNotes(plan *pipeline.Plan, own *aside, stderr io.Writer) {
	if f.quiet {
		return
	}
	for _, note := range plan.Notes {
		fmt.Fprintln(stderr, quote.Line(own.named(note)))
	}
}

// check checks the flags that do not concern the place of the run.
func (f *flags) check() error {
	if err := checkRunner(runnerName()); err != nil {
		return err
	}
	if f.json && (f.validate || f.cancelJob != "" || *jobopts.Async || dryRun()) {
		return errors.New("--json prints the metrics of a run that has ended; leave it out with --validate, --async, --cancel-job and --dry-run")
	}
	if f.maxStdin < 1 || f.maxStdin > mostStdin {
		return fmt.Errorf("--max-stdin-mib: %d: expected 1 to %d", f.maxStdin, mostStdin)
	}
	return checkOpenFiles()
}

// makePlan plans the run.
func makePlan(ctx context.Context, cfg *config.Config) (*pipeline.Plan, error) {
	plan, err := pipeline.Make(ctx, cfg)
	if err == nil && runnerName() == "dataflow" {
		err = prepareDataflow(ctx, plan)
	}
	return plan, err
}

// OfRun gives the error of a run its exit code.
func OfRun(err error) error {
	switch {
	case err == nil || errors.As(err, new(usageError)):
		return err
	case errors.Is(err, errGate):
		return command.Exit(command.GateFailed, err)
	}
	return command.Exit(command.Failed, err)
}

// Values of GOGC: the garbage, in percent of the live memory, at which a collection starts.
const (
	// whilePlanning is high: little memory is live, so a smaller value would cause dozens of
	// collections.
	whilePlanning = 400
	// whileRunning is half of the default: statistics of millions of labels are large and
	// long-lived, and everything else is cheap to collect.
	whileRunning = 50
)

// collectGarbage sets the garbage collection target, unless GOGC is set.
func collectGarbage(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}

// run runs the pipeline and prints the summary of the report.
func run(ctx context.Context, at *place, plan *pipeline.Plan, started time.Time, stdout, stderr io.Writer) error {
	if done, err := makeReport(ctx, at, plan, started, stdout, stderr); err != nil || !done {
		return err
	}
	return Summarize(plan.Output(), at.json, stdout, stderr)
}

// makeReport runs the pipeline. done is false if there is no report yet, which is no error.
func makeReport(ctx context.Context, at *place, plan *pipeline.Plan, started time.Time, stdout, stderr io.Writer) (done bool, err error) {
	// Beam leaves files in the temporary directory, and panics if there is none.
	temp, remove, err := command.TempDir("evaluate-")
	if err != nil {
		return false, err
	}
	defer remove()
	defer setTempDir(temp)()
	plan.TempDir = temp
	beamPipeline, err := at.build(plan, started)
	if err != nil {
		return false, err
	}
	collectGarbage(whileRunning)
	return at.execute(ctx, beamPipeline, plan, stdout, stderr)
}

// setTempDir makes dir the directory for temporary files of this process until restore is called.
func setTempDir(dir string) (restore func()) {
	before, set := os.LookupEnv("TMPDIR")
	os.Setenv("TMPDIR", dir)
	return func() {
		if os.Setenv("TMPDIR", before); !set {
			os.Unsetenv("TMPDIR")
		}
	}
}

// build makes the pipeline of a plan. It is an error of usage if the input exceeds the limits of the
// runner.
func (at *place) build(plan *pipeline.Plan, started time.Time) (*beam.Pipeline, error) {
	p, scope := beam.NewPipelineWithRoot()
	if err := plan.Build(scope, at.runner, started); err != nil {
		return nil, usageError{err}
	}
	return p, nil
}

// Summarize prints the summary of a written report or, as JSON, its metrics. It returns an error for which the
// process ends with GateFailed if a gate failed; see OfRun.
func Summarize(dir string, asJSON bool, stdout, stderr io.Writer) error {
	rep, err := report.OpenOverview(context.Background(), dir, evaluation.OfSlices)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the run ended without a report: %w", err)
	case err != nil:
		return err
	}
	transforms.Explain(rep)
	var text strings.Builder
	if asJSON {
		data, err := files.ReadFile(context.Background(), files.Join(dir, report.MetricsJSON), report.MostJSON)
		if err == nil {
			err = command.Print(data, stdout)
		}
		if err != nil {
			return err
		}
	} else if err := evaluation.Summary(rep, &text, terminal.Screen(stdout)); err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	} else {
		fmt.Fprintln(&text, "\nreport:", quote.Line(dir))
		command.Summarize("report", text.String(), stdout, stderr)
	}
	if n := rep.Failed(); n > 0 {
		where := "the report"
		if asJSON {
			where = "gates in the metrics"
		}
		return fmt.Errorf("%w: %d of %d, see %s", errGate, n, len(rep.Gates), where)
	}
	return nil
}

// quietLogs discards what Beam and its runners log, because the error of a run says everything
// about a failure. Call it after beam.Init, which sets up logging of its own.
func quietLogs() {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	log.SetLogger(&masked{log.Standard{Level: log.SevFatal}})
}

// masked is a logger that masks secrets.
type masked struct{ log.Standard }

// Log prints a sufficiently severe message.
func (m *masked) Log(ctx context.Context, severity log.Severity, depth int, message string) {
	if severity >= m.Level {
		m.Standard.Log(ctx, severity, depth+1, secret.Mask(message))
	}
}
