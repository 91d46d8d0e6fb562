// Package generate is the command that writes synthetic predictions for benchmarks and trials:
//
//	beameval generate --output preds --task multilabel --rows 1M --slices country:5
//
// The data depend only on the flags; package synthetic describes them. They appear in the output
// directory, local, gs://, s3:// or az://, completely or not at all. The command reports on
// standard error what it wrote, and prints a command that evaluates the data on standard output.
package generate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/beameval/beameval/internal/testing/synthetic"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/jobs/internal/command"
)

// Command returns the command.
func Command() *cobra.Command {
	var output string
	spec := synthetic.Spec{Rows: 1_000_000, Files: 4}
	verb := &cobra.Command{
		Use:   "generate --output DIR [flags]",
		Short: "write synthetic predictions, for benchmarks and trials",
		Long: `Writes synthetic predictions, for benchmarks and trials. The data depend
only on the flags. Prints a command that evaluates them.`,
		Example: `  beameval generate --rows 100k --slices country:5,shop:300 --output data
  beameval generate --task ranking --rows 100k --ids uuid --output queries`,
		RunE: func(verb *cobra.Command, args []string) error {
			switch {
			case len(args) > 0:
				return fmt.Errorf("unexpected argument %q; all options are flags, see --help", args[0])
			case output == "":
				return errors.New("--output is required: the directory to write")
			}
			if err := run(verb.Context(), output, spec, verb.ErrOrStderr()); err != nil {
				return err
			}
			fmt.Fprintln(verb.OutOrStdout(), evaluateCommand(program(verb), output, spec.Truth))
			return nil
		},
	}
	command.AddFlags(verb, "Flags", func(flags *pflag.FlagSet) { define(flags, &output, &spec) })
	return verb
}

func run(ctx context.Context, output string, spec synthetic.Spec, stderr io.Writer) error {
	spec, err := spec.Complete()
	if err != nil {
		return fmt.Errorf("--%w", err)
	}
	if err := files.CheckOutput(ctx, output); err != nil {
		return err
	}
	start := time.Now()
	var summary synthetic.Summary
	err = files.Publish(ctx, output, func(create func(string) (io.Writer, error)) (err error) {
		summary, err = synthetic.Write(ctx, spec, create)
		return err
	})
	if err != nil {
		return command.Fail(ctx, err)
	}
	seconds := time.Since(start).Seconds()
	fmt.Fprintf(stderr, "%s: %d files, %d rows, %.1f MB in %.1f s, %.0f rows/s\n",
		output, summary.Files, summary.Rows, float64(summary.Bytes)/1e6, seconds, float64(summary.Rows)/seconds)
	return nil
}

func define(flags *pflag.FlagSet, output *string, spec *synthetic.Spec) {
	flags.StringVarP(output, "output", "o", "", "`directory` to write, local, gs://…, s3://… or az://…; must be empty or not exist (required)")
	flags.StringVar(&spec.Task, "task", synthetic.Binary, "`task`: binary, multiclass, multilabel, ranking, regression, preference, grade or agreement")
	flags.StringVar(&spec.Layout, "layout", "", "`layout` example: a row for each example or query; label: a row for each label or item, for multilabel and ranking (default example; for ranking, label)")
	flags.Func("rows", "`count` of rows in the files, whatever the layout, such as 10000000, 10M, 1e6, 50k (default 1M)", count(&spec.Rows))
	flags.Func("labels", "`count` of labels, classes, systems or raters (default 20 for multilabel and preference, 10 for multiclass, 5 for agreement)", count(&spec.Labels))
	flags.Func("items", "`count` of items of a query, for ranking (default 100)", count(&spec.Items))
	flags.Func("attempts", "`count` of attempts at an example, for grade (default 4)", count(&spec.Attempts))
	flags.StringVar(&spec.IDs, "ids", synthetic.Integer, "`type` of the ids of examples, queries and items: integer, uuid or name, such as example_17")
	flags.StringVar(&spec.LabelEncoding, "label_encoding", "", "`encoding` indices, names or indicator, for multilabel (default indices; with layout label, names)")
	flags.StringVar(&spec.ScoreType, "score_type", "", "`type` probability or logit (default probability); for binary, multiclass and multilabel")
	flags.IntVar(&spec.Float, "float", 64, "`bits` of a score, 32 or 64")
	flags.Func("files", "`count` of files (default 4)", count(&spec.Files))
	flags.Func("row_group_size", "`count` of rows in a row group (default 500k, fewer where rows have many scores)", count(&spec.RowGroupSize))
	flags.StringVar(&spec.Codec, "codec", "snappy", "`codec`: snappy, zstd, gzip or none")
	flags.Uint64Var(&spec.Seed, "seed", 1, "`seed` of the data")
	flags.BoolVar(&spec.Weights, "weights", false, "add a column of weights")
	flags.BoolVar(&spec.Predictions, "predictions", false, "add a column of hard predictions")
	flags.Float64Var(&spec.Unlabelled, "unlabelled", 0, "`share` of examples without a label, for binary and multiclass")
	flags.BoolVar(&spec.Shuffle, "shuffle", false, "put rows in random order, over all files")
	flags.BoolVar(&spec.Truth, "truth", false, "write the labels to files of their own, _truth-*.parquet, in another order")
	flags.Func("slices", "`columns` to slice by and how many values they have, such as country:5,device:3", func(text string) (err error) {
		spec.Slices, err = synthetic.ParseSlices(text)
		return err
	})
	flags.Func("broken", "`slice` whose scores tell nothing in a share of its rows, such as country=country_2:0.3, for binary", func(text string) (err error) {
		spec.Broken, err = synthetic.ParseBroken(text)
		return err
	})
}

// count returns a parser for a flag whose value is a count of at least one. In a Spec, zero means
// the default.
func count[T int | int64](target *T) func(string) error {
	return func(text string) error {
		n, err := synthetic.ParseCount(text)
		if err == nil && n == 0 {
			err = errors.New("must be at least 1")
		}
		*target = T(n)
		return err
	}
}

// program returns the command line that starts evaluate.
func program(verb *cobra.Command) string {
	if verb.HasParent() {
		return shellWord(os.Args[0]) + " evaluate"
	}
	return "go run ./jobs/evaluate" // in the root of the repository
}

// evaluateCommand returns a command line that evaluates the data, with intervals.
func evaluateCommand(program, output string, truth bool) string {
	report := strings.TrimRight(output, "/") + "-report"
	line := fmt.Sprintf("%s --config %s --input %s --set %s --output %s",
		program, shellWord(files.Join(output, synthetic.ConfigFile)), shellWord(output), shellWord("confidence={}"), shellWord(report))
	if truth {
		line += " --set " + shellWord("truth.files="+files.Join(output, synthetic.TruthFiles))
	}
	return line
}

// shellWord quotes a word unless the shell would take it literally.
func shellWord(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-:=+@%", r)
	}
	if word != "" && strings.TrimLeftFunc(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
