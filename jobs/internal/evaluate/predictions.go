package evaluate

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/jobs/internal/command"
	"github.com/beameval/beameval/pipeline"
	"github.com/beameval/beameval/pipeline/config"
)

// Predictions evaluates predictions for a command that goes on with their reports. They are evaluated
// in this process, one after the other, all with the same configuration.
type Predictions struct {
	flags
	names []string // of the flags
}

// Add adds the flags that say how predictions are evaluated.
func (p *Predictions) Add(verb *cobra.Command) {
	command.AddFlags(verb, "Flags for predictions", func(set *pflag.FlagSet) {
		p.addKeys(set)
		set.BoolVar(&p.quiet, "quiet", false, "print no notes and no progress")
		set.VisitAll(func(f *pflag.Flag) { p.names = append(p.names, f.Name) })
	})
}

// Given returns the flag for predictions that was given, or "".
func (p *Predictions) Given(given func(flag string) bool) string {
	if i := slices.IndexFunc(p.names, given); i >= 0 {
		return p.names[i]
	}
	return ""
}

// Configuration returns the configuration that a file, "" for none, and the flags make: with
// intervals, which tests of differences need.
func (p *Predictions) Configuration(ctx context.Context, file string) (*config.Config, error) {
	p.config = file
	cfg, err := p.configuration(ctx)
	if err == nil && cfg.Confidence == nil {
		if err = cfg.Set("confidence={}"); err == nil {
			err = cfg.Validate()
		}
	}
	return cfg, err
}

// planExplained plans a report that has statistics, if there can be, by which a comparison explains differences between slices.
func planExplained(ctx context.Context, cfg *config.Config) (*pipeline.Plan, error) {
	if cfg.Output.Statistics == nil && len(cfg.Slices) > 0 {
		with := *cfg
		if err := with.Set("output.statistics=true"); err != nil {
			return nil, err
		}
		if plan, err := makePlan(ctx, &with); err == nil {
			return plan, nil
		}
	}
	return makePlan(ctx, cfg)
}

// Evaluate evaluates predictions (files, directories and globs, separated by commas) into a directory,
// which it creates. Gates and the baseline of the configuration, its input and output do not count.
func (p *Predictions) Evaluate(ctx context.Context, cfg config.Config, predictions, dir string, stderr io.Writer) error {
	BecomeRun()
	cfg.Input.Files, cfg.Gates, cfg.Baseline, cfg.BaselineWindow = strings.Split(predictions, ","), nil, nil, config.Default().BaselineWindow
	cfg.Output.Dir, cfg.Output.Temporary, cfg.Output.Formats = dir, true, []string{"json", "parquet"}
	at, err := p.findPlace(ctx, stderr)
	if err != nil {
		return err
	}
	defer at.close()
	stop := p.showWork(stderr, planning)
	plan, err := planExplained(ctx, &cfg)
	stop()
	if err != nil {
		return ofPlanning(ctx, err)
	}
	if !p.quiet {
		fmt.Fprintln(stderr, "evaluating", quote.Line(predictions))
	}
	p.sayNotes(plan, new(aside), stderr)
	_, err = makeReport(ctx, at, plan, time.Now(), io.Discard, stderr)
	return OfRun(err)
}
