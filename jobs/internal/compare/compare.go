// Package compare is the command that compares the metrics of two finished reports: which metrics
// changed significantly from A to B. Three or more reports belong to as many systems, which it
// ranks. Predictions in place of a report are evaluated first.
//
//	beameval compare lr.parquet gb.parquet --label y --slice country
//	beameval compare reports/dt=2026-11-21 reports/dt=2026-11-22 --output compared
//	beameval compare old new --output compared --config gates.yaml --adjust holm
//	beameval compare 'runs/*' --output compared --reference bm25
//	beameval compare 'runs/*/*' --output compared --by-dataset
//
// Reports that were evaluated with confidence contain what is needed to test differences. The comparison appears in the output directory, local, gs://, s3:// or
// az://, completely or not at all.
package compare

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	analysis "github.com/beameval/beameval/analysis/comparison"
	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/jobs/internal/command"
	"github.com/beameval/beameval/jobs/internal/evaluate"
	"github.com/beameval/beameval/pipeline/finished"
)

// Command returns the command.
func Command() *cobra.Command {
	c := &job{options: analysis.Options{Adjust: comparison.BenjaminiHochberg}, over: systemsOnly}
	verb := &cobra.Command{
		Use:   "compare A B [C …] [--output DIR] [flags]",
		Short: "compare reports or predictions: what changed, which system is best",
		Long: `Compares the metrics of two finished reports: what became better or worse from
A to B, and how sure that is. A and B are directories of reports; differences
are B - A. More reports, up to 50, are those of several systems: they are
compared with a reference, and ranked. A directory that holds reports, or a
pattern such as 'runs/*', stands for all of them.

A, B, … may also be predictions: a file, or a directory or quoted pattern of the
files of one system. All are evaluated with the same configuration, which has
intervals, before they are compared; their reports are not kept.`,
		Example: `  beameval compare reports/dt=2026-11-27 reports/dt=2026-11-28 -o compared
  beameval compare lr.parquet gb.parquet --slice country
  beameval compare 'runs/*' --reference bm25 --output ranked`,
		RunE: func(verb *cobra.Command, args []string) error {
			c.given = verb.Flags().Changed
			return c.run(verb.Context(), args, verb.OutOrStdout(), verb.ErrOrStderr())
		},
	}
	command.AddFlags(verb, "Flags", func(flags *pflag.FlagSet) {
		c.Add(flags, "comparison", "comparison", "of its keys, gates counts; predictions are evaluated with all others")
		flags.StringVar((*string)(&c.options.Adjust), "adjust", string(c.options.Adjust), "`how` p-values are adjusted over the slices of a metric: bh (Benjamini-Hochberg), holm or none; over systems also maxt")
	})
	command.AddFlags(verb, "Flags for three or more reports", func(flags *pflag.FlagSet) {
		flags.StringVar(&c.options.Reference, "reference", "", "`system` to compare the others with, its name or directory (default: the first)")
		flags.BoolVar(&c.options.AllPairs, "all-pairs", false, "compare every system with every other, not only with the reference")
		flags.StringVar(&c.over, "adjust-over", c.over, "`what` p-values are adjusted over besides slices: systems, or systems,metrics for the headline metrics as well")
		flags.BoolVar(&c.byDataSet, "by-dataset", false, "reports are of several data sets: compare the systems on each, and their ranks over all")
	})
	c.predictions.Add(verb)
	return verb
}

// job is what the command line requests.
type job struct {
	command.Finished
	predictions evaluate.Predictions
	options     analysis.Options
	over        string // the value of --adjust-over
	byDataSet   bool
	given       func(flag string) bool
}

// The values of --adjust-over.
const (
	systemsOnly       = "systems"
	systemsAndMetrics = "systems,metrics"
)

func (c *job) run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if err := c.check(args); err != nil {
		return err
	}
	if err := c.CheckOutput(ctx, "comparison", comparison.Replaceable()); err != nil {
		return err
	}
	sources, gates, remove, err := c.find(ctx, args, stderr)
	defer remove()
	if err != nil {
		return err
	}
	var r comparison.Result
	if len(sources) == 2 {
		r, err = finished.Compare(ctx, sources[0], sources[1], c.options.Adjust, gates)
	} else {
		c.options.OverMetrics = c.over == systemsAndMetrics
		r, err = finished.Rank(ctx, sources, c.options, c.byDataSet, gates)
	}
	if err != nil {
		return err
	}
	err = c.Publish(ctx, &command.Result{
		Name: "comparison", Replaceable: comparison.Replaceable(), JSON: r.WriteJSON,
		Write:   func(create func(string) (io.Writer, error)) error { return comparison.Write(r, create) },
		Summary: func(w io.Writer, on document.Screen) error { return comparison.Summary(r, w, on) },
	}, stdout, stderr)
	if err != nil {
		return err
	}
	judged := r.GateResults()
	if n := report.CountVerdicts(judged)[report.Fail]; n > 0 {
		return command.Exit(command.GateFailed, fmt.Errorf("a gate failed: %d of %d, see the comparison", n, len(judged)))
	}
	return nil
}

// checkTwo returns an error if a flag is not for two reports.
func (c *job) checkTwo() error {
	for _, flag := range []string{"reference", "all-pairs", "adjust-over", "by-dataset"} {
		if c.given(flag) {
			return fmt.Errorf("--%s is for three or more reports: of two, the first is compared with the second", flag)
		}
	}
	if c.options.Adjust == comparison.MaxT {
		return fmt.Errorf("--adjust: maxt is for three or more reports: expected bh, holm or none")
	}
	return nil
}

// check validates the command line.
func (c *job) check(args []string) error {
	switch {
	case len(args) == 0:
		return errors.New("expected two or more reports, found none: compare A B, where A and B are directories of reports")
	case slices.Contains(args, "-"):
		return errors.New("standard input (-) cannot be compared: write it to a file")
	case !slices.Contains(comparison.LeaderboardAdjustments(), c.options.Adjust):
		return fmt.Errorf("--adjust: unknown %s: expected bh, holm, maxt or none", quote.Value(string(c.options.Adjust)))
	case c.over != systemsOnly && c.over != systemsAndMetrics:
		return fmt.Errorf("--adjust-over: unknown %s: expected %s or %s", quote.Value(c.over), systemsOnly, systemsAndMetrics)
	}
	return nil
}
