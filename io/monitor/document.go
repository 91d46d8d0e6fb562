package monitor

import (
	"fmt"
	"io"
	"strings"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
)

// The limits of documents.
const (
	mostRows        = 100 // of a table
	mostNights      = 1000
	mostHeadlines   = 8
	screenAlarms    = 4
	screenHeadlines = 5
)

// Print prints the most important parts of m for a screen.
func (m *Monitor) Print(w io.Writer, on document.Screen) error {
	d := &document.Document{Output: document.OnScreen}
	all := m.events()
	kept := all[:min(len(all), screenAlarms)]
	alarms := document.Section{In: document.OnScreen, Lead: quote.Visible(m.Task) + ": " + m.tally() + "; " + m.period(), Table: document.TableOf(kept, m.alarmColumns(false)...)}
	if more := len(all) - len(kept); more > 0 {
		alarms.Notes = []string{fmt.Sprintf("and %s more, see %s", document.Grouped(int64(more)), HTML)}
	}
	alarms.Notes = append(alarms.Notes, alsoIn(kept), m.because())
	d.Add(alarms)
	d.Add(document.Section{In: document.OnScreen, Table: document.TableOf(m.headlines(screenHeadlines),
		document.Text("metric", func(s *Series) string { return quote.Visible(s.Metric) }),
		document.Numbers("last", func(s *Series) string { return document.Fixed(s.last().Value, places) }),
		document.Numbers("change", func(s *Series) string { return signed(m.change(s)) }),
		document.Numbers("evidence", m.evidence),
		document.Text("last nights", func(s *Series) string { return blocks(m.trend(s)) }),
	)})
	d.AddWarnings(m.Warnings)
	if n := len(m.Skipped); n > 0 {
		d.Add(document.Section{In: document.OnScreen, Plain: fmt.Sprintf("%s left out, see %s", document.Plural(int64(n), "report"), JSON)})
	}
	return d.Print(w, on)
}

// alarmColumns returns the columns of a table of alarms.
func (m *Monitor) alarmColumns(values bool) []document.Cells[alarm] {
	return []document.Cells[alarm]{
		document.Text("metric", func(a alarm) string { return a.metric }),
		document.Text("slice", func(a alarm) string { return a.slice }),
		document.Text("label", func(a alarm) string { return a.label }).Optional(),
		document.Text("verdict", func(a alarm) string { return a.verdict }).If(values),
		document.Text("since", func(a alarm) string { return a.since }),
		document.Text("alarm", func(a alarm) string { return a.raised }).If(values),
		document.Numbers("change", func(a alarm) string { return a.change }),
		document.Numbers("last value", func(a alarm) string { return a.last }).If(values),
		document.Text("why", m.reasons).If(values),
		document.Text("evidence", func(a alarm) string { return strings.TrimPrefix(a.why, rarely) }).If(!values),
	}
}

// WritePage writes monitor.html as [Write] does.
func (m *Monitor) WritePage(w io.Writer) error {
	d := &document.Document{Output: document.Page, Title: "Monitor: " + quote.Visible(m.Task), About: m.about(), Verdict: report.Pass, VerdictText: m.tally()}
	if m.Alarms() > 0 {
		d.Verdict = report.Fail
	}
	addTable(d, "Alarms", m.events(), mostRows, m.joined(), m.alarmColumns(true)...)
	m.addWhy(d)
	d.Add(document.Section{In: document.Page, ID: "headlines", Title: "Last values", Cards: collections.Map(m.headlines(mostHeadlines), m.card), Notes: []string{m.note()}})
	d.AddWarnings(m.Warnings)
	g := &gallery{monitor: m, axis: newTimeAxis(m.Nights)}
	overall, others, note := g.charts()
	d.Add(document.Section{In: document.Page, Title: "Trends", Pictures: overall})
	m.grids().AddTo(d)
	d.Add(document.Section{In: document.Page, Title: "Trends of slices and labels", Pictures: others, Notes: []string{note}})
	m.addTables(d)
	d.Foot = []string{JSON + " has all results with all digits; " + CSV + " and " + Parquet + " have a row for each night of each series."}
	return d.Write(w)
}

// about returns what the monitor is of.
func (m *Monitor) about() []document.Fact {
	facts := []document.Fact{{Name: "Nights", Text: m.period()}}
	if n := len(m.Nights); n > 0 {
		last := m.Nights[n-1]
		facts = append(facts, document.Fact{Name: "Last report", Text: document.Brief(last.Report)}, document.Fact{Name: "Model", Text: document.Brief(last.Model)},
			document.Fact{Name: "Examples of the last night", Text: document.Grouped(last.Examples)})
	}
	if n := len(m.Skipped); n > 0 {
		facts = append(facts, document.Fact{Name: "Left out", Text: document.Plural(int64(n), "report")})
	}
	return document.Facts(facts...)
}

// addTable adds a table of the first of all items.
func addTable[T any](d *document.Document, title string, all []T, most int, note string, columns ...document.Cells[T]) {
	kept, first := document.First(all, most, "; "+JSON+" has all")
	d.Add(document.Section{In: document.Page, Title: title, Table: document.TableOf(kept, columns...).Folded(), Notes: []string{note, first}})
}

// card returns the last value of a metric of all examples.
func (m *Monitor) card(s *Series) document.Card {
	last := s.last()
	c := document.NewCard(s.Metric, last.Value, last.estimate().Interval())
	c.Change = "change " + signed(m.change(s))
	if last.Night >= 0 && last.Night < len(m.Nights)-1 {
		c.Change = "of " + document.Brief(m.Nights[last.Night].Date) + ", " + c.Change
	}
	switch {
	case s.Alarm:
		arrow, _ := s.verdict()
		c.Verdict, c.Judged = worse, arrow+" "+s.judged()
	case s.Reason != "":
		c.Judged = "not judged: " + document.Brief(s.Reason)
	default:
		c.Judged = "no alarm"
	}
	return c
}

// worse gives an alarm its colour.
const worse = "worse"

// addTables adds the tables below the charts.
func (m *Monitor) addTables(d *document.Document) {
	addTable(d, "Bounds", m.Bounds, mostRows, "The interval of the mean holds for all nights at once.",
		document.Text("metric", func(b Bound) string { return quote.Visible(b.Metric) }),
		document.Text("slice", func(b Bound) string { return b.Slice.String() }),
		document.Text("label", func(b Bound) string { return document.Label(b.Label) }).Optional(),
		document.Text("bound", func(b Bound) string { return b.bound() }),
		document.Numbers("mean", func(b Bound) string { return b.mean() }),
		document.Text("alarm", func(b Bound) string {
			if b.Alarm {
				return "since " + document.Brief(b.Since)
			}
			return "no"
		}),
		document.Text("reason", func(b Bound) string { return document.Brief(b.Reason) }).Optional(),
	)
	addTable(d, "Drift", m.Drift, mostRows, "From the reference to the last night.",
		document.Text("distribution", func(d Drift) string { return quote.Visible(d.Score) }),
		document.Text("slice", func(d Drift) string { return d.Slice.String() }),
		document.Text("label", func(d Drift) string { return document.Label(d.Label) }).Optional(),
		document.Numbers("PSI", func(d Drift) string { return estimated(&d.PSI) }),
		document.Numbers("Jensen–Shannon", func(d Drift) string { return estimated(&d.JensenShannon) }),
		document.Numbers("Wasserstein", func(d Drift) string { return estimated(&d.Wasserstein) }),
		document.Numbers("Kolmogorov–Smirnov, at least", func(d Drift) string { return estimated(&d.KSBound) }),
	)
	addTable(d, "Label shift", m.LabelShift, mostRows, "How frequent each class is on the last night, compared with the reference, as the predicted classes suggest if the examples of each class look as before.",
		document.Text("class", func(l LabelShift) string { return quote.Visible(l.Label) }),
		document.Numbers("times as frequent", func(l LabelShift) string { return document.Fixed(l.Weight, places) }),
	)
	addTable(d, "Reports left out", m.Skipped, mostRows, "", skippedColumns()...)
	nights := collections.Select(m.Nights[max(0, len(m.Nights)-mostNights):], func(*Night) bool { return true })
	note := ""
	if len(nights) < len(m.Nights) {
		note = fmt.Sprintf("The last %d of %s; %s has all.", len(nights), document.Grouped(int64(len(m.Nights))), JSON)
	}
	addTable(d, "Nights", nights, mostNights, note,
		document.Text("night", func(n *Night) string { return document.Brief(n.Date) }),
		document.Numbers("examples", func(n *Night) string { return document.Grouped(n.Examples) }),
		document.Text("model", func(n *Night) string { return document.Brief(n.Model) }).Optional(),
		document.Text("changed options", func(n *Night) string { return document.Brief(strings.Join(n.Changed, ", ")) }).Optional(),
		document.Text("report", func(n *Night) string { return document.Brief(n.Report) }),
	)
}

// skippedColumns returns the columns of a table of reports that are left out.
func skippedColumns() []document.Cells[Skipped] {
	return []document.Cells[Skipped]{
		document.Text("report", func(s Skipped) string { return document.Brief(s.Report) }),
		document.Text("reason", func(s Skipped) string { return document.Brief(s.Reason) }),
	}
}
