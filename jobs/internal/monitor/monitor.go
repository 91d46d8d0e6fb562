// Package monitor is the command that looks at the finished reports of many nights: whether a metric
// became worse, and since when.
//
//	beameval monitor reports --output monitored
//	beameval monitor 'gs://bucket/reports/dt=2026-*' --output gs://bucket/monitored --overwrite
//	beameval monitor 'reports/model=*' --each model --output models
//
// It does not read predictions. The output appears in its directory, local, gs://, s3:// or az://,
// completely or not at all.
package monitor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	analysis "github.com/beameval/beameval/analysis/monitor"
	"github.com/beameval/beameval/io/monitor"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/jobs/internal/command"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/pipeline/finished"
)

// Command returns the command.
func Command() *cobra.Command {
	j := &job{}
	verb := &cobra.Command{
		Use:   "monitor REPORTS... [--output DIR] [flags]",
		Short: "look at many nightly reports: what became worse, and since when",
		Long: `Looks at the finished reports of many nights: what became worse, and since when.
Each of REPORTS is the directory of a report, a directory that holds reports at
any depth, or a glob of either. The exit code is 3 if there is an alarm.

All reports are nights of one model. With --each, reports of several models are
monitored side by side: those of reports/model=a/dt=2026-11-19 by --each model.`,
		Example: `  beameval monitor reports --output monitored
  beameval monitor 'reports/dt=2026-11-*' --since 2026-11-19
  beameval monitor 'reports/model=*' --each model --output models`,
		RunE: func(verb *cobra.Command, args []string) error {
			j.apart = verb.Flags().Changed("each")
			return j.run(verb.Context(), args, verb.OutOrStdout(), verb.ErrOrStderr())
		},
	}
	command.AddFlags(verb, "Flags", func(flags *pflag.FlagSet) {
		j.Add(flags, "monitor", "result", "of its keys, monitor counts")
		flags.StringVar(&j.each, "each", "", "monitor the reports of each value of a `key` in their paths alone, such as model of model=a, and write an index of all")
		flags.StringVar(&j.options.Reference, "reference", "", "`directory` of the report that drift is measured from; without it, the first nights")
		flags.StringVar(&j.since, "since", "", "acknowledge the alarms up to this `date`, such as 2026-11-19: each metric is judged anew from the next night on")
		flags.IntVar(&j.every, "every", 1, "look at the reports of so many `days` together, merged from their statistics (output.statistics), such as 7 for weeks")
		flags.BoolVar(&j.options.Strict, "strict", false, "fail if a report cannot be read, or does not belong to the others, instead of leaving it out")
	})
	return verb
}

// job is what the command line requests.
type job struct {
	command.Finished
	options analysis.Options
	apart   bool // the reports of each value of a key
	each    string
	since   string
	every   int
}

func (j *job) run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if err := j.check(ctx, args); err != nil {
		return err
	}
	cfg, err := command.ParseConfig(ctx, j.Config, config.ParseMonitor)
	if err != nil {
		return err
	}
	result, alarms, err := j.monitor(ctx, args, cfg)
	if err != nil {
		return err
	}
	result.Name, result.Replaceable = "monitor", monitor.Replaceable()
	if err := j.Publish(ctx, result, stdout, stderr); err != nil {
		return err
	}
	if alarms != "" {
		return command.Exit(command.GateFailed, errors.New(alarms))
	}
	return nil
}

// monitor looks at the reports. It also returns a message about alarms, or "".
func (j *job) monitor(ctx context.Context, args []string, cfg *config.Config) (*command.Result, string, error) {
	if !j.apart {
		read := finished.Monitor
		if j.every != 1 {
			read = j.monitorPeriods
		}
		m, err := read(ctx, args, cfg, j.options)
		if err != nil {
			return nil, "", err
		}
		write := func(create func(string) (io.Writer, error)) error { return monitor.Write(m, create) }
		return &command.Result{JSON: m.WriteJSON, Summary: m.Print, Write: write}, message(m.Alarms(), m.Alarmed()), nil
	}
	e, err := finished.MonitorEach(ctx, args, j.each, cfg, j.options)
	if err != nil {
		return nil, "", err
	}
	write := func(create func(string) (io.Writer, error)) error { return monitor.WriteEach(e, create) }
	return &command.Result{JSON: e.WriteJSON, Summary: e.Print, Write: write}, message(e.Alarms(), e.Alarmed()), nil
}

// mostNamed is the number of alarms that the message names.
const mostNamed = 3

// message says how many alarms there are, and where the first are.
func message(n int, where []string) string {
	text := fmt.Sprintf("%d alarms: ", n)
	switch n {
	case 0:
		return ""
	case 1:
		text = "an alarm: "
	}
	text += strings.Join(where[:min(len(where), mostNamed)], "; ")
	if more := n - mostNamed; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}

// check checks the command line and the output.
func (j *job) check(ctx context.Context, args []string) error {
	switch {
	case len(args) == 0:
		return errors.New("no reports: monitor REPORTS..., where each of REPORTS is a directory of reports or a glob")
	case j.apart && (j.each == "" || strings.ContainsAny(j.each, "=/")):
		return fmt.Errorf("--each: %s is no key of a path: expected one such as model, of reports/model=a/dt=2026-11-19", quote.Value(j.each))
	}
	if j.apart && j.every != 1 {
		return errors.New("--every and --each do not go together: name the reports of one model")
	}
	if j.since != "" {
		var err error
		if j.options.Since, err = time.Parse(time.DateOnly, j.since); err != nil {
			return fmt.Errorf("--since: %s is no date: expected one such as 2026-11-19", quote.Value(j.since))
		}
	}
	return j.CheckOutput(ctx, "monitor", monitor.Replaceable())
}
