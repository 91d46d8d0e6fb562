// Package report is the command that draws the page for people, report.html, again from a finished
// report, which may be one of an older version:
//
//	beameval report out
//	beameval report gs://bucket/reports/dt=2026-11-22 --output report.html
//
// It reads metrics.json and, where they are there, curves.parquet, confusion.parquet,
// histograms.parquet and per_query.parquet. The page replaces the report.html of a local report, or
// goes to another local file. It has no pictures of what the report does not have.
package report

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/jobs/internal/command"
	"github.com/beameval/beameval/transforms"
)

// Command returns the command.
func Command() *cobra.Command {
	var output string
	verb := &cobra.Command{
		Use:   "report DIR [--output FILE]",
		Short: "draw report.html again from a finished report",
		Long: `Draws report.html again from the finished report in DIR. The page replaces the
report.html of a local report, or goes to another local file.`,
		RunE: func(verb *cobra.Command, args []string) error {
			dir, page, err := places(args, output)
			if err != nil {
				return err
			}
			r, err := read(verb.Context(), dir)
			if err == nil {
				err = replace(page, r.WritePage)
			}
			if err != nil {
				return command.Exit(command.Failed, err)
			}
			fmt.Fprintln(verb.OutOrStdout(), quote.Line(page))
			return nil
		},
	}
	command.AddFlags(verb, "Flags", func(flags *pflag.FlagSet) {
		flags.StringVar(&output, "output", "", "local `file` for the page (default report.html in the directory, if that is local)")
	})
	return verb
}

// places returns the report's directory and where its page goes.
func places(args []string, output string) (dir, page string, err error) {
	if len(args) != 1 {
		return "", "", fmt.Errorf("expected one directory with a finished report, found %d: report DIR", len(args))
	}
	dir = args[0]
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
		report.HistogramsParquet: r.ReadHistograms,
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
