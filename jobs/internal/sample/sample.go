// Package sample is the command that draws rows of predictions that people label, by what a judge says of every row:
//
//	beameval sample predictions.parquet --n 300 --for accuracy --judge judge_score -o to_label.csv
//
// The rows appear in the output completely or not at all. The command reports on standard error what it found, and on
// standard output how many rows of each stratum it drew.
package sample

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/formats"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/jobs/internal/command"
	"github.com/beameval/beameval/jobs/internal/terminal"
	"github.com/beameval/beameval/pipeline/sampling"
)

// Command returns the command.
func Command() *cobra.Command {
	j := &job{}
	verb := &cobra.Command{
		Use:   "sample FILES --n N --for accuracy|mean --judge COLUMN -o FILE [flags]",
		Short: "rows for people to label, by what a judge says of all",
		Long: `Draws rows that people label, when a judge, such as a language model, has
graded all rows: more where the judge is unsure. The columns sampling_stratum
and sampling_probability say how each was drawn.`,
		Example: `  beameval sample predictions.parquet -n 60 --for accuracy --judge score -o a.csv
  beameval sample gb.parquet -n 60 --for mean --judge score --bins 3 -o b.parquet`,
		RunE: func(verb *cobra.Command, args []string) error {
			return j.run(verb.Context(), args, verb.OutOrStdout(), verb.ErrOrStderr())
		},
	}
	command.AddFlags(verb, "Flags", func(flags *pflag.FlagSet) {
		flags.Int64VarP(&j.Rows, "n", "n", 0, "`count` of rows to draw (required)")
		flags.StringVar((*string)(&j.For), "for", "", "`statistic` that the labels will estimate: accuracy, if the judge's grade is the probability that a row is right; or mean, of grades (required)")
		flags.StringVar(&j.Judge, "judge", "", "`column` of the judge's grades (required)")
		flags.StringVarP(&j.output, "output", "o", "", "local `file` to write, .csv or .parquet (required)")
		flags.StringSliceVar(&j.By, "strata", nil, "comma-separated `columns` that divide the rows further, such as country")
		flags.IntVar(&j.Bins, "bins", 5, "`count` of bins of about equal numbers of rows, into which the judge's grades, and other columns of numbers, are divided")
		flags.StringSliceVar(&j.ID, "id", nil, "comma-separated `columns` that together identify a row (default: the usual column of ids, such as id; without one, the place of the row in the files)")
		flags.Uint64Var(&j.Seed, "seed", 1, "`seed`: each draws other rows")
		flags.BoolVar(&j.overwrite, "overwrite", false, "replace the output, when the new one is complete")
	})
	return verb
}

// job is what the command line requests.
type job struct {
	sampling.Options
	output    string
	overwrite bool
}

func (j *job) run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	j.Files = args
	if err := j.check(); err != nil {
		return err
	}
	drawn, err := sampling.Draw(ctx, j.Options)
	if err != nil {
		return err
	}
	for _, note := range drawn.Notes {
		fmt.Fprintln(stderr, quote.Line(note))
	}
	err = files.Replace(ctx, j.output, func(w io.Writer) error { return drawn.Write(w, formats.Of(j.output)) })
	if err != nil {
		return command.Fail(ctx, err)
	}
	var text strings.Builder
	if err := drawn.Print(&text, terminal.Screen(stdout), j.output); err != nil {
		return command.Exit(command.Failed, err)
	}
	command.Summarize("sample", text.String(), stdout, stderr)
	return nil
}

// check checks the command line.
func (j *job) check() error {
	switch {
	case len(j.Files) == 0:
		return errors.New("no input: sample FILES, where FILES are files, globs or directories of predictions")
	case j.Rows < 1:
		return fmt.Errorf("--n: %d: expected the number of rows to draw, such as 300", j.Rows)
	case !slices.Contains(sampling.Statistics, j.For):
		return fmt.Errorf("--for: %s: expected accuracy, if the judge's grade is the probability that a row is right, or mean, of grades", quote.Value(string(j.For)))
	case j.Judge == "":
		return errors.New("--judge is required: the column of the judge's grades")
	case j.Bins < 1 || j.Bins > mostBins:
		return fmt.Errorf("--bins: %d: expected a number from 1 to %d", j.Bins, mostBins)
	}
	return j.checkOutput()
}

// mostBins is the largest number of bins.
const mostBins = 1000

// checkOutput checks that the output can be written, before anything is read.
func (j *job) checkOutput() error {
	path := strings.TrimPrefix(j.output, "file://")
	lower := strings.ToLower(path)
	switch {
	case path == "":
		return errors.New("--output is required: the file to write, such as -o to_label.csv")
	case !files.Local(j.output):
		return fmt.Errorf("--output: %s: expected a local file", quote.Value(j.output))
	case !strings.HasSuffix(lower, ".csv") && !strings.HasSuffix(lower, ".parquet"):
		return fmt.Errorf("--output: %s: expected a name that ends with .csv or .parquet", quote.Value(j.output))
	case missing(filepath.Dir(path)):
		return fmt.Errorf("--output: the directory of %s does not exist: create it, or choose another file", quote.Value(j.output))
	case !j.overwrite && !missing(path):
		return fmt.Errorf("--output: %s exists, and may have labels by now: choose another name, or --overwrite", quote.Value(j.output))
	}
	j.output = path
	return nil
}

// missing reports whether nothing has a path.
func missing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}
