// Package monitor looks at many finished reports of the same evaluation, such as one for every
// night: whether a metric has become worse, whether it keeps a bound, and whether scores drift.
//
// Package sequential computes the numbers that decide.
package monitor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/beameval/beameval/analysis/comparison"
	"github.com/beameval/beameval/analysis/reports"
	"github.com/beameval/beameval/analysis/why"
	"github.com/beameval/beameval/io/monitor"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/volume"
)

// Options say what is monitored, and how.
type Options struct {
	// Metrics are the names of the metrics. If there are none, it takes the metrics that the newest
	// report shows first.
	Metrics []string
	// Slices also monitors each slice, not only all examples.
	Slices bool
	// NightsToFalseAlarm is the expected number of nights until a false alarm of any series.
	NightsToFalseAlarm float64
	// BurnIn is the number of nights that only serve as a reference, and Season the number of days
	// after which values repeat, or 0.
	BurnIn, Season int
	// MaxVolumeDrop is the share of examples lost on the last night from which there is an alarm; 0 means
	// that there is none.
	MaxVolumeDrop float64
	// Bounds are what metrics must be in the mean: their Min or Max. Other limits mean nothing.
	Bounds []report.Gate
	// Resolve is called with the newest report before anything else is read, and may set Metrics and
	// Bounds by what it has. It may be nil.
	Resolve func(newest *report.Report, o *Options) error
	// Since acknowledges the alarms up to this day, which is included. Zero acknowledges none.
	Since time.Time
	// Reference is the directory of the report that drift is measured from. If it is empty, drift is
	// measured from the first nights of the last segment, as many as BurnIn, together.
	Reference string
	// Statistics, if not nil, reads the statistics of reports, from which alarms of curves are explained.
	Statistics why.ReadStatistics
	// Strict makes reports that do not belong to the others an error.
	Strict bool
}

// defaultLevel is the level of bounds and intervals if the newest report has none.
const defaultLevel = 0.95

// Monitor monitors the finished reports that patterns stand for; see [reports.Find].
//
// The newest report that can be read says what is monitored. Reports of another task or with other
// labels are left out, as are those that cannot be read, unless o.Strict is set. Where an option
// changes that metrics depend on, a segment begins, and each series begins anew. It returns an error
// if no report is left, or none has a metric that is asked for.
func Monitor(ctx context.Context, patterns []string, o Options) (*monitor.Monitor, error) {
	m := begin(o)
	dirs, err := reports.Find(ctx, patterns, leaving(o, m))
	if err != nil {
		return nil, err
	}
	if err := monitorReports(ctx, m, dirs, patterns, o); err != nil {
		return nil, err
	}
	return m, nil
}

// begin returns a monitor of no reports yet.
func begin(o Options) *monitor.Monitor {
	return &monitor.Monitor{NightsToFalseAlarm: o.NightsToFalseAlarm, BurnIn: o.BurnIn, Season: o.Season, Level: defaultLevel}
}

// monitorReports monitors the reports in directories, which were found in places that a message names.
func monitorReports(ctx context.Context, m *monitor.Monitor, dirs, places []string, o Options) error {
	nights, err := inOrder(ctx, dirs, places, o, m)
	if err != nil {
		return err
	}
	newest, nights, err := readNewest(ctx, nights, o.Strict, m)
	if err != nil {
		return err
	}
	m.Task = newest.Task
	if newest.Confidence != nil {
		m.Level = newest.Confidence.Level
	}
	if o.Resolve != nil {
		if err := o.Resolve(newest, &o); err != nil {
			return err
		}
	}
	if m.Metrics, err = chosen(newest, o.Metrics); err != nil {
		return err
	}
	read, err := readRest(ctx, nights, newest, o, m)
	if err != nil {
		return err
	}
	if len(read) == 0 {
		return fmt.Errorf("none of %d reports can be read: %s", len(nights), m.Skipped[0].Reason)
	}
	addNights(m, read)
	tracks, err := collect(m, newest, read, o)
	if err != nil {
		return err
	}
	from := acknowledged(m.Nights, o.Since)
	judgeVolume(m, o.MaxVolumeDrop, from)
	alarmed := judge(m, newest, tracks, o.Slices, from)
	if err := judgeBounds(m, tracks, o.Bounds, from); err != nil {
		return err
	}
	if err := explain(ctx, m, alarmed, read, o); err != nil {
		return err
	}
	if err := addDrift(ctx, m, newest, read, o); err != nil {
		return err
	}
	sortSkipped(m)
	return nil
}

// chosen returns the names of the metrics to monitor.
func chosen(newest *report.Report, asked []string) ([]string, error) {
	var names []string
	for i := range newest.Metrics {
		if name := newest.Metrics[i].Name; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range asked {
		if !slices.Contains(names, name) && !slices.Contains(volume.Names, name) {
			return nil, fmt.Errorf("the newest report has no metric %q: evaluate with it, or leave it out of monitor.metrics", name)
		}
	}
	if len(asked) > 0 {
		return slices.Clone(asked), nil
	}
	if found := report.HeadlinesOf(newest); len(found) > 0 {
		return found, nil
	}
	return nil, fmt.Errorf("the newest report has no metrics")
}

// addNights adds the nights of reports.
func addNights(m *monitor.Monitor, read []*nightly) {
	days := map[string]int{}
	for _, n := range read {
		days[n.At.Format(time.DateOnly)]++
	}
	used := map[string]bool{}
	for i, n := range read {
		night := monitor.Night{At: n.At, Report: n.Dir, Model: n.model, Examples: n.examples, Date: n.At.Format(time.DateOnly)}
		if days[night.Date] > 1 {
			night.Date = n.withinDay()
		}
		if used[night.Date] {
			night.Date += " " + n.Dir
		}
		used[night.Date] = true
		if i > 0 {
			night.Segment = m.Nights[i-1].Segment
			for _, change := range comparison.Meanings(read[i-1].config, n.config) {
				night.Changed = append(night.Changed, change.Key)
			}
			if len(night.Changed) > 0 {
				night.Segment++
			}
		}
		m.Nights = append(m.Nights, night)
	}
}

// acknowledged returns the index of the first night after a day.
func acknowledged(nights []monitor.Night, since time.Time) int {
	if since.IsZero() {
		return 0
	}
	after := slices.IndexFunc(nights, func(n monitor.Night) bool { return n.At.Format(time.DateOnly) > since.Format(time.DateOnly) })
	if after < 0 {
		return len(nights)
	}
	return after
}

// sortSkipped sorts the nights that are left out, which were found in several steps.
func sortSkipped(m *monitor.Monitor) {
	slices.SortFunc(m.Skipped, func(a, b monitor.Skipped) int { return cmp.Compare(a.Report, b.Report) })
}
