package monitor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/beameval/beameval/analysis/reports"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/monitor"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/volume"
)

// nightly is the part of a report that is kept.
type nightly struct {
	reports.Night
	model    string
	examples int64
	config   json.RawMessage
	rows     []report.Row
	// confidence says how the examples were divided into groups; nil if they were not.
	confidence *report.Folding
}

// withinDay names a night of a day that has several.
func (n *nightly) withinDay() string {
	day := n.At.Format(time.DateOnly)
	if rest := strings.Trim(n.Rest, "/"); rest != "" {
		return day + " " + rest
	}
	return day + n.At.Format(" 15:04:05")
}

// leaving returns what is called with each directory of reports that is left out, and why. It returns the error if none
// may be.
func leaving(o Options, m *monitor.Monitor) func(dir string, err error) error {
	return func(dir string, err error) error {
		if o.Strict {
			return err
		}
		if !slices.ContainsFunc(m.Skipped, func(s monitor.Skipped) bool { return s.Report == dir }) {
			skip(m, dir, err.Error())
		}
		return nil
	}
}

// inOrder returns the finished reports in directories, the oldest first. They were found in places that a message names.
func inOrder(ctx context.Context, dirs, places []string, o Options, m *monitor.Monitor) ([]reports.Night, error) {
	dirs, err := reports.WithoutOdd(dirs, leaving(o, m))
	if err != nil {
		return nil, err
	}
	if len(dirs) == 0 {
		return nil, nothing(places, m.Skipped)
	}
	nights, err := reports.InOrder(ctx, dirs)
	if err == nil || o.Strict || ctx.Err() != nil {
		return nights, err
	}
	// Leave out those whose files are broken.
	var sound []string
	for _, dir := range dirs {
		if _, err := reports.InOrder(ctx, []string{dir}); err != nil {
			skip(m, dir, err.Error())
		} else {
			sound = append(sound, dir)
		}
	}
	if len(sound) == 0 || len(sound) == len(dirs) {
		return nil, err
	}
	return reports.InOrder(ctx, sound)
}

// nothing returns the error for places in which no report was found, but those that are left out.
func nothing(places []string, left []monitor.Skipped) error {
	reason := ""
	if len(left) > 0 {
		reason = ": " + left[0].Reason
	}
	return fmt.Errorf("there is no finished report in %s%s", quote.List(places, 3, "%d more"), reason)
}

// readNewest reads the newest report that can be read, and returns the nights up to it.
func readNewest(ctx context.Context, nights []reports.Night, strict bool, m *monitor.Monitor) (*report.Report, []reports.Night, error) {
	var first error
	for i, night := range slices.Backward(nights) {
		r, err := report.Open(ctx, night.Dir)
		if err == nil {
			err = reports.CheckRows(night.Dir, r.Metrics)
		}
		if err == nil {
			return r, nights[:i+1], nil
		}
		if strict || ctx.Err() != nil {
			return nil, nil, err
		}
		if first == nil {
			first = err
		}
		skip(m, night.Dir, err.Error())
	}
	return nil, nil, fmt.Errorf("none of %d reports can be read: %w", len(nights), first)
}

// readRest reads the monitored metrics of all reports, which must be of the newest one's
// evaluation.
func readRest(ctx context.Context, nights []reports.Night, newest *report.Report, o Options, m *monitor.Monitor) ([]*nightly, error) {
	names := slices.Clone(m.Metrics)
	for i := range o.Bounds {
		names = append(names, o.Bounds[i].Metric)
	}
	all := !o.Slices && !slices.ContainsFunc(o.Bounds, func(g report.Gate) bool { return g.Each || len(g.Slice) > 0 })
	read, problems := make([]*nightly, len(nights)), make([]error, len(nights))
	err := reports.Each(ctx, nights, func(ctx context.Context, i int, night reports.Night) error {
		read[i], problems[i] = readNight(ctx, night, newest, names, all)
		if o.Strict && problems[i] != nil {
			return problems[i]
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	for i, night := range nights {
		if problems[i] != nil {
			skip(m, night.Dir, problems[i].Error())
		}
	}
	return slices.DeleteFunc(read, func(n *nightly) bool { return n == nil }), nil
}

// readNight reads a report. It returns an error if it does not belong to the newest.
func readNight(ctx context.Context, night reports.Night, newest *report.Report, names []string, all bool) (*nightly, error) {
	r, err := report.OpenMetrics(ctx, night.Dir, withSupport(newest, names), all)
	name := files.Join(night.Dir, report.MetricsJSON)
	if err == nil {
		err = reports.CheckRows(night.Dir, r.Metrics)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no report in %s: %w", night.Dir, err)
	case err != nil:
		return nil, err
	case r.Task != newest.Task:
		return nil, fmt.Errorf("%s: it is of task %s, not %s as the newest report", name, quote.Value(r.Task), newest.Task)
	case !slices.Equal(r.Labels, newest.Labels) || r.NumLabels != newest.NumLabels:
		return nil, fmt.Errorf("%s: its labels are not those of the newest report", name)
	}
	rows := slices.Concat(slices.DeleteFunc(slices.Clone(r.Metrics), func(row report.Row) bool { return !slices.Contains(names, row.Name) }), volume.Of(r, names))
	return &nightly{night, r.Settings().Report.Model, r.Examples, r.Config, rows, r.Confidence}, nil
}

// withSupport returns names and, if support is one of them, the name of a metric that each slice has: the
// support of the slice follows from it.
func withSupport(newest *report.Report, names []string) []string {
	if !slices.Contains(names, volume.Support) {
		return names
	}
	for i := range newest.Metrics {
		if row := &newest.Metrics[i]; row.Label == nil {
			return append(slices.Clone(names), row.Name)
		}
	}
	return names
}

// skip leaves a report out.
func skip(m *monitor.Monitor, dir, reason string) {
	m.Skipped = append(m.Skipped, monitor.Skipped{Report: dir, Reason: reason})
}
