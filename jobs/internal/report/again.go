package report

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/beameval/beameval/analysis/reports"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/jobs/internal/merge"
	"github.com/beameval/beameval/pipeline"
	"github.com/beameval/beameval/pipeline/config"
)

// again is what the command line requests of the statistics of a report.
type again struct {
	merge.Writing
	output       string
	metrics, set []string
}

func (a *again) add(flags *pflag.FlagSet) {
	flags.StringSliceVar(&a.metrics, "metrics", nil, "comma-separated `metrics`; beameval metrics lists them")
	flags.StringArrayVar(&a.set, "set", nil, "set a key of the configuration: `KEY=VALUE`, such as zero_division=nan; VALUE is YAML; for each further key the flag is given again")
	a.Writing.Add(flags)
}

// asked reports whether statistics are evaluated again.
func (a *again) asked() bool { return a.metrics != nil || a.set != nil }

// any reports whether a flag is given that is only for that.
func (a *again) any() bool { return a.Writing != merge.Writing{} }

func (a *again) run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	started := time.Now()
	switch {
	case len(args) != 1:
		return fmt.Errorf("expected one directory with a finished report, found %d: report DIR --output NEW --metrics …", len(args))
	case a.output == "":
		return errors.New("no output: set --output to the directory of the new report")
	case reports.Same(args[0], a.output):
		return fmt.Errorf("--output: %s is the report whose statistics are evaluated: choose another directory", quote.Line(a.output))
	}
	var keys []string
	for _, assignment := range a.set {
		key, _, _ := strings.Cut(assignment, "=")
		keys = append(keys, key)
	}
	p, err := pipeline.Again(ctx, args[0], keys, a.apply)
	if err != nil {
		return err
	}
	return a.Write(ctx, p, args, a.output, started, stdout, stderr)
}

// apply sets the keys of a configuration.
func (a *again) apply(cfg *config.Config) error {
	for _, assignment := range a.set {
		if err := cfg.Set(assignment); err != nil {
			return err
		}
	}
	if a.metrics == nil {
		return nil
	}
	value, err := json.Marshal(a.metrics) // JSON is valid YAML
	if err != nil {
		return err
	}
	return cfg.SetBy("--metrics", "metrics", string(value))
}
