package monitor

import (
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
)

// screenParts is the number of monitors that a screen shows.
const screenParts = 20

// Print prints the index for a screen.
func (e *Each) Print(w io.Writer, on document.Screen) error {
	d := &document.Document{Output: document.OnScreen}
	all := e.worst()
	kept := all[:min(len(all), screenParts)]
	index := document.Section{In: document.OnScreen, Lead: quote.Visible(e.Key) + ": " + e.tally(), Table: document.TableOf(kept, e.columns(document.OnScreen)...)}
	if more := len(all) - len(kept); more > 0 {
		index.Notes = []string{fmt.Sprintf("and %s more, see %s", document.Grouped(int64(more)), EachHTML)}
	}
	d.Add(index)
	if n := len(e.Skipped); n > 0 {
		d.Add(document.Section{In: document.OnScreen, Plain: fmt.Sprintf("%s left out, see %s", document.Plural(int64(n), "report"), EachJSON)})
	}
	return d.Print(w, on)
}

// WritePage writes index.html as [WriteEach] does.
func (e *Each) WritePage(w io.Writer) error {
	d := &document.Document{Output: document.Page, Title: "Monitor of each " + quote.Visible(e.Key), Verdict: report.Pass, VerdictText: e.tally()}
	if e.Alarms() > 0 {
		d.Verdict = report.Fail
	}
	d.Add(document.Section{In: document.Page, Title: "Monitors", Table: document.TableOf(e.worst(), e.columns(document.Page)...), Notes: []string{e.promise()}})
	addTable(d, "Reports left out", e.Skipped, mostRows, "", skippedColumns()...)
	d.Foot = []string{EachJSON + " has the index with all digits; each folder has all files of a monitor."}
	return d.Write(w)
}

// promise says how rare false alarms are, of one monitor and of all.
func (e *Each) promise() string {
	text := fmt.Sprintf("As long as nothing changes, a monitor alone is expected to raise one false alarm in %s nights or more", short(e.NightsToFalseAlarm))
	made := collections.Select(e.Parts, func(p *Part) bool { return p.Folder != "" })
	if n := len(made); n > 1 {
		text += fmt.Sprintf(", and %d together one in %s", n, short(e.NightsToFalseAlarm/float64(n)))
	}
	return text + "."
}

// columns returns the columns of the index. A screen has room for few.
func (e *Each) columns(of document.Output) []document.Cells[Part] {
	page := of == document.Page
	return []document.Cells[Part]{
		document.Text(quote.Visible(e.Key), func(p Part) string { return quote.Visible(p.Value) }).Link(func(p Part) string {
			if p.Folder == "" {
				return ""
			}
			return url.PathEscape(p.Folder) + "/" + HTML
		}),
		document.Judged("verdict", func(p Part) document.Cell {
			c := document.Cell{Text: p.verdict(), Verdict: p.verdict(), Meaning: p.why()}
			if p.Alarms > 0 {
				c.Arrow, c.Verdict = "▼", worse
			}
			return c
		}),
		document.Text("newest night", func(p Part) string { return document.Brief(p.Date) }).If(page),
		document.Numbers("nights", func(p Part) string { return document.Grouped(int64(p.Nights)) }).If(page),
		document.Text("metric", func(p Part) string {
			if p.Metric == "" {
				return ""
			}
			return quote.Visible(p.Metric)
		}),
		document.Numbers("last value", func(p Part) string {
			if p.Metric == "" {
				return ""
			}
			if !page {
				return document.Fixed(p.Last, places)
			}
			return estimated(&report.Estimate{Value: p.Last, Low: p.Low, High: p.High})
		}),
		document.Numbers("change", func(p Part) string { return signed(p.Change) }),
		document.Text("last nights", func(p Part) string { return blocks(p.Trend) }),
		document.Text("alarms", func(p Part) string { return p.why() }).If(page),
	}
}

// why says what alarmed or, without an alarm, why there is no verdict.
func (p *Part) why() string {
	if p.Alarms == 0 {
		return document.Brief(p.Reason)
	}
	text := strings.Join(collections.Map(p.Alarmed, document.OneLine), "; ")
	if more := p.Alarms - len(p.Alarmed); more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}
