// Command generate writes synthetic predictions, for benchmarks and trials:
//
//	go run ./jobs/generate --output preds --task multilabel --rows 1M --slices country:5
//
// The data depend only on the flags; package synthetic describes them. They appear in the
// output directory, local, gs:// or s3://, complete or not at all. The command says on standard error
// what it wrote, and prints a command that evaluates the data on standard output.
//
// Exit codes: 0, the data are written; 1, the run failed; 2, the usage is wrong, and nothing
// was written.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/synthetic"
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
	output, spec, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return written
	}
	if err == nil {
		spec, err = spec.Complete()
		if wrong := (*synthetic.OptionError)(nil); errors.As(err, &wrong) {
			err = fmt.Errorf("--%w", err)
		}
	}
	if err == nil {
		err = files.CheckOutput(ctx, output)
	}
	if err != nil {
		fmt.Fprintln(stderr, "generate:", err)
		return badUsage
	}

	start := time.Now()
	var summary synthetic.Summary
	err = files.Publish(ctx, output, func(create func(string) (io.Writer, error)) (err error) {
		summary, err = synthetic.Write(ctx, spec, create)
		return err
	})
	if err != nil {
		fmt.Fprintln(stderr, "generate:", err)
		return failed
	}
	seconds := time.Since(start).Seconds()
	fmt.Fprintf(stderr, "%s: %d files, %d rows, %.1f MB in %.1f s, %.0f rows/s\n",
		output, summary.Files, summary.Rows, float64(summary.Bytes)/1e6, seconds, float64(summary.Rows)/seconds)
	fmt.Fprintln(stdout, evaluateCommand(output))
	return written
}

func parse(args []string, stderr io.Writer) (output string, spec synthetic.Spec, err error) {
	fs := flag.NewFlagSet("generate", flag.ContinueOnError)
	fs.SetOutput(io.Discard) // errors are printed by run
	spec.Rows, spec.Files = 1_000_000, 4

	fs.StringVar(&output, "output", "", "`directory` to write, local, gs://… or s3://…; must be empty or not exist (required)")
	fs.StringVar(&spec.Task, "task", synthetic.Binary, "binary, multiclass, multilabel, ranking or regression")
	fs.StringVar(&spec.Layout, "layout", "", "example: a row for each example or query; label: a row for each label or item, for multilabel and ranking (default example; for ranking, label)")
	fs.Func("rows", "`count` of rows in the files, whatever the layout, such as 10000000, 10M, 1e6, 50k (default 1M)", count(&spec.Rows))
	fs.Func("labels", "`count` of labels or classes (default 20 for multilabel, 10 for multiclass)", count(&spec.Labels))
	fs.Func("items", "`count` of items of a query, for ranking (default 100)", count(&spec.Items))
	fs.StringVar(&spec.LabelEncoding, "label_encoding", "", "indices, names or indicator, for multilabel (default indices; with layout label, names)")
	fs.StringVar(&spec.ScoreType, "score_type", "", "probability or logit (default probability); not for ranking")
	fs.IntVar(&spec.Float, "float", 64, "`bits` of a score, 32 or 64")
	fs.Func("files", "`count` of files (default 4)", count(&spec.Files))
	fs.Func("row_group_size", "`count` of rows in a row group (default 500k, fewer where rows have many scores)", count(&spec.RowGroupSize))
	fs.StringVar(&spec.Codec, "codec", "snappy", "snappy, zstd, gzip or none")
	fs.Uint64Var(&spec.Seed, "seed", 1, "`seed` of the data")
	fs.BoolVar(&spec.Weights, "weights", false, "add a column of weights")
	fs.BoolVar(&spec.Predictions, "predictions", false, "add a column of hard predictions")
	fs.BoolVar(&spec.Shuffle, "shuffle", false, "put rows in random order, over all files")
	fs.Func("slices", "`columns` to slice by and how many values they have, such as country:5,device:3", func(text string) (err error) {
		spec.Slices, err = synthetic.ParseSlices(text)
		return err
	})

	err = fs.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fs.SetOutput(stderr)
		fmt.Fprintln(stderr, "generate writes synthetic predictions. Flags:")
		fs.PrintDefaults()
	case err != nil:
		err = withNearest(err, fs)
	case fs.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q; all options are flags, see --help", fs.Arg(0))
	case output == "":
		err = errors.New("--output is required: the directory to write")
	}
	return output, spec, err
}

// count returns a parser for a flag that is a count of at least one. In a Spec, zero means the
// default.
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

// withNearest adds the flag that was probably meant to the error for an unknown flag.
func withNearest(err error, fs *flag.FlagSet) error {
	name, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !ok {
		return err
	}
	var names []string
	fs.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	return fmt.Errorf("unknown flag --%s; did you mean --%s? --help lists all", name, quote.Nearest(name, names))
}

// evaluateCommand returns a command that evaluates the data, for the root of the repository.
func evaluateCommand(output string) string {
	report := strings.TrimRight(output, "/") + "-report"
	return fmt.Sprintf("go run ./jobs/evaluate --config %s --input %s --output %s",
		shellWord(files.Join(output, synthetic.ConfigFile)), shellWord(output), shellWord(report))
}

// shellWord quotes a word if the shell would not take it literally.
func shellWord(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-:=+@%", r)
	}
	if word != "" && strings.TrimLeftFunc(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
