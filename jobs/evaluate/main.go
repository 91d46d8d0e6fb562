// Command evaluate computes the metrics of predictions in Parquet files and writes a report.
//
//	evaluate --input 'predictions/*.parquet' --output out
//	evaluate --config eval.yaml --runner flink --endpoint localhost:8099
//
// Exit codes: 0, the report is written; 1, the run failed; 2, the usage, the configuration or
// a schema is wrong, which was found before the run; 3, the report is written, and a gate failed.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"

	"github.com/beameval/beameval/internal/prism"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/pipeline"
	"github.com/beameval/beameval/pipeline/config"
)

// The exit codes.
const (
	exitFailed = 1
	exitUsage  = 2
	exitGate   = 3
)

// errGate says that gates failed, of which the report tells.
var errGate = errors.New("a gate failed")

var (
	configFile = flag.String("config", "", "configuration `file` (YAML)")
	inputs     = flag.String("input", "", "comma-separated prediction files, directories or `globs`; overrides input.files")
	output     = flag.String("output", "", "`directory` for the report; must be empty or not exist; overrides output.dir")
	baseline   = flag.String("baseline", "", "`directory` of the report that gates with max_drop and max_rise compare with; overrides baseline")
	validate   = flag.Bool("validate", false, "check the configuration and the schemas, and stop")
	quiet      = flag.Bool("quiet", false, "print no notes and no progress")
	cancelJob  = flag.String("cancel_job", "", "cancel the job with this `id`, at --endpoint, and stop")
)

// ownFlags are the flags that --help explains. The other flags are those of Beam.
var ownFlags = []string{"config", "input", "output", "baseline", "validate", "quiet", "runner",
	"endpoint", "environment_type", "environment_config", "worker_binary", "parallelism", "async", "cancel_job"}

func main() {
	started := time.Now()
	if code, done := parse(os.Args[1:], os.Stderr); done {
		os.Exit(code)
	}
	if code, done := supervise(); done {
		os.Exit(code)
	}
	frugal()
	beam.Init() // a worker process stays in here
	quietLogs()
	signal.Ignore(syscall.SIGPIPE) // without a reader of the summary, there still is the report
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, func() {
		time.Sleep(secondSignal)
		stop() // a second signal ends the process at once
	})
	code := evaluate(ctx, started, os.Stdout, os.Stderr)
	if isRun && code == exitUsage {
		code = exitUsageOfRun
	}
	os.Exit(code)
}

// secondSignal is how long after the first signal another one counts as the second: a
// terminal and the supervisor both send the first.
const secondSignal = 200 * time.Millisecond

// parse parses the command line. It returns done, with the exit code, if nothing is left
// to do.
func parse(args []string, stderr io.Writer) (code int, done bool) {
	switch err := parseFlags(args); {
	case errors.Is(err, flag.ErrHelp):
		usage(stderr)
		return 0, true
	case err != nil:
		return fail(stderr, exitUsage, err), true
	}
	return 0, false
}

// evaluate does what the flags say and returns the exit code.
func evaluate(ctx context.Context, started time.Time, stdout, stderr io.Writer) int {
	if err := checkRunner(runnerName()); err != nil {
		return fail(stderr, exitUsage, err)
	}
	at, err := findPlace(ctx)
	if err != nil {
		return fail(stderr, exitUsage, err)
	}
	defer at.close()
	if *cancelJob != "" {
		return at.cancel(ctx, stdout, stderr)
	}
	plan, err := makePlan(ctx)
	if err == nil && runnerName() == "dataflow" {
		err = prepareDataflow(ctx, plan)
	}
	if err != nil {
		code, err := exitCode(ctx, err)
		return fail(stderr, code, err)
	}
	if !*quiet {
		for _, note := range plan.Notes {
			fmt.Fprintln(stderr, quote.Line(note))
		}
	}
	if *validate {
		fmt.Fprintf(stdout, "valid: files %d, row groups %d, rows %d\n", len(plan.Files), plan.RowGroups, plan.Rows)
		return 0
	}
	err = run(ctx, at, plan, started, stdout, stderr)
	switch {
	case errors.As(err, new(usageError)):
		return fail(stderr, exitUsage, err)
	case errors.Is(err, errGate):
		return fail(stderr, exitGate, err)
	case err != nil:
		return fail(stderr, exitFailed, err)
	}
	return 0
}

// frugal collects garbage twice as often as by default, unless GOGC is set: statistics of
// millions of labels are large and long-lived, and everything else is cheap to collect.
func frugal() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50)
	}
}

// makePlan reads the configuration, applies the flags that override it, and checks it against
// the input.
func makePlan(ctx context.Context) (*pipeline.Plan, error) {
	cfg := new(config.Config)
	*cfg = config.Default()
	if *configFile != "" {
		data, err := files.ReadFile(ctx, *configFile)
		if err != nil {
			return nil, fmt.Errorf("--config: %w", err)
		}
		if cfg, err = config.Parse(data, *configFile); err != nil {
			return nil, err
		}
	}
	if *inputs != "" {
		cfg.Input.Files = strings.Split(*inputs, ",")
	}
	if *output != "" {
		cfg.Output.Dir = *output
	}
	if *baseline != "" {
		cfg.Baseline = *baseline
	}
	return pipeline.Make(ctx, cfg)
}

// run runs the pipeline and prints the summary of the report.
func run(ctx context.Context, at *place, plan *pipeline.Plan, started time.Time, stdout, stderr io.Writer) error {
	// Beam leaves files in the temporary directory, and panics if there is none.
	temp, release, err := files.TempDir("evaluate-")
	if err != nil {
		return fmt.Errorf("no temporary directory: %w; set TMPDIR to one", err)
	}
	defer release()
	defer removeAll(temp)
	os.Setenv("TMPDIR", temp)
	beamPipeline, scope := beam.NewPipelineWithRoot()
	plan.TempDir = temp
	if err := plan.Build(scope, runnerName(), started); err != nil {
		return usageError{err}
	}
	var goOn bool
	err = prism.Try(func() (err error) {
		goOn, err = at.execute(ctx, beamPipeline, plan, stdout, stderr)
		return err
	})
	if err != nil || !goOn {
		return err
	}
	return summarize(plan.Output(), stdout, stderr)
}

// removeAll removes a directory to which workers of a failed run may still add files. They
// cannot once it is gone.
func removeAll(dir string) {
	for range 100 {
		if os.RemoveAll(dir) == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// summarize prints the summary of a written report. It returns errGate if a gate failed.
func summarize(dir string, stdout, stderr io.Writer) error {
	data, err := files.ReadFile(context.Background(), files.Join(dir, report.MetricsJSON))
	if err != nil {
		return fmt.Errorf("the run ended without a report: %w", err)
	}
	rep, err := report.ReadOverview(data)
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	var text bytes.Buffer
	if err := report.Summary(rep, &text); err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	fmt.Fprintln(&text, "\nreport:", quote.Line(dir))
	if _, err := text.WriteTo(stdout); err != nil && !errors.Is(err, syscall.EPIPE) {
		fmt.Fprintln(stderr, "the report is written; its summary could not be printed:", err)
	}
	if n := rep.Failed(); n > 0 {
		return fmt.Errorf("%w: %d of %d, see the report", errGate, n, len(rep.Gates))
	}
	return nil
}

// fail says why the command failed and returns the exit code.
func fail(stderr io.Writer, code int, err error) int {
	fmt.Fprintln(stderr, "evaluate:", message(err))
	return code
}

// message returns the text of an error on one line, or on a line for each of several errors.
// Control characters of file names and values are escaped.
func message(err error) string {
	several, ok := err.(interface{ Unwrap() []error })
	if !ok || errors.Join(several.Unwrap()...).Error() != err.Error() {
		return quote.Line(err.Error())
	}
	var lines []string
	for _, err := range several.Unwrap() {
		lines = append(lines, quote.Line(err.Error()))
	}
	return strings.Join(lines, "\n")
}

// quietLogs discards what Beam and prism log: the error that a run ends with says everything
// about a failure. Call it after beam.Init, which sets up its own logging.
func quietLogs() {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	log.SetLogger(atLeast{log.SevFatal, &log.Standard{}})
}

// atLeast is a logger of messages with a minimum severity.
type atLeast struct {
	lowest log.Severity
	to     log.Logger
}

// Log passes a message on if it is severe enough.
func (l atLeast) Log(ctx context.Context, severity log.Severity, depth int, message string) {
	if severity >= l.lowest {
		l.to.Log(ctx, severity, depth+1, message)
	}
}
