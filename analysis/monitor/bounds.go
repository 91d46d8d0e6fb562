package monitor

import (
	"fmt"
	"math"
	"slices"

	"github.com/beameval/beameval/io/monitor"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics/sequential"
)

// judgeBounds adds the judgement of the bounds in each slice that they are for. Only nights from
// night from on are judged. It returns an error if a bound is for nothing.
func judgeBounds(m *monitor.Monitor, tracks []*track, gates []report.Gate, from int) error {
	var bounded []*track // by bound
	judged := 0
	of := report.GateItems(gates, tracks, func(t **track) (string, slice.Key, *string) {
		p := &(*t).place
		return p.Name, p.Slice, p.Label
	})
	for i := range gates {
		g := &gates[i]
		for _, at := range of[i] {
			t := tracks[at]
			reason := unbounded(m, t, from)
			m.Bounds = append(m.Bounds, monitor.Bound{
				Metric: t.place.Name, Slice: t.place.Slice, Label: t.place.Label, Min: g.Min, Max: g.Max,
				Mean: math.NaN(), Low: math.NaN(), High: math.NaN(), Reason: reason,
			})
			if bounded = append(bounded, t); reason == "" {
				judged++
			}
		}
		if len(of[i]) == 0 {
			return fmt.Errorf("monitor.bounds[%d]: no report has %s%s", i, g.Metric, whereOf(g))
		}
	}
	alpha := (1 - m.Level) / float64(max(judged, 1)) // one false alarm of all bounds together
	for i, t := range bounded {
		if b := &m.Bounds[i]; b.Reason == "" {
			t.bound(m, b, from, alpha)
		}
	}
	return nil
}

// whereOf describes the slice and label of a gate.
func whereOf(g *report.Gate) string {
	row := report.Row{Slice: g.Slice, Label: g.Label}
	switch {
	case g.Each && g.Label != nil:
		return " of any slice and " + (&report.Row{Label: g.Label}).Place()
	case g.Each:
		return " of any slice"
	case len(g.Slice) == 0 && g.Label == nil:
		return " of all examples"
	}
	return " of " + row.Place()
}

// unbounded says why a bound is not judged, or "".
func unbounded(m *monitor.Monitor, t *track, from int) string {
	points := t.lastPoints(m)
	switch {
	case len(t.points) == 0:
		return "undefined on every night: " + t.undefined[0]
	case len(points) < m.BurnIn:
		return fmt.Sprintf("burn-in: %d of %d nights", len(points), m.BurnIn)
	case points[len(points)-1].night < from:
		return "no value since the alarms that are acknowledged"
	}
	return ""
}

// lastPoints returns the values of the last segment.
func (t *track) lastPoints(m *monitor.Monitor) []point {
	i := slices.IndexFunc(t.points, func(p point) bool { return m.Nights[p.night].Segment == lastSegment(m) })
	if i < 0 {
		return nil
	}
	return t.points[i:]
}

// bound judges a bound.
func (t *track) bound(m *monitor.Monitor, b *monitor.Bound, from int, alpha float64) {
	points := t.lastPoints(m)
	nights := make([]sequential.Measured, len(points))
	for i, p := range points {
		nights[i] = sequential.Measured{Value: p.row.Value, StdError: math.NaN()}
		if c := p.row.Confidence; c != nil {
			nights[i].StdError = c.StdError
		}
	}
	first := slices.IndexFunc(points, func(p point) bool { return p.night >= from })
	for i, in := range sequential.Mean(nights, m.BurnIn, first, alpha) {
		b.Mean, b.Low, b.High = in.Mean, in.Low, in.High
		if !b.Alarm && (b.Min != nil && in.Most < *b.Min || b.Max != nil && in.Least > *b.Max) {
			b.Alarm, b.Since = true, m.Nights[points[i].night].Date
		}
	}
}
