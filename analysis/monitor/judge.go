package monitor

import (
	"fmt"
	"math"
	"slices"

	"github.com/beameval/beameval/analysis/comparison"
	"github.com/beameval/beameval/io/monitor"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/volume"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/sequential"
)

// judge adds the series of the monitored metrics, judged. Alarms before night from are
// acknowledged. It returns the metrics of all examples that alarmed.
func judge(m *monitor.Monitor, newest *report.Report, tracks []*track, ofSlices bool, from int) (found []changed) {
	tracks = slices.DeleteFunc(slices.Clone(tracks), func(t *track) bool {
		return !slices.Contains(m.Metrics, t.place.Name) || !ofSlices && len(t.place.Slice) > 0
	})
	warnUndefined(m, tracks)
	gate := sequential.Gate{BurnIn: m.BurnIn, Season: m.Season}
	reasons, judged := make([]string, len(tracks)), 0
	for i, t := range tracks {
		if reasons[i] = unjudged(m, gate, t); reasons[i] == "" {
			judged++
		}
	}
	// All series together alarm as seldom as a single one would at the threshold.
	gate.Threshold = m.NightsToFalseAlarm * float64(max(judged, 1))
	for i, t := range tracks {
		better := comparison.Direction(t.place.Name, newest, newest)
		gate.TwoSided = better == metrics.Neither
		s, c := watch(m, gate, t, better, from)
		s.Reason = reasons[i]
		m.Series = append(m.Series, s)
		if s.Alarm && len(s.Slice) == 0 && s.Label == nil && !slices.Contains(volume.Names, s.Metric) && len(c.since) > 0 {
			found = append(found, c)
		}
	}
	return found
}

// unjudged says why a series is not judged, or "".
func unjudged(m *monitor.Monitor, gate sequential.Gate, t *track) string {
	if len(t.points) == 0 {
		return "undefined on every night: " + t.undefined[0]
	}
	last := nightsOf(m, t.lastPoints(m), metrics.Higher)
	if len(last) == 0 {
		return "no value since the configuration changed"
	}
	if n := gate.Ranked(last); n <= gate.BurnIn {
		return fmt.Sprintf("burn-in: %d of %d nights", n, gate.BurnIn)
	}
	return ""
}

// lastSegment returns the number of the last segment.
func lastSegment(m *monitor.Monitor) int { return m.Nights[len(m.Nights)-1].Segment }

// segments returns the values of each segment that has some.
func (t *track) segments(m *monitor.Monitor) (list [][]point) {
	from := 0
	for i := range t.points {
		if i+1 == len(t.points) || m.Nights[t.points[i+1].night].Segment != m.Nights[t.points[i].night].Segment {
			list, from = append(list, t.points[from:i+1]), i+1
		}
	}
	return list
}

// nightsOf returns the nights of values.
func nightsOf(m *monitor.Monitor, points []point, better metrics.Better) (nights []sequential.Night) {
	for _, p := range points {
		n := &m.Nights[p.night]
		nights = append(nights, sequential.Night{Name: n.Date, Day: day(n), Value: goodness(p.row.Value, better)})
	}
	return nights
}

// day counts the days to a night.
func day(n *monitor.Night) int {
	const perDay = 24 * 60 * 60
	seconds := n.At.Unix()
	return int((seconds - (seconds%perDay+perDay)%perDay) / perDay)
}

// goodness turns a value into one for which higher is better. If neither direction is better, it
// returns the value.
func goodness(value float64, better metrics.Better) float64 {
	if better == metrics.Neither {
		return value
	}
	return -better.Loss(value)
}

// watch returns the series of a track, with the first alarm that is not acknowledged, and the nights that explain it.
func watch(m *monitor.Monitor, gate sequential.Gate, t *track, better metrics.Better, from int) (s monitor.Series, c changed) {
	s = monitor.Series{
		Metric: t.place.Name, Slice: t.place.Slice, Label: t.place.Label, TwoSided: gate.TwoSided,
		Evidence: math.NaN(), Threshold: gate.Threshold, Change: math.NaN(),
	}
	for _, points := range t.segments(m) {
		first := slices.IndexFunc(points, func(p point) bool { return p.night >= from })
		if first < 0 {
			first = len(points)
		}
		steps, alarms := gate.Watch(string(t.place.Key()), nightsOf(m, points, better), first)
		for i, p := range points {
			s.Values = append(s.Values, valueOf(p, steps[i]))
		}
		if m.Nights[points[0].night].Segment < lastSegment(m) {
			continue
		}
		s.Evidence = steps[len(steps)-1].Evidence
		if i := slices.IndexFunc(alarms, func(a sequential.Alarm) bool { return a.At >= first }); i >= 0 {
			since, reference, until := alarms[i].Since, 0, len(points)
			if i > 0 {
				reference = alarms[i-1].Since
			}
			if i+1 < len(alarms) {
				until = alarms[i+1].Since
			}
			s.Alarm, s.Since = true, m.Nights[points[since].night].Date
			s.Change = change(m, points[reference:], since-reference)
			c.metric = s.Metric
			c.before, c.since = compare(m, points[reference:], since-reference, until-reference, max(m.BurnIn, 1))
		}
	}
	return s, c
}

// valueOf returns the value of a night.
func valueOf(p point, step sequential.Step) monitor.Value {
	v := monitor.Value{Night: p.night, Value: p.row.Value, Low: math.NaN(), High: math.NaN(), P: step.P, Evidence: step.Evidence}
	if c := p.row.Confidence; c.HasInterval() {
		v.Low, v.High = c.Low, c.High
	}
	return v
}

// change returns the mean of the differences of the values since a night from the mean before, at
// the same place of the season if there is one. It is NaN if there is nothing before.
func change(m *monitor.Monitor, points []point, since int) float64 {
	season := max(m.Season, 1)
	place := func(p point) int { return (day(&m.Nights[p.night])%season + season) % season }
	before, counts := make([]float64, season), make([]float64, season)
	for _, p := range points[:since] {
		before[place(p)] += p.row.Value
		counts[place(p)]++
	}
	sum, n := 0.0, 0.0
	for _, p := range points[since:] {
		if k := place(p); counts[k] > 0 {
			sum += p.row.Value - before[k]/counts[k]
			n++
		}
	}
	return sum / n
}
