// Command report draws the page for people, report.html, again from a finished report, which may
// be one of an older version:
//
//	report out
//	report gs://bucket/reports/dt=2026-11-22 --output report.html
//
// It reads metrics.json and, where they are there, curves.parquet, confusion.parquet and
// per_query.parquet. The page replaces the report.html of a local report, or goes to another local
// file. It has no pictures of what the report does not have.
//
// Exit codes: 0, the page is written; 1, reading or writing failed; 2, the usage is wrong, and
// nothing was written.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/transforms"
)

const (
	written = iota
	failed
	badUsage
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	dir, output, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return written
	}
	if err != nil {
		fmt.Fprintln(stderr, "report:", err)
		return badUsage
	}
	r, err := read(ctx, dir)
	if err == nil {
		err = replace(output, r.WritePage)
	}
	if err != nil {
		fmt.Fprintln(stderr, "report:", strings.TrimPrefix(err.Error(), "report: "))
		return failed
	}
	fmt.Fprintln(stdout, quote.Line(output))
	return written
}

// parse returns the report's directory and where its page goes. Flags may come after the
// directory.
func parse(args []string, stderr io.Writer) (dir, output string, err error) {
	flags := flag.NewFlagSet("report", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // run prints errors
	flags.StringVar(&output, "output", "", "local `file` for the page (default report.html in the directory, if that is local)")
	var dirs []string
	for {
		if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(stderr, "usage: report DIR [--output FILE]\n\nreport draws report.html again from the finished report in DIR. Flags:")
			flags.SetOutput(stderr)
			flags.PrintDefaults()
			return "", "", err
		} else if err != nil {
			return "", "", fmt.Errorf("%w; --help lists all flags", err)
		}
		if args = flags.Args(); len(args) == 0 {
			break
		}
		dirs, args = append(dirs, args[0]), args[1:]
	}
	if len(dirs) != 1 {
		return "", "", fmt.Errorf("expected one directory with a finished report, found %d: report DIR", len(dirs))
	}
	dir = dirs[0]
	switch {
	case output == "" && !files.Local(dir):
		return "", "", fmt.Errorf("%s is not local: set --output to a local file for the page", quote.Line(dir))
	case output == "":
		output = files.Join(dir, report.ReportHTML)
	case !files.Local(output):
		return "", "", fmt.Errorf("--output: %s is not a local file", quote.Line(output))
	}
	return dir, strings.TrimPrefix(output, "file://"), nil
}

// read reads what a page shows of the report in a directory.
func read(ctx context.Context, dir string) (*report.Report, error) {
	data, err := files.ReadFile(ctx, files.Join(dir, report.MetricsJSON))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no finished report in %s: %w", quote.Line(dir), err)
	case err != nil:
		return nil, err
	}
	r, err := report.Read(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", files.Join(dir, report.MetricsJSON), err)
	}
	for name, add := range map[string]func(columns.Source) error{
		report.CurvesParquet: r.ReadCurves, report.ConfusionParquet: r.ReadConfusion, report.PerQueryParquet: r.ReadQueries,
	} {
		if err := addFile(ctx, files.Join(dir, name), add); err != nil {
			return nil, err
		}
	}
	transforms.Explain(r)
	return r, nil
}

// addFile hands a file on, if it is there.
func addFile(ctx context.Context, name string, add func(columns.Source) error) error {
	f, err := files.Open(ctx, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	defer f.Close()
	return add(f)
}

// replace writes a file beside its place and then renames it: it appears whole or not at all.
func replace(name string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(name), ".report-*.html")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	err = errors.Join(f.Chmod(0o644), write(f), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
