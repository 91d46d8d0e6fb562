// Package monitor is the command that looks at the finished reports of many nights: whether a metric
// became worse, and since when.
//
//	beameval monitor reports --output monitored
//	beameval monitor 'gs://bucket/reports/dt=2026-*' --output gs://bucket/monitored --overwrite
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
any depth, or a glob of either. The exit code is 3 if there is an alarm.`,
		Example: `  beameval monitor reports --output monitored
  beameval monitor 'reports/dt=2026-11-*' --since 2026-11-19`,
		RunE: func(verb *cobra.Command, args []string) error {
			return j.run(verb.Context(), args, verb.OutOrStdout(), verb.ErrOrStderr())
		},
	}
	command.AddFlags(verb, "Flags", func(flags *pflag.FlagSet) {
		j.Add(flags, "monitor", "result", "of its keys, monitor counts")
		flags.StringVar(&j.options.Reference, "reference", "", "`directory` of the report that drift is measured from; without it, the first nights")
		flags.StringVar(&j.since, "since", "", "acknowledge the alarms up to this `date`, such as 2026-11-19: each metric is judged anew from the next night on")
		flags.BoolVar(&j.options.Strict, "strict", false, "fail if a report cannot be read, or does not belong to the others, instead of leaving it out")
	})
	return verb
}

// job is what the command line requests.
type job struct {
	command.Finished
	options analysis.Options
	since   string
}

func (j *job) run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	m, err := j.monitor(ctx, args)
	if err != nil {
		return err
	}
	err = j.Publish(ctx, &command.Result{
		Name: "monitor", JSON: m.WriteJSON, Summary: m.Print, Replaceable: monitor.Replaceable().If(j.Overwrite),
		Write: func(create func(string) (io.Writer, error)) error { return monitor.Write(m, create) },
	}, stdout, stderr)
	if err != nil {
		return err
	}
	if n := m.Alarms(); n > 0 {
		return command.Exit(command.GateFailed, errors.New(message(m)))
	}
	return nil
}

// mostNamed is the number of alarms that the message names.
const mostNamed = 3

// message says how many alarms there are, and where.
func message(m *monitor.Monitor) string {
	where := m.Alarmed()
	text := fmt.Sprintf("%d alarms: ", len(where))
	if len(where) == 1 {
		text = "an alarm: "
	}
	text += strings.Join(where[:min(len(where), mostNamed)], "; ")
	if more := len(where) - mostNamed; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}

// monitor checks the command line and looks at the reports.
func (j *job) monitor(ctx context.Context, args []string) (*monitor.Monitor, error) {
	if len(args) == 0 {
		return nil, errors.New("no reports: monitor REPORTS..., where each of REPORTS is a directory of reports or a glob")
	}
	if j.since != "" {
		var err error
		if j.options.Since, err = time.Parse(time.DateOnly, j.since); err != nil {
			return nil, fmt.Errorf("--since: %s is no date: expected one such as 2026-11-19", quote.Value(j.since))
		}
	}
	if err := j.CheckOutput(ctx, "monitor", monitor.Replaceable().If(j.Overwrite)...); err != nil {
		return nil, err
	}
	cfg, err := command.ParseConfig(ctx, &j.Finished, config.ParseMonitor)
	if err != nil {
		return nil, err
	}
	return finished.Monitor(ctx, args, cfg, j.options)
}
