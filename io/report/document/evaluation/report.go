// Package evaluation presents the report of an evaluation to people. It decides what a document shows
// of a report, and draws its charts:
//
//	report.Report ─► digest.go    the metrics, labels and slices to show
//	                    │
//	                    ▼
//	                 report.go    the sections, in order ─► document.Document
//	                    ▲
//	                    ├── headlines.go, lines.go, order.go, differences.go, changes.go, groups.go, found.go, …  tables
//	                    ├── pictures.go, dots.go, confusion.go, scores.go, benefit.go, valuepictures.go, slider.go  charts
//	                    └── message.go                                                                          the message for a chat
package evaluation

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
)

// The limits of documents. The other files have everything.
const (
	mostLabels     = 50
	screenLabels   = 20
	mostReasons    = 50
	mostClasses    = 20      // of a confusion matrix in Markdown
	pictureClasses = 30      // of a confusion matrix that is drawn
	pageBytes      = 100_000 // of the configuration
	mostRows       = 1000    // of a table on the page
	tableBytes     = 400_000 // about, of a table on the page
)

// mostSlices is the maximum number of slices in a document.
var mostSlices = map[document.Output]int{document.OnScreen: 10, document.Markdown: 100, document.Page: mostRows}

// Write writes the document of a sorted report for an output other than a screen.
func Write(r *report.Report, of document.Output, w io.Writer) error { return Writer(r)(of, w) }

// Writer returns Write for several documents of a sorted report, also at the same time. They share what they show of its
// rows, of which there may be millions.
func Writer(r *report.Report) func(of document.Output, w io.Writer) error {
	shown := sync.OnceValue(func() *digest { return newDigest(r) })
	return func(of document.Output, w io.Writer) error {
		d, err := newDocument(r, shown(), of)
		if err != nil {
			return err
		}
		return d.Write(w)
	}
}

// Summary prints the headlines of r for a screen. It does not depend on the order of r.
func Summary(r *report.Report, w io.Writer, on document.Screen) error {
	d, err := newDocument(r, newDigest(r), document.OnScreen)
	if err != nil {
		return err
	}
	return d.Print(w, on)
}

func newDocument(r *report.Report, d *digest, of document.Output) (*document.Document, error) {
	config, task := r.Settings(), quote.Visible(r.Task)
	doc := &document.Document{Output: of, Title: "Evaluation report: " + task, Notes: []string{tallyOf(r) + "."}}
	if of == document.Page || of == document.Chat {
		shown := document.Brief
		if of == document.Page {
			shown = document.OneLine // a heading is whole
		}
		doc.Title = cmp.Or(shown(config.Report.Title), doc.Title)
		doc.About, doc.Notes = about(r, &config), nil
		for note := range strings.Lines(config.Report.Notes) {
			if note = document.Brief(note); note != "" {
				doc.Notes = append(doc.Notes, note)
			}
		}
	}
	doc.Add(document.Section{In: document.OnScreen, Lead: task + ": " + tallyOf(r)})
	if of != document.OnScreen { // where gates are the verdict, which comes first
		doc.AddFindings(r.Findings, r.Checks)
	}
	if of == document.Page {
		addPage(doc, r, d, &config)
	} else {
		addText(doc, r, d, &config)
	}
	if len(r.Gates) == 0 {
		doc.VerdictText = withoutGates(r)
	}
	addUndefined(doc, d.undefined)
	if of == document.Chat {
		doc.Add(document.Section{In: document.Chat, List: message(r, d, doc)})
	}
	doc.Foot = foot(r, &config)
	return doc, addConfig(doc, r)
}

// addText adds what a screen and Markdown show, in the order of metrics, labels and slices.
func addText(doc *document.Document, r *report.Report, d *digest, config *report.Settings) {
	of, labels, groups := doc.Output, labelsSection(r, d, doc.Output), groupsOf(r, config)
	doc.AddGates(r.Gates, slices.Concat(r.Baseline.Notes(), groups.extremes(r.Gates))...)
	if of == document.OnScreen {
		doc.AddFindings(r.Findings, r.Checks)
	}
	doc.AddChecks(nil, r.Checks)
	doc.Add(document.Section{In: document.OnScreen | document.Markdown, Title: "Metrics", Table: metricsTable(of, r, d, d.headlines), Notes: []string{confidenceNote(r)}})
	others := slices.DeleteFunc(slices.Clone(d.names), func(name string) bool { return slices.Contains(d.headlines, name) })
	doc.Add(document.Section{In: document.Markdown, Title: "Others", Sub: true, Table: metricsTable(of, r, d, others)})
	addDifferences(doc, r, d)
	if of == document.Markdown {
		doc.Add(labels)
	}
	groups.add(doc, d, nil)
	addSlices(doc, d)
	if of == document.OnScreen && len(d.labels) <= screenLabels {
		doc.Add(labels)
	}
	doc.Add(ranksSection(r, of, nil))
	doc.Add(winsSection(r))
	doc.Add(ratersSection(r, nil))
	addChanges(doc, r, d)
	doc.Add(labelPairs(r, of))
	addFoundSlices(doc, r.Search)
	doc.Add(worstExamples(r, doc.Output))
	addChangedExamples(doc, r)
	if of == document.Markdown {
		doc.Add(confusionSection(r.ConfusionOf(mostClasses)))
	}
}

// addPage adds what the page shows: the most important metrics, whether gates and checks hold, what was asked for, then
// slices, charts and all metrics. Of systems that were compared in pairs, it first says which are the best.
func addPage(doc *document.Document, r *report.Report, d *digest, config *report.Settings) {
	groups := groupsOf(r, config)
	pictures := picturesOf(r, d, config, groups)
	doc.Add(ranksSection(r, doc.Output, pictures.systems))
	doc.Add(winsSection(r))
	doc.Add(ratersSection(r, pictures.raters))
	doc.Add(document.Section{In: document.Page, ID: "headlines", Title: "Metrics at a glance", Cards: cards(r, d), Notes: []string{confidenceNote(r)}})
	doc.AddGates(r.Gates, slices.Concat(r.Baseline.Notes(), groups.extremes(r.Gates))...)
	doc.AddChecks(skippedInWords(r), r.Checks)
	addDifferences(doc, r, d)
	groups.add(doc, d, pictures.groups)
	addFoundSlices(doc, r.Search)
	addChanges(doc, r, d)
	doc.Add(labelPairs(r, doc.Output))
	doc.Add(worstExamples(r, doc.Output))
	addChangedExamples(doc, r)
	addSlices(doc, d)
	doc.Add(labelsSection(r, d, doc.Output))
	charts := document.Section{In: document.Page, Title: "Charts", Pictures: pictures.charts}
	doc.Known = pictures.known
	if len(doc.Known) > 0 {
		charts.Choice, charts.Search = map[string]string{"multiclass": "class", "multilabel": "label"}[r.Task], len(doc.Known) > manyLabels
	}
	doc.Add(charts)
	doc.Add(document.Section{In: document.Page, ID: "slider", Title: "Other thresholds", Slider: newSlider(r, config, doc.Known)})
	doc.Add(document.Section{In: document.Page, ID: "metrics", Title: "All metrics", Folded: document.Plural(int64(len(d.names)), "metric") + " of all examples", Table: metricsTable(doc.Output, r, d, d.names)})
}

// addSlices adds the table of slices, the worst first.
func addSlices(doc *document.Document, d *digest) {
	of := doc.Output
	kept, note := d.worst(d.most(of, mostSlices[of], d.slices, d.ofSlices()))
	doc.Add(document.Section{In: document.OnScreen | document.Markdown | document.Page, ID: "slices", Title: "Slices", Table: linesTable(of, "slice", kept, d.ofSlices()), Notes: []string{note}})
}

// foot says what the numbers are of, and where to find what the page does not show.
func foot(r *report.Report, config *report.Settings) []string {
	of := document.Facts(document.Fact{Name: "Data", Text: document.Brief(config.Report.Data)}, document.Fact{Name: "Date", Text: document.Brief(config.Report.Date)}, document.Fact{Name: "Rows", Text: tallyOf(r)})
	all := report.MetricsJSON
	if r.Omits() {
		all = report.MetricsParquet
	}
	return []string{
		strings.Join(collections.Map(of, func(f document.Fact) string { return f.Name + ": " + f.Text + "." }), " "),
		all + " has all results with all digits. " + report.RunJSON + " has what differs between runs: when the report was made, with which version of beameval, and from which files.",
	}
}

func about(r *report.Report, config *report.Settings) []document.Fact {
	says, positive := &config.Report, ""
	if config.PositiveLabel != "" {
		positive = quote.Visible(config.PositiveLabel)
	}
	return document.Facts(document.Fact{Name: "Model", Text: document.Brief(says.Model)}, document.Fact{Name: "Data", Text: document.Brief(says.Data)}, document.Fact{Name: "Date", Text: document.Brief(says.Date)}, document.Fact{Name: "Task", Text: quote.Visible(r.Task)},
		document.Fact{Name: "Rows", Text: tallyOf(r)}, document.Fact{Name: "Positive", Text: positive})
}

// withoutGates says what a report without gates has in place of a verdict.
func withoutGates(r *report.Report) string {
	return "No gates. " + cmp.Or(document.ChecksInWords(r.Checks), "No warnings") + "."
}

// skippedInWords says how many rows were skipped, and why.
func skippedInWords(r *report.Report) []string {
	return collections.Map(slices.Sorted(maps.Keys(r.Rows.Skipped)), func(reason string) string {
		return document.Plural(r.Rows.Skipped[reason], "row") + " skipped: " + document.Brief(reason)
	})
}

// metricsTable returns a table of metrics of all examples.
func metricsTable(to document.Output, r *report.Report, of *digest, names []string) *document.Table {
	shown := document.OneLine
	if to == document.Page {
		shown = document.Brief
	}
	undefined := document.Text("undefined", func(row *report.Row) string { return shown(row.Reason()) })
	if to != document.Markdown {
		undefined = undefined.Optional()
	}
	t := document.TableOf(collections.Map(names, func(name string) *report.Row { return of.overall[name] }),
		document.Text("metric", func(row *report.Row) string { return quote.Visible(row.Name) }),
		document.Numbers("value", document.Value).If(to != document.Page),
		document.Numbers("value", func(row *report.Row) string { return document.OnPage(document.CardPlaces, row)(row) }).If(to == document.Page),
		document.Numbers("support", func(row *report.Row) string { return document.Grouped(row.Support) }).If(to != document.OnScreen).Aside(),
		document.Text("better", func(row *report.Row) string { return r.Meanings[row.Name].Better }).If(to == document.Page).Aside(),
		document.Text("definition", func(row *report.Row) string { return r.Meanings[row.Name].Definition }).If(to == document.Page).Aside(),
		undefined,
		document.Text("no interval", func(row *report.Row) string { return document.OneLine(row.NoInterval()) }).Optional().If(to == document.Markdown))
	if t != nil {
		t.Fit = document.KeepColumns
	}
	return t
}

// labelWord is what labels of a task are called.
func labelWord(task string) string {
	if task == "agreement" {
		return "rater"
	}
	return "label"
}

func labelsSection(r *report.Report, d *digest, of document.Output) document.Section {
	kept, note := largest(d.labels, mostLabels), ""
	s := document.Section{In: document.OnScreen | document.Markdown | document.Page, ID: "labels", Title: "Labels"}
	switch {
	case of == document.Page:
		kept, note = d.worstLabels(r, d.most(of, mostRows, d.labels, d.columns))
		if r.Task == "multiclass" {
			s.Title = "Classes"
		}
	case len(kept) < len(d.labels):
		note = fmt.Sprintf("The %d labels with the largest support, of %s.", len(kept), document.Grouped(int64(len(d.labels))))
	}
	switch r.Task {
	case "preference":
		s.Title = "Systems"
	case "agreement":
		s.Title = "Metrics of raters"
	}
	if s.Table = linesTable(of, labelWord(r.Task), kept, d.columns); of == document.Page && len(d.labels) > manyLabels && r.Task != "preference" && len(r.Confusion) > 0 {
		s.Table, note = byMissed(r, d, len(kept))
	}
	s.Notes = []string{note}
	return s
}

func confusionSection(f *report.Confusion) (s document.Section) {
	if f == nil {
		return s
	}
	s = document.Section{In: document.Markdown, Title: "Confusion"}
	if f.Weighted {
		s.Notes = []string{"Sums of weights."}
	}
	names, rows := collections.Map(f.Names, quote.Visible), make([][]string, len(f.Names))
	for i := range rows {
		rows[i] = []string{names[i]}
		if f.PerLabel {
			for _, j := range []int{report.TP, report.FP, report.FN, report.TN} {
				rows[i] = append(rows[i], cellText(f, i, j))
			}
			continue
		}
		for j := range names {
			rows[i] = append(rows[i], cellText(f, 0, i*len(names)+j))
		}
	}
	if s.Table = document.NumbersOf(rows, "true ↓ predicted →", names...); f.PerLabel {
		s.Table = document.NumbersOf(rows, "label", "tp", "fp", "fn", "tn")
	}
	return s
}

// cellText formats a cell of a matrix: its weight if examples have weights, otherwise its count.
func cellText(f *report.Confusion, matrix, i int) string {
	if f.Weighted {
		return document.Weight(f.Matrices[matrix].Weights[i])
	}
	return document.Grouped(f.Matrices[matrix].Counts[i])
}

func addUndefined(d *document.Document, all []*undefinedMetric) {
	kept, first := document.First(all, mostReasons, "")
	notes := []string{first}
	name := document.Text("metric", func(u *undefinedMetric) string { return quote.Visible(u.name) })
	d.Add(document.Section{In: document.Markdown, Title: "Undefined metrics", Notes: notes, Table: document.TableOf(kept, name,
		document.Text("reason", func(u *undefinedMetric) string { return document.OneLine(u.reason) }),
		document.Text("where", func(u *undefinedMetric) string {
			if u.rows > 1 {
				return u.first.Place() + fmt.Sprintf(" and %s more", document.Grouped(u.rows-1))
			}
			return u.first.Place()
		}))})
	if d.Output == document.Page && len(kept) > 0 {
		t := document.TableOf(kept, name,
			document.Text("reason", func(u *undefinedMetric) string { return document.Brief(u.reason) }),
			document.Numbers("rows", func(u *undefinedMetric) string { return document.Grouped(u.rows) }),
			document.Text("the first of them", func(u *undefinedMetric) string { return u.first.Place() }))
		t.Name = "Undefined metrics"
		d.Add(document.Section{In: document.Page, ID: "undefined", Title: "Undefined", Folded: document.Plural(int64(len(all)), "reason"), Table: t, Notes: notes})
	}
}

// addConfig adds the configuration, unless it is so long that it would slow down the page.
func addConfig(d *document.Document, r *report.Report) error {
	if len(r.Config) == 0 || d.Output&(document.Markdown|document.Page) == 0 {
		return nil
	}
	s := document.Section{In: document.Markdown | document.Page, ID: "configuration", Title: "Configuration", Folded: "The effective configuration"}
	if n := len(r.Config); d.Output == document.Page && n > pageBytes {
		s.Code = fmt.Sprintf("%s bytes: see %s", document.Grouped(int64(n)), report.MetricsJSON)
	} else {
		var indented bytes.Buffer
		if err := json.Indent(&indented, r.Config, "", "  "); err != nil {
			return fmt.Errorf("configuration: %w", err)
		}
		s.Code = document.EscapeUnseen(indented.String())
	}
	d.Add(s)
	return nil
}
