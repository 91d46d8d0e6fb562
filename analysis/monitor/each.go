package monitor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/beameval/beameval/analysis/reports"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/monitor"
	"github.com/beameval/beameval/io/quote"
)

// Each is like [Monitor], but makes a monitor for each value that a part of the paths of the reports has. The key is the
// name of the part: model of reports/model=a/dt=2026-11-19.
//
// Reports whose paths have no value of the key are left out, as are values whose reports cannot be monitored, unless
// o.Strict is set. It returns an error if no value is left.
func Each(ctx context.Context, patterns []string, key string, o Options) (*monitor.Each, error) {
	e := &monitor.Each{Key: key, NightsToFalseAlarm: o.NightsToFalseAlarm}
	values, err := valuesOf(ctx, patterns, key, o, e)
	if err != nil {
		return nil, err
	}
	var first error
	made := 0
	for _, value := range slices.Sorted(maps.Keys(values)) {
		of := values[value]
		err := monitorReports(ctx, of.monitor, of.dirs, []string{key + "=" + value}, o)
		switch {
		case err == nil:
			made++
			e.Add(value, of.monitor)
		case o.Strict, ctx.Err() != nil, files.Temporary(err):
			return nil, err
		default:
			if first == nil {
				first = err
			}
			e.LeaveOut(value, err)
		}
	}
	if made == 0 {
		return nil, first
	}
	return e, nil
}

// value is what is known of a value of a part: the directories of its reports, and a monitor with those that are left out.
type value struct {
	dirs    []string
	monitor *monitor.Monitor
}

// valuesOf finds the reports, and divides them by the value of a part. It returns an error if none has the part.
func valuesOf(ctx context.Context, patterns []string, key string, o Options, e *monitor.Each) (map[string]*value, error) {
	values, without := map[string]*value{}, begin(o) // the part
	of := func(dir string) *value {
		name := partOf(dir, key)
		if name == "" {
			return nil
		}
		if values[name] == nil {
			values[name] = &value{monitor: begin(o)}
		}
		return values[name]
	}
	dirs, err := reports.Find(ctx, patterns, func(dir string, err error) error {
		m := without
		if v := of(dir); v != nil {
			m = v.monitor
		}
		return leaving(o, m)(dir, err)
	})
	if err != nil {
		return nil, err
	}
	for _, dir := range dirs {
		if v := of(dir); v != nil {
			v.dirs = append(v.dirs, dir)
			continue
		}
		if err := leaving(o, without)(dir, fmt.Errorf("%s: its path has no value of %s, such as %s=a", dir, key, key)); err != nil {
			return nil, err
		}
	}
	sortSkipped(without)
	e.Skipped = without.Skipped
	switch {
	case len(values) > 0:
		return values, nil
	case len(dirs) == 0:
		return nil, nothing(patterns, without.Skipped)
	}
	return nil, fmt.Errorf("no report has a value of %s in its path, such as %s=a: the first is %s, which has values of %s", key, key, dirs[0], parts(dirs[0]))
}

// partOf returns the value of a part of the path of a directory, the last one if there are several; "" if it has none.
func partOf(dir, key string) (value string) {
	for _, k := range files.KeysOf(dir + "/") {
		if k.Name == key {
			value = k.Value
		}
	}
	return value
}

// parts lists the parts of the path of a directory.
func parts(dir string) string {
	var names []string
	for _, k := range files.KeysOf(dir + "/") {
		names = append(names, quote.Value(k.Name))
	}
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}
