// Package report is the command that regenerates the page for people: report.html of a finished
// report, comparison.html of a finished comparison, or monitor.html of a finished monitor. All may
// have been written by an older version:
//
//	beameval report out
//	beameval report gs://bucket/reports/dt=2026-11-22 --output report.html
//	beameval report compared
//
// For a report, it reads metrics.json, metrics.parquet if metrics.json omits metric rows and, if
// they exist, the Parquet files of other tables that the page shows. For a comparison, it reads
// comparison.json, comparison_curves.parquet and comparison_queries.parquet, but not the reports. For
// a monitor, it reads monitor.json alone, and for the index of several, index.html, monitors.json. The
// page replaces the one in a local directory, or goes to another local file. It lacks pictures of
// missing data.
//
// With other metrics or keys of the configuration, it makes a report of the same examples from the statistics of
// a finished one:
//
//	beameval report reports/dt=2026-11-22 --output costly --metrics f1,expected_cost --set costs.fn=10
package report

import (
	"cmp"
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
	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/monitor"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/report/document/evaluation"
	"github.com/beameval/beameval/jobs/internal/command"
	"github.com/beameval/beameval/jobs/internal/evaluate"
	"github.com/beameval/beameval/transforms"
)

// Command returns the command.
func Command() *cobra.Command {
	var output string
	var a again
	verb := &cobra.Command{
		Use:   "report DIR [--output FILE]",
		Short: "draw a finished page again, or evaluate the statistics of a report",
		Long: `Draws the page again: report.html, comparison.html or monitor.html from the
finished report, comparison or monitor in DIR. It replaces the page of a local
directory, or goes to another local file.

With --metrics or --set, it evaluates the statistics of a report again
(output.statistics), without reading a prediction: with other metrics,
averages, costs, gates and so on. --output is the directory of the new report.`,
		Example: `  beameval report reports/dt=2026-11-28
  beameval report reports/dt=2026-11-28 --output page.html
  beameval report sites/site=A --output again --metrics f1,recall`,
		PreRun: func(*cobra.Command, []string) {
			if a.asked() {
				evaluate.BecomeRun()
			}
		},
		RunE: func(verb *cobra.Command, args []string) error {
			if a.asked() {
				a.output = output
				return a.run(verb.Context(), args, verb.OutOrStdout(), verb.ErrOrStderr())
			}
			if a.any() {
				return errors.New("--overwrite, --json and --quiet are for a report that is evaluated again: set --metrics or --set, too")
			}
			dir, err := check(args, output)
			if err != nil {
				return err
			}
			name, write, err := read(verb.Context(), dir)
			if err != nil {
				return err // an error of usage, because a retry would find the same files
			}
			page := path(cmp.Or(output, files.Join(dir, name)))
			if err := files.Replace(verb.Context(), page, write); err != nil {
				return command.Fail(verb.Context(), err)
			}
			fmt.Fprintln(verb.OutOrStdout(), quote.Line(page))
			return nil
		},
	}
	command.AddFlags(verb, "Flags", func(flags *pflag.FlagSet) {
		flags.StringVarP(&output, "output", "o", "", "local `file` for the page (default: in the directory, if that is local); with --metrics or --set, directory for the report")
	})
	command.AddFlags(verb, "Evaluating statistics again", a.add)
	return verb
}

// check returns the directory of the report, comparison or monitor.
func check(args []string, output string) (dir string, err error) {
	switch {
	case len(args) != 1:
		return "", fmt.Errorf("expected one directory with a finished report, comparison or monitor, found %d: report DIR", len(args))
	case output == "" && !files.Local(args[0]):
		return "", fmt.Errorf("%s is not local: set --output to a local file for the page", quote.Line(args[0]))
	case output != "" && !files.Local(output):
		return "", fmt.Errorf("--output: %s is not a local file", quote.Line(output))
	case missing(args[0]):
		return "", fmt.Errorf("%s does not exist: expected the directory of a finished report, comparison or monitor", quote.Line(args[0]))
	case output != "" && missing(filepath.Dir(path(output))):
		return "", fmt.Errorf("--output: the directory of %s does not exist: create it, or choose another file", quote.Line(output))
	}
	return args[0], nil
}

// missing reports whether a name is local and nothing has it.
func missing(name string) bool {
	if !files.Local(name) {
		return false
	}
	_, err := os.Stat(path(name))
	return errors.Is(err, fs.ErrNotExist)
}

// path returns the path of a local name.
func path(name string) string { return strings.TrimPrefix(name, "file://") }

// read reads the data of the page of a directory, and returns its name and a function that writes
// it.
func read(ctx context.Context, dir string) (name string, write func(io.Writer) error, err error) {
	r, err := report.Open(ctx, dir)
	if err == nil {
		transforms.Explain(r)
		page := func(w io.Writer) error {
			r.Sort()
			return evaluation.Write(r, document.Page, w)
		}
		return report.ReportHTML, page, r.ReadTables(ctx, dir)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", nil, err
	}
	data, err := files.ReadFile(ctx, files.Join(dir, comparison.JSON), report.MostJSON)
	if err == nil {
		return readComparison(ctx, dir, data)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", nil, err
	}
	for _, one := range []struct {
		json, page string
		read       func(data []byte) (write func(io.Writer) error, err error)
	}{{monitor.JSON, monitor.HTML, readMonitor}, {monitor.EachJSON, monitor.EachHTML, readEach}} {
		data, err := files.ReadFile(ctx, files.Join(dir, one.json), report.MostJSON)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return "", nil, err
		}
		if write, err = one.read(data); err != nil {
			return "", nil, fmt.Errorf("%s: %w", files.Join(dir, one.json), err)
		}
		return one.page, write, nil
	}
	return "", nil, fmt.Errorf("%s is no finished report, comparison or monitor: it has no %s, no %s, no %s and no %s", quote.Line(dir),
		report.MetricsJSON, comparison.JSON, monitor.JSON, monitor.EachJSON)
}

func readMonitor(data []byte) (func(io.Writer) error, error) {
	m, err := monitor.Read(data)
	if err != nil {
		return nil, err
	}
	return m.WritePage, nil
}

func readEach(data []byte) (func(io.Writer) error, error) {
	e, err := monitor.ReadEach(data)
	if err != nil {
		return nil, err
	}
	return e.WritePage, nil
}

// readComparison is read for a comparison, with the contents of its comparison.json.
func readComparison(ctx context.Context, dir string, data []byte) (name string, write func(io.Writer) error, err error) {
	r, err := comparison.ReadResult(data)
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", files.Join(dir, comparison.JSON), err)
	}
	if c, ofTwo := r.(*comparison.Comparison); ofTwo {
		err = add(ctx, dir, map[string]func(columns.Source) error{comparison.CurvesParquet: c.ReadCurves, comparison.QueriesParquet: c.ReadQueries})
	}
	return comparison.HTML, func(w io.Writer) error { return comparison.WritePage(r, w) }, err
}

// add reads the existing files of a directory.
func add(ctx context.Context, dir string, to map[string]func(columns.Source) error) error {
	for name, read := range to {
		if err := report.ReadFile(ctx, dir, name, read); err != nil {
			return err
		}
	}
	return nil
}
