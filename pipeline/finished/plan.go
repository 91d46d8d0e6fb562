package finished

import (
	"context"
	"fmt"

	"github.com/beameval/beameval/analysis/plan"
	"github.com/beameval/beameval/analysis/reports"
	plans "github.com/beameval/beameval/io/plan"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/pipeline/internal/computed"
)

// mostNights is the largest number of earlier reports from which the variance between nights is estimated.
const mostNights = 365

// Plan says what the finished report in a directory can show in comparison with a baseline, which patterns
// stand for: the newest of the earlier reports, if there are several. Without patterns, it is an independent
// report of equal size.
func Plan(ctx context.Context, dir string, baseline []string, o plan.Options) (*plans.Plan, error) {
	r, err := reports.Read(ctx, dir)
	if err != nil {
		return nil, err
	}
	p, others, err := computedIn(r)
	if err != nil {
		return nil, err
	}
	known := computed.In(p, others)
	for i, name := range o.Metrics {
		if o.Metrics[i], err = known.Metric(name); err != nil {
			return nil, fmt.Errorf("--metric: %w", err)
		}
	}
	defaults := config.Default()
	o.NightsToFalseAlarm, o.BurnIn = defaults.Monitor.NightsToFalseAlarm, defaults.Monitor.BurnIn
	dirs, left, err := earlier(ctx, r, dir, baseline)
	if err != nil {
		return nil, err
	}
	read, err := reports.ReadAll(ctx, dirs[:min(len(dirs), 1)])
	if err != nil {
		return nil, err
	}
	var before *report.Report
	if len(read) > 0 {
		before = read[0]
	}
	nights, err := valuesOf(ctx, dirs)
	if err != nil {
		return nil, err
	}
	made, err := plan.Make(r, before, nights, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	made.Report = dir
	if before != nil {
		made.Baseline = dirs[0]
	}
	made.Warnings = append(made.Warnings, left...)
	return made, nil
}

// earlier returns the directories of the reports that patterns stand for and that are earlier than the report
// in a directory, the newest first, and says which it leaves out.
func earlier(ctx context.Context, r *report.Report, dir string, patterns []string) (dirs, left []string, err error) {
	if len(patterns) == 0 {
		return nil, nil, nil
	}
	dirs, err = reports.Baseline(ctx, patterns, mostNights, reports.Own{Dir: dir, Date: r.Settings().Report.Date}, func(err error) { left = append(left, err.Error()) })
	if err == nil && len(dirs) == 0 {
		err = fmt.Errorf("--baseline: there is no finished report in %s that is earlier than %s", quote.List(patterns, 3, "%d more"), dir)
	}
	return dirs, left, err
}

// valuesOf returns the values of the reports of several nights, without replicates.
func valuesOf(ctx context.Context, dirs []string) ([]*report.Report, error) {
	if len(dirs) < 2 {
		return nil, nil
	}
	nights := make([]*report.Report, len(dirs))
	return nights, reports.Each(ctx, dirs, func(ctx context.Context, i int, dir string) (err error) {
		nights[i], err = report.Open(ctx, dir)
		return err
	})
}
