package document

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/lists"
	"github.com/beameval/beameval/internal/numbers"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
)

// The limits of documents. The other files have everything.
const (
	mostLabels     = 50
	screenLabels   = 20
	mostReasons    = 50
	mostClasses    = 20      // of a confusion matrix in Markdown
	pictureClasses = 30      // of a confusion matrix that is drawn
	pageBytes      = 100_000 // of the configuration
	PageCurves     = 10      // of labels, in one picture
	PageSlices     = 20      // in one picture
	mostRows       = 1000    // of a table on the page
	tableBytes     = 400_000 // about, of a table on the page
)

// mostSlices is the maximum number of slices in a document.
var mostSlices = map[Output]int{OnScreen: 10, Markdown: 100, Page: mostRows}

// Write writes the document of a sorted report for an output other than a screen.
func Write(r *report.Report, of Output, w io.Writer) error {
	d, err := newDocument(r, of)
	if err != nil {
		return err
	}
	return d.Write(w)
}

// Summary prints the headlines of r for a screen. It does not depend on the order of r.
func Summary(r *report.Report, w io.Writer, on Screen) error {
	d, err := newDocument(r, OnScreen)
	if err != nil {
		return err
	}
	return d.Print(w, on)
}

func newDocument(r *report.Report, of Output) (*Document, error) {
	config, task := r.Settings(), quote.Visible(r.Task)
	d := newDigest(r, &config)
	doc := &Document{Output: of, Title: "Evaluation report: " + task, Notes: []string{tallyOf(r) + "."}}
	if of == Page || of == Chat {
		doc.Title = cmp.Or(Brief(config.Report.Title), doc.Title)
		doc.About, doc.Notes = about(r, &config), nil
		for note := range strings.Lines(config.Report.Notes) {
			if note = Brief(note); note != "" {
				doc.Notes = append(doc.Notes, note)
			}
		}
	}
	doc.Add(Section{In: OnScreen, Lead: task + ": " + tallyOf(r)})
	doc.AddGates(r.Gates, r.Baseline.Notes()...)
	sure := []string{confidenceNote(r, of)}
	doc.Add(Section{In: Page, ID: "headlines", Title: "Metrics at a glance", Cards: cards(r, d), Notes: sure})
	doc.AddWarnings(skippedInWords(r), r.AllWarnings())
	groups := groupsOf(r, &config)
	var pictures, ofGroups []Picture
	if of == Page {
		var known []labelCurve
		pictures, ofGroups, known = picturesOf(r, d, &config, groups)
		choice := map[string]string{"multiclass": "class", "multilabel": "label"}[r.Task]
		if doc.Known = known; len(known) == 0 {
			choice = ""
		}
		doc.Add(Section{In: Page, Title: "Charts", Pictures: pictures, Choice: choice})
		doc.Add(Section{In: Page, ID: "slider", Title: "Other thresholds", Slider: newSlider(r, &config, known)})
	}
	doc.Add(Section{In: OnScreen | Markdown, Title: "Metrics", Table: doc.metrics(r, d, d.headlines), Notes: sure})
	doc.Add(Section{In: Markdown, Title: "Others", Sub: true, Table: doc.metrics(r, d, d.others())})
	doc.differences(r, d)
	labels := labelsSection(r, d, of)
	if of == Markdown {
		doc.Add(labels)
	}
	doc.Add(groups.section(d, of, ofGroups))
	kept, note := d.worst(d.most(of, mostSlices[of], d.slices, d.ofSlices()))
	doc.Add(Section{In: OnScreen | Markdown | Page, ID: "slices", Title: "Slices", Table: linesTable(of, "slice", kept, d.ofSlices()), Notes: []string{note}})
	if of == Page || of == OnScreen && len(d.labels) <= screenLabels {
		doc.Add(labels)
	}
	doc.Add(ranksSection(r, of))
	doc.Add(winsSection(r))
	doc.addChanges(r)
	doc.Add(labelPairs(r, of))
	doc.foundSlices(r.Search)
	doc.Add(worstExamples(r))
	doc.changedExamples(r)
	if of == Markdown {
		doc.Add(confusionSection(r.ConfusionOf(mostClasses)))
	}
	doc.Add(Section{In: Page, ID: "metrics", Title: "All metrics", Table: doc.metrics(r, d, d.names)})
	doc.addUndefined(undefinedMetrics(r))
	if of == Chat {
		doc.Add(Section{In: Chat, List: message(r, d, doc)})
	}
	doc.Foot = foot(r, &config)
	return doc, doc.addConfig(r)
}

// foot says what the numbers are of, and where to find what the page does not show.
func foot(r *report.Report, config *report.Settings) []string {
	of := Facts(Fact{"Data", Brief(config.Report.Data)}, Fact{"Date", Brief(config.Report.Date)}, Fact{"Rows", tallyOf(r)})
	all := report.MetricsJSON
	if r.Omits() {
		all = report.MetricsParquet
	}
	return []string{
		strings.Join(lists.Map(of, func(f Fact) string { return f.Name + ": " + f.Text + "." }), " "),
		all + " has all results with all digits. " + report.RunJSON + " has what differs between runs: when the report was made, with which version of beameval, and from which files.",
	}
}

func about(r *report.Report, config *report.Settings) []Fact {
	says, positive := &config.Report, ""
	if config.PositiveLabel != "" {
		positive = quote.Visible(config.PositiveLabel)
	}
	return Facts(Fact{"Model", Brief(says.Model)}, Fact{"Data", Brief(says.Data)}, Fact{"Date", Brief(says.Date)}, Fact{"Task", quote.Visible(r.Task)},
		Fact{"Rows", tallyOf(r)}, Fact{"Positive", positive})
}

// skippedInWords says how many rows were skipped, and why.
func skippedInWords(r *report.Report) []string {
	return lists.Map(slices.Sorted(maps.Keys(r.Rows.Skipped)), func(reason string) string {
		return Plural(r.Rows.Skipped[reason], "row") + " skipped: " + Brief(reason)
	})
}

func cards(r *report.Report, d *digest) []Card {
	return lists.Map(d.headlines, func(name string) Card {
		row := d.overall[name]
		c := newCard(name, onPage(row, cardPlaces))
		c.Bar, c.Undefined, c.Change = barOf(row.Value, row.Confidence), Brief(row.Reason()), changeFrom(r, name)
		return c
	})
}

// changeFrom describes the difference of a metric of all examples from the baseline of gates, if one
// compares it, or from the baseline that has predicted the same examples.
func changeFrom(r *report.Report, metric string) string {
	for i := range r.Gates {
		if g := &r.Gates[i]; g.Metric == metric && len(g.Slice) == 0 && g.Label == nil && numbers.Finite(g.Difference) && g.Compares() {
			return fmt.Sprintf("%+.4g from the baseline", g.Difference)
		}
	}
	for i := range r.Differences {
		if d := &r.Differences[i]; d.Name == metric && len(d.Slice) == 0 && d.Label == nil && numbers.Finite(d.Difference) {
			return fmt.Sprintf("%+.4g from the baseline", d.Difference)
		}
	}
	return ""
}

// metrics returns a table of metrics of all examples.
func (d *Document) metrics(r *report.Report, of *digest, names []string) *Table {
	shown := OneLine
	if d.Output == Page {
		shown = Brief
	}
	undefined := Text("undefined", func(row *report.Row) string { return shown(row.Reason()) })
	undefined.optional = d.Output != Markdown
	t := TableOf(lists.Map(names, func(name string) *report.Row { return of.overall[name] }),
		Text("metric", func(row *report.Row) string { return quote.Visible(row.Name) }),
		Numbers("value", value).If(d.Output != Page),
		Numbers("value", func(row *report.Row) string { return onPage(row, cellPlaces) }).If(d.Output == Page),
		Numbers("support", func(row *report.Row) string { return Grouped(row.Support) }).If(d.Output != OnScreen),
		Text("better", func(row *report.Row) string { return r.Meanings[row.Name].Better }).If(d.Output == Page),
		Text("definition", func(row *report.Row) string { return r.Meanings[row.Name].Definition }).If(d.Output == Page),
		undefined,
		Text("no interval", func(row *report.Row) string { return OneLine(row.NoInterval()) }).Optional().If(d.Output == Markdown))
	if t != nil {
		t.fit = keepColumns
	}
	return t
}

func labelsSection(r *report.Report, d *digest, of Output) Section {
	kept, note := largest(d.labels, mostLabels), ""
	s := Section{In: OnScreen | Markdown | Page, ID: "labels", Title: "Labels"}
	switch {
	case of == Page:
		kept, note = d.worstLabels(r, d.most(of, mostRows, d.labels, d.columns))
		if r.Task == "multiclass" {
			s.Title = "Classes"
		}
	case len(kept) < len(d.labels):
		note = fmt.Sprintf("The %d labels with the largest support, of %s.", len(kept), Grouped(int64(len(d.labels))))
	}
	if r.Task == "preference" {
		s.Title = "Systems"
	}
	s.Table, s.Notes = linesTable(of, "label", kept, d.columns), []string{note}
	return s
}

func confusionSection(f *report.Confusion) (s Section) {
	if f == nil {
		return s
	}
	s = Section{In: Markdown, Title: "Confusion"}
	if f.Weighted {
		s.Notes = []string{"Sums of weights."}
	}
	names, rows := lists.Map(f.Names, quote.Visible), make([][]string, len(f.Names))
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
	if s.Table = NumbersOf(rows, "true ↓ predicted →", names...); f.PerLabel {
		s.Table = NumbersOf(rows, "label", "tp", "fp", "fn", "tn")
	}
	return s
}

// cellText formats a cell of a matrix: its weight if examples have weights, otherwise its count.
func cellText(f *report.Confusion, matrix, i int) string {
	if f.Weighted {
		return weight(f.Matrices[matrix].Weights[i])
	}
	return Grouped(f.Matrices[matrix].Counts[i])
}

func (d *Document) addUndefined(all []*undefinedMetric) {
	kept := all[:min(len(all), mostReasons)]
	notes := []string{FirstOf(len(kept), len(all), "")}
	name := Text("metric", func(u *undefinedMetric) string { return quote.Visible(u.name) })
	d.Add(Section{In: Markdown, Title: "Undefined metrics", Notes: notes, Table: TableOf(kept, name,
		Text("reason", func(u *undefinedMetric) string { return OneLine(u.reason) }),
		Text("where", func(u *undefinedMetric) string {
			if u.rows > 1 {
				return u.first.Place() + fmt.Sprintf(" and %s more", Grouped(u.rows-1))
			}
			return u.first.Place()
		}))})
	if d.Output == Page && len(kept) > 0 {
		t := TableOf(kept, name,
			Text("reason", func(u *undefinedMetric) string { return Brief(u.reason) }),
			Numbers("rows", func(u *undefinedMetric) string { return Grouped(u.rows) }),
			Text("the first of them", func(u *undefinedMetric) string { return u.first.Place() }))
		t.Name = "Undefined metrics"
		d.Add(Section{In: Page, ID: "undefined", Title: "Undefined", Table: t, Notes: notes})
	}
}

// addConfig adds the configuration, unless it is so long that it would slow down the page.
func (d *Document) addConfig(r *report.Report) error {
	if len(r.Config) == 0 || d.Output&(Markdown|Page) == 0 {
		return nil
	}
	s := Section{In: Markdown | Page, ID: "configuration", Title: "Configuration", Folded: "The effective configuration"}
	if n := len(r.Config); d.Output == Page && n > pageBytes {
		s.Code = fmt.Sprintf("%s bytes: see %s", Grouped(int64(n)), report.MetricsJSON)
	} else {
		var indented bytes.Buffer
		if err := json.Indent(&indented, r.Config, "", "  "); err != nil {
			return fmt.Errorf("configuration: %w", err)
		}
		s.Code = escapeUnseen(indented.String())
	}
	d.Add(s)
	return nil
}
