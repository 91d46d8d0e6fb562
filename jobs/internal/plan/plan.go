// Package plan is the command that says how large a drop of a metric a finished report can show, and how many
// rows it takes to show a given one.
//
//	beameval plan reports/today
//	beameval plan reports/today --metric roc_auc --drop 0.01 --baseline reports/yesterday
//	beameval plan reports/dt=2026-11-28 --drop 0.01 --baseline 'reports/dt=*'
//
// It reads reports, not predictions, and writes nothing but its answer.
package plan

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/beameval/beameval/analysis/plan"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/jobs/internal/command"
	"github.com/beameval/beameval/jobs/internal/terminal"
	"github.com/beameval/beameval/metrics/power"
	"github.com/beameval/beameval/pipeline/finished"
)

// Command returns the command.
func Command() *cobra.Command {
	j := &job{}
	verb := &cobra.Command{
		Use:   "plan REPORT [--metric M] [--drop D] [flags]",
		Short: "what a report can show, and how many rows a drop takes",
		Long: `Says how large a drop of a metric a comparison with a finished report can show,
and how many rows it takes to show a given one. Where lower values are better,
a drop in quality is a rise of the metric. REPORT was evaluated with confidence.

Where a model judges all rows and people label few (input.columns.judged), it
also says how wide the interval is with other numbers of labels.`,
		Example: `  beameval plan reports/dt=2026-11-27
  beameval plan reports/dt=2026-11-27 --metric roc_auc --drop 0.01
  beameval plan runs/a --baseline runs/b --drop 0.01 --power 0.9
  beameval plan runs/judged --half_width 0.02 --label_cost 2 --judge_cost 0.01`,
		RunE: func(verb *cobra.Command, args []string) error {
			j.given = verb.Flags().Changed
			return j.run(verb.Context(), args, verb.OutOrStdout())
		},
	}
	command.AddFlags(verb, "Flags", func(flags *pflag.FlagSet) {
		flags.StringSliceVarP(&j.metrics, "metric", "m", nil, "comma-separated `names` of metrics (default: those that the report shows first)")
		flags.Float64Var(&j.drop, "drop", 0, "`size` of a change for the worse, such as 0.01: how many rows show it, and with which power these do")
		flags.Float64Var(&j.power, "power", power.Usual, "`probability` with which a drop is to be shown")
		flags.Float64Var(&j.level, "level", 0, "confidence `level`, 1 - alpha (default: the report's)")
		flags.StringArrayVar(&j.baseline, "baseline", nil, "the `report` to compare with, a directory of reports or a quoted pattern, whose newest earlier one it is; from five on, also how many nights a monitor takes (default: an independent report of equal size)")
		flags.StringSliceVar(&j.slice, "slice", nil, "only slices by this `column`, or by these comma-separated ones (default: all slices)")
		flags.Float64Var(&j.halfWidth, "half_width", 0, "half the `width` that the interval of a prediction-powered mean is to have, such as 0.02: how many labels that takes")
		flags.Float64Var(&j.labelCost, "label_cost", 0, "`cost` of a label, in any unit: which share of the rows to label; with --judge_cost")
		flags.Float64Var(&j.judgeCost, "judge_cost", 0, "`cost` of a judgement, in the same unit")
		flags.BoolVar(&j.json, "json", false, "print the plan as JSON")
	})
	return verb
}

// job is what the command line requests.
type job struct {
	metrics, baseline, slice []string
	drop, power, level       float64
	halfWidth                float64
	labelCost, judgeCost     float64
	json                     bool
	given                    func(flag string) bool
}

func (j *job) run(ctx context.Context, args []string, stdout io.Writer) error {
	o, err := j.options(args)
	if err != nil {
		return err
	}
	made, err := finished.Plan(ctx, args[0], j.baseline, o)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if j.json {
		err = made.WriteJSON(&text)
	} else {
		err = made.Print(&text, terminal.Screen(stdout))
	}
	if err != nil {
		return command.Exit(command.Failed, err)
	}
	return command.Print(text.Bytes(), stdout)
}

// options checks the command line.
func (j *job) options(args []string) (o plan.Options, err error) {
	o = plan.Options{Metrics: j.metrics, Slice: j.slice, Drop: math.NaN(), Power: j.power, Level: j.level, HalfWidth: j.halfWidth, LabelCost: j.labelCost, JudgeCost: j.judgeCost}
	dropped := j.given("drop")
	if dropped {
		o.Drop = j.drop
	}
	switch {
	case len(args) != 1:
		return o, fmt.Errorf("expected one report, found %s: plan REPORT, where REPORT is the directory of a report; --baseline names another",
			cmp.Or(quote.Line(strings.Join(args, ", ")), "none"))
	case dropped && !(j.drop > 0 && j.drop <= math.MaxFloat64):
		return o, fmt.Errorf("--drop: %v: expected a size above 0, such as 0.01, also where lower values are better: no difference takes infinitely many rows", j.drop)
	case !(j.level >= 0 && j.level < 1):
		return o, fmt.Errorf("--level: %v: expected a number between 0 and 1, such as 0.95", j.level)
	case !(j.power > 0 && j.power < 1):
		return o, fmt.Errorf("--power: %v: expected a number between 0 and 1, such as %v", j.power, power.Usual)
	}
	return o, j.checkLabels()
}

// checkLabels checks what is asked about labels.
func (j *job) checkLabels() error {
	for _, of := range []struct {
		flag, other string
		x           float64
	}{{"half_width", "half_width", j.halfWidth}, {"label_cost", "judge_cost", j.labelCost}, {"judge_cost", "label_cost", j.judgeCost}} {
		switch given := j.given(of.flag); {
		case given && !(of.x > 0 && of.x <= math.MaxFloat64):
			return fmt.Errorf("--%s: %v: expected a number above 0", of.flag, of.x)
		case given && !j.given(of.other):
			return fmt.Errorf("--%s: the cheapest share of labels follows from two costs: give --%s, too", of.flag, of.other)
		}
	}
	return nil
}
