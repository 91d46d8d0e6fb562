package monitor

import (
	"fmt"
	"slices"

	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/monitor"
	"github.com/beameval/beameval/io/report"
)

// track holds the values of a metric for one slice and label.
type track struct {
	place  report.Row // its name, slice and label
	points []point
	// undefined are the reasons for which the metric is undefined on some nights, in the order of the
	// nights, and undefinedOn their number.
	undefined   []string
	undefinedOn []int
}

// point is the defined value of a night, with its index.
type point struct {
	night int
	row   *report.Row
}

// maxValues limits the memory that values take, to about a gigabyte.
const maxValues = 10_000_000

// collect returns the tracks of the reports, in the order of metrics and, for each, of reports.
func collect(m *monitor.Monitor, newest *report.Report, read []*nightly, o Options) ([]*track, error) {
	found := map[string]*track{}
	places := report.Report{Labels: newest.Labels}
	values := 0
	for night, n := range read {
		for i := range n.rows {
			row := &n.rows[i]
			key := string(row.Key())
			t := found[key]
			if t == nil {
				t = &track{place: report.Row{Name: row.Name, Slice: row.Slice, Label: row.Label}}
				found[key] = t
				places.Metrics = append(places.Metrics, t.place)
			}
			t.add(night, row)
		}
		if values += len(n.rows); values > maxValues {
			return nil, fmt.Errorf("the reports have more than %d values of these metrics: set monitor.metrics to fewer, or monitor.slices to none", maxValues)
		}
	}
	places.Sort()
	slices.SortStableFunc(places.Metrics, func(a, b report.Row) int {
		return rank(m.Metrics, a.Name) - rank(m.Metrics, b.Name)
	})
	all := make([]*track, len(places.Metrics))
	for i := range all {
		all[i] = found[string(places.Metrics[i].Key())]
	}
	return all, nil
}

// rank returns the place of a metric; metrics that only bounds name come last.
func rank(names []string, name string) int {
	if i := slices.Index(names, name); i >= 0 {
		return i
	}
	return len(names)
}

// add adds the row of a night. Where the metric is undefined, a number that the configuration
// supplies says nothing.
func (t *track) add(night int, row *report.Row) {
	reason := row.Reason()
	if reason == "" && floats.Finite(row.Value) {
		t.points = append(t.points, point{night, row})
		return
	}
	i := slices.Index(t.undefined, reason)
	if i < 0 {
		i = len(t.undefined)
		t.undefined, t.undefinedOn = append(t.undefined, reason), append(t.undefinedOn, 0)
	}
	t.undefinedOn[i]++
}

// warnUndefined warns of the nights on which metrics are undefined, by metric and reason.
func warnUndefined(m *monitor.Monitor, tracks []*track) {
	type gap struct {
		metric, reason string
	}
	type count struct{ nights, series int }
	var order []gap
	counts := map[gap]count{}
	for _, t := range tracks {
		for i, reason := range t.undefined {
			of := gap{t.place.Name, reason}
			c, met := counts[of]
			if !met {
				order = append(order, of)
			}
			counts[of] = count{max(c.nights, t.undefinedOn[i]), c.series + 1}
		}
	}
	for _, of := range order {
		c := counts[of]
		m.Warnings = append(m.Warnings, fmt.Sprintf("%s is undefined on up to %d of %d nights in %d series, which are gaps: %s", of.metric, c.nights, len(m.Nights), c.series, of.reason))
	}
}
