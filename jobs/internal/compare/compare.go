// Package compare is the command that compares the metrics of two finished reports: which metrics
// changed significantly from A to B.
//
//	beameval compare reports/dt=2026-11-21 reports/dt=2026-11-22 --output compared
//	beameval compare old new --output compared --config gates.yaml --adjust holm
//
// It does not read predictions: reports that were evaluated with confidence contain what is needed
// to test differences. The comparison appears in the output directory, local, gs://, s3:// or
// az://, completely or not at all.
package compare

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/jobs/internal/command"
	"github.com/beameval/beameval/jobs/internal/terminal"
	"github.com/beameval/beameval/pipeline"
	"github.com/beameval/beameval/pipeline/config"
)

// Command returns the command.
func Command() *cobra.Command {
	c := &job{adjust: comparison.BenjaminiHochberg}
	verb := &cobra.Command{
		Use:   "compare A B --output DIR [flags]",
		Short: "compare two finished reports: what became better or worse",
		Long: `Compares the metrics of two finished reports: what became better or worse from
A to B, and how sure that is. A and B are directories of reports; differences
are B - A.`,
		RunE: func(verb *cobra.Command, args []string) error {
			return c.run(verb.Context(), args, verb.OutOrStdout(), verb.ErrOrStderr())
		},
	}
	command.AddFlags(verb, "Flags", func(flags *pflag.FlagSet) {
		flags.StringVarP(&c.output, "output", "o", "", "`directory` for the comparison, local, gs://…, s3://… or az://…; must be empty or not exist (required)")
		flags.BoolVar(&c.overwrite, "overwrite", false, "replace a finished comparison in the output, when the new one is complete")
		flags.StringVarP(&c.config, "config", "c", "", "configuration `file` (YAML); of its keys, gates counts")
		flags.StringVar((*string)(&c.adjust), "adjust", string(c.adjust), "`how` p-values are adjusted over the slices of a metric: bh (Benjamini-Hochberg), holm or none")
	})
	return verb
}

// job is what the command line requests.
type job struct {
	a, b, output, config string
	adjust               comparison.Adjustment
	overwrite            bool
}

func (c *job) run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	err := c.check(args)
	var compared *comparison.Comparison
	if err == nil {
		compared, err = c.compare(ctx)
	}
	if err != nil {
		return err
	}
	err = files.Publish(ctx, c.output, func(create func(string) (io.Writer, error)) error {
		return comparison.Write(compared, create)
	}, comparison.Replaceable().If(c.overwrite)...)
	if err != nil {
		return command.Fail(ctx, err)
	}
	var text strings.Builder
	if err := comparison.Summary(compared, &text, terminal.Screen(stdout)); err != nil {
		return command.Exit(command.Failed, err)
	}
	fmt.Fprintln(&text, "\ncomparison:", quote.Line(c.output))
	command.Summarize("comparison", text.String(), stdout, stderr)
	if n := compared.Failed(); n > 0 {
		return command.Exit(command.GateFailed, fmt.Errorf("a gate failed: %d of %d, see the comparison", n, len(compared.Gates)))
	}
	return nil
}

// compare reads the reports and compares them.
func (c *job) compare(ctx context.Context) (*comparison.Comparison, error) {
	if err := pipeline.CheckOutput(ctx, c.output, "comparison", comparison.Replaceable().If(c.overwrite)...); err != nil {
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

// check validates the command line.
func (c *job) check(args []string) error {
	switch {
	case len(args) != 2:
		return fmt.Errorf("expected two reports, found %d: compare A B --output DIR, where A and B are directories of reports", len(args))
	case c.output == "":
		return errors.New("no output: set --output to a directory for the comparison")
	case !slices.Contains(comparison.Adjustments(), c.adjust):
		return fmt.Errorf("--adjust: unknown %s: expected bh, holm or none", quote.Value(string(c.adjust)))
	}
	c.a, c.b = args[0], args[1]
	return nil
}
