package monitor

import (
	"fmt"
	"math"
	"strconv"

	"github.com/beameval/beameval/internal/elementary"
	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/report/picture"
)

const (
	mostCharts = 24 // of slices and labels
	mostData   = 30 // nights in the table of a chart
	// leastEvidence is the lowest evidence on the axis, whose scale is logarithmic.
	leastEvidence = 0.1
)

// gallery collects the charts of a monitor.
type gallery struct {
	monitor *Monitor
	axis    *timeAxis
	document.Gallery
}

// charts returns the charts of all examples and of the worst slices and labels, and a note about
// those that are left out.
func (g *gallery) charts() (overall, others []document.Picture, note string) {
	for _, s := range g.monitor.headlines(mostHeadlines) {
		g.chart(s)
	}
	n := len(g.List)
	all := 0
	for _, s := range g.monitor.worst() {
		if s.overall() || len(s.Values) == 0 {
			continue
		}
		if all++; all <= mostCharts {
			g.chart(s)
		}
	}
	if all > mostCharts {
		note = fmt.Sprintf("The %d of %s series that alarmed or have the most evidence; %s has all.", mostCharts, document.Grouped(int64(all)), CSV)
	}
	return g.List[:n:n], g.List[n:], note
}

// title names a series.
func (s *Series) title() string {
	title := quote.Visible(s.Metric)
	if s.Label != nil {
		title += " of " + document.Label(s.Label)
	}
	if len(s.Slice) > 0 {
		title += ": " + s.Slice.String()
	}
	return title
}

// chart draws a series, unless its values overflow.
func (g *gallery) chart(s *Series) {
	y, ok := s.axis()
	if !ok {
		return
	}
	about := g.About(s.title(), "The metric over the nights, with a band for the confidence interval of each, and below it the evidence for an alarm. Gaps are nights without a value.")
	y.Label = quote.Visible(s.Metric)
	chart := picture.Trend{About: about, X: g.axis.Axis, Y: y, Rule: "configuration changed"}
	chart.Evidence = picture.Evidence{Y: picture.Axis{Label: "evidence"}, Threshold: math.NaN(), Name: "threshold: " + short(s.Threshold)}
	m := g.monitor
	numbers := document.TableOf(s.Values,
		document.Text("night", func(v Value) string { return document.Brief(m.Nights[v.Night].Date) }),
		document.Numbers("value", func(v Value) string { return estimated(v.estimate()) }),
		document.Numbers("p", func(v Value) string { return document.PValue(v.P) }),
		document.Numbers("evidence", func(v Value) string { return short(v.Evidence) }))
	row, missing := 0, &Value{Value: math.NaN(), Evidence: math.NaN()}
	add := func(x float64, v *Value, tip string) {
		chart.Readings = append(chart.Readings, picture.Reading{Spot: picture.Spot{Point: picture.Point{X: x, Y: v.Value}, Tip: tip}, Low: v.Low, High: v.High})
		chart.Evidence.Points = append(chart.Evidence.Points, picture.Spot{Point: picture.Point{X: x, Y: logarithm(v.Evidence)}, Tip: tip})
	}
	for i, night := range m.Nights {
		x := g.axis.at[i]
		if i > 0 && night.Segment != m.Nights[i-1].Segment {
			chart.Rules = append(chart.Rules, x)
		}
		if i > 0 && x-g.axis.at[i-1] > g.axis.gap { // no report
			add(x, missing, "")
		}
		if row == len(s.Values) || s.Values[row].Night != i {
			add(x, missing, "")
			continue
		}
		add(x, &s.Values[row], numbers.Tip(row))
		row++
	}
	chart.Marks = g.marks(s)
	s.scale(&chart.Evidence)
	numbers.Rows = numbers.Rows[max(0, len(s.Values)-mostData):]
	switch {
	case s.Alarm:
		arrow, _ := s.verdict()
		chart.Note = arrow + " " + s.judged() + ": " + signed(s.Change) + "."
	case s.Reason != "":
		chart.Note = "Not judged: " + document.Brief(s.Reason) + "."
	}
	if len(numbers.Rows) < len(s.Values) {
		chart.Note = document.Join(chart.Note, fmt.Sprintf("The data below are of the last %d of %d nights.", len(numbers.Rows), len(s.Values)))
	}
	g.Add(&chart, numbers)
}

// marks marks since when the metric is worse or changed, and the night of the alarm.
func (g *gallery) marks(s *Series) (marks []picture.Mark) {
	mark := func(name string, shape int, v *Value) {
		if v != nil && floats.Finite(v.Value) {
			marks = append(marks, picture.Mark{Name: name, Point: picture.Point{X: g.axis.at[v.Night], Y: v.Value}, Line: shape, Tip: name + ": " + document.Brief(g.monitor.Nights[v.Night].Date)})
		}
	}
	if s.Alarm && s.Since != "" {
		_, word := s.verdict()
		mark(word+" since", 2, s.at(g.monitor.since(s)))
	}
	mark("alarm", 1, g.monitor.alarmed(s))
	return marks
}

// axis returns the axis of the values and intervals. ok is false if there is nothing to draw.
func (s *Series) axis() (axis picture.Axis, ok bool) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range s.Values {
		for _, x := range []float64{v.Value, v.Low, v.High} {
			if floats.Finite(x) {
				low, high = min(low, x), max(high, x)
			}
		}
	}
	if low > high || math.IsInf(high-low, 0) {
		return axis, false
	}
	return picture.AxisFrom(low, high), true
}

// scale sets the axis and the threshold of the evidence.
func (s *Series) scale(e *picture.Evidence) {
	low, high, some := 0.0, 1.0, false
	for _, p := range e.Points {
		if floats.Finite(p.Y) {
			low, high, some = min(low, p.Y), max(high, p.Y), true
		}
	}
	if !some {
		e.Points = nil
		return
	}
	if s.Threshold > 0 && floats.Finite(s.Threshold) {
		e.Threshold = logarithm(s.Threshold)
		low, high = min(low, e.Threshold), max(high, e.Threshold)
	}
	margin := float64(0.1 * (high - low)) // keeps the ticks of both axes apart
	e.Y.Min, e.Y.Max, e.Y.Ticks = low-margin, high+margin, []picture.Tick{}
	step := max(1, int(math.Ceil((high-low)/4)))
	for at := int(math.Ceil(low)); float64(at) <= e.Y.Max; at += step {
		e.Y.Ticks = append(e.Y.Ticks, picture.Tick{At: float64(at), Text: power(at)})
	}
}

// logarithm returns the height of an evidence: its decimal logarithm.
func logarithm(x float64) float64 {
	return elementary.Log(max(x, leastEvidence)) / elementary.Log(10)
}

// power formats a power of ten.
func power(n int) string {
	if n >= -1 && n <= 4 {
		return strconv.FormatFloat(math.Pow10(n), 'f', -1, 64)
	}
	return fmt.Sprintf("1e%d", n)
}
