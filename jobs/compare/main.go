// Command compare compares the metrics of two finished reports: what became better or worse
// from A to B, and how sure that is.
//
//	compare reports/dt=2026-11-21 reports/dt=2026-11-22 --output compared
//	compare old new --output compared --config gates.yaml --adjust holm
//
// It reads no predictions: reports that were evaluated with confidence have what differences
// are tested with. The comparison appears in the output directory, local, gs:// or s3://,
// complete or not at all.
//
// Exit codes: 0, the comparison is written; 1, the run failed; 2, the usage or the gates are
// wrong, or the reports cannot be compared, and nothing was written; 3, the comparison is
// written, and a gate failed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

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

func main() {
	signal.Ignore(syscall.SIGPIPE) // without a reader of the summary, there still is the comparison
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// command is what the command line asks for.
type command struct {
	a, b, output, config string
	adjust               report.Adjustment
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	var compared *report.Comparison
	if err == nil {
		compared, err = c.compare(ctx)
	}
	switch {
	case ctx.Err() != nil:
		return fail(stderr, exitFailed, errors.New("interrupted; nothing was written"))
	case err != nil:
		return fail(stderr, exitUsage, err)
	}
	err = files.Publish(ctx, c.output, func(create func(string) (io.Writer, error)) error {
		return report.WriteComparison(compared, create)
	})
	if err != nil {
		return fail(stderr, exitFailed, err)
	}
	var text strings.Builder
	if err := report.SummaryOfComparison(compared, &text); err != nil {
		return fail(stderr, exitFailed, err)
	}
	fmt.Fprintln(&text, "\ncomparison:", quote.Line(c.output))
	if _, err := io.WriteString(stdout, text.String()); err != nil && !errors.Is(err, syscall.EPIPE) {
		fmt.Fprintln(stderr, "the comparison is written; its summary could not be printed:", err)
	}
	if n := compared.Failed(); n > 0 {
		return fail(stderr, exitGate, fmt.Errorf("a gate failed: %d of %d, see the comparison", n, len(compared.Gates)))
	}
	return 0
}

// compare reads the reports and compares them.
func (c *command) compare(ctx context.Context) (*report.Comparison, error) {
	if err := files.CheckOutput(ctx, c.output); err != nil {
		return nil, err
	}
	var gates *config.Config
	if c.config != "" {
		data, err := files.ReadFile(ctx, c.config)
		if err != nil {
			return nil, fmt.Errorf("--config: %w", err)
		}
		if gates, err = config.ParseGates(data, c.config); err != nil {
			return nil, err
		}
	}
	return pipeline.Compare(ctx, c.a, c.b, c.adjust, gates)
}

// parse parses the command line. Flags may come before, between and after the reports.
func parse(args []string, stderr io.Writer) (*command, error) {
	c := new(command)
	fs := flag.NewFlagSet("compare", flag.ContinueOnError)
	fs.SetOutput(io.Discard) // run prints errors
	fs.StringVar(&c.output, "output", "", "`directory` for the comparison, local, gs://… or s3://…; must be empty or not exist (required)")
	fs.StringVar(&c.config, "config", "", "configuration `file` (YAML); of its keys, gates counts")
	adjust := fs.String("adjust", string(report.BenjaminiHochberg), "`how` p-values are adjusted over the slices of a metric: bh (Benjamini-Hochberg), holm or none")
	var dirs []string
	for {
		if err := fs.Parse(args); err != nil {
			return nil, usageError(fs, err, stderr)
		}
		if args = fs.Args(); len(args) == 0 {
			break
		}
		dirs, args = append(dirs, args[0]), args[1:]
	}
	c.adjust = report.Adjustment(*adjust)
	switch {
	case len(dirs) != 2:
		return nil, fmt.Errorf("expected two reports, found %d: compare A B --output DIR, where A and B are directories of reports", len(dirs))
	case c.output == "":
		return nil, errors.New("no output: set --output to a directory for the comparison")
	case !slices.Contains(report.Adjustments(), c.adjust):
		return nil, fmt.Errorf("--adjust: unknown %s: expected bh, holm or none", quote.Value(*adjust))
	}
	c.a, c.b = dirs[0], dirs[1]
	return c, nil
}

// usageError says what is wrong with flags, or prints the help.
func usageError(fs *flag.FlagSet, err error, stderr io.Writer) error {
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(stderr, "usage: compare A B --output DIR [flags]\n\nA and B are directories of finished reports; differences are B - A.\n\nflags:")
		fs.VisitAll(func(f *flag.Flag) {
			argument, text := flag.UnquoteUsage(f)
			fmt.Fprintf(stderr, "  --%s %s\n    \t%s\n", f.Name, argument, text)
		})
		return err
	}
	if name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -"); unknown {
		var names []string
		fs.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
		return fmt.Errorf("unknown flag --%s; did you mean --%s? --help lists all", name, quote.Nearest(name, names))
	}
	return fmt.Errorf("%w; --help says what flags expect", err)
}

// fail says why the command failed, on a line for each error, and returns the exit code.
func fail(stderr io.Writer, code int, err error) int {
	for line := range strings.Lines(err.Error()) {
		fmt.Fprintln(stderr, "compare:", quote.Line(strings.TrimSuffix(line, "\n")))
	}
	return code
}
