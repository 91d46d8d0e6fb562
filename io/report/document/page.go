package document

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/lists"
	"github.com/beameval/beameval/internal/numbers"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
)

// What report.html shows at most.
const (
	PageSlices  = 50
	pageLabels  = 50
	PageCurves  = 10 // of labels, in a picture
	pageClasses = 30 // of a confusion matrix
	pageGates   = 100
	pageReasons = 100
	pageBytes   = 100_000 // of the configuration
)

var (
	//go:embed page/*.html
	pageFiles embed.FS
	//go:embed page/style.css
	PageStyle string
	//go:embed page/slider.js
	pageScript string

	PageTemplates = template.Must(template.ParseFS(pageFiles, "page/*.html"))
	// pagePolicy allows the page its own style and script, and no request.
	pagePolicy = "default-src 'none'; style-src '" + DigestOf(PageStyle) + "'; script-src '" + DigestOf(pageScript) +
		"'; base-uri 'none'; form-action 'none'"
)

func DigestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// Top is what all pages begin with. The templates escape all texts.
type Top struct {
	Policy         string
	Style          template.CSS
	Title          string
	About          []Fact
	Notes          []string       // paragraphs
	Verdict        report.Verdict // "" without gates
	VerdictText    string
	Gates          *Table
	HeadlinesTitle string
	Headlines      []Headline
	HeadlinesNote  string
	Warnings       []string
	Pictures       []Picture
}

// page is what report.html shows.
type page struct {
	Top
	Script      template.JS
	Slider      *pageSlider
	Slices      *Table
	LabelsTitle string
	Labels      *Table
	Metrics     *Table
	Undefined   *Table
	Config      string
}

type Fact struct{ Name, Text string }

type Headline struct {
	Name                    []string // lines may be broken between the parts
	Value, Range, Undefined string
	Change                  string // since the baseline
}

// Table is a table whose first column names the rows.
type Table struct {
	Name, Note string
	Header     []Cell
	Rows       []tableRowOf
}

type tableRowOf struct {
	Class string
	Cells []Cell
}

type Cell struct {
	Text         string
	Head, Number bool
}

// NewTable returns a table. It aligns the given columns, counted from 1, to the right.
func NewTable(name, note string, header []string, rows [][]string, numbers ...int) *Table {
	if len(rows) == 0 {
		return nil
	}
	cells := func(texts []string) []Cell {
		list := make([]Cell, len(texts))
		for i, s := range texts {
			list[i] = Cell{Text: s, Head: i == 0, Number: slices.Contains(numbers, i+1)}
		}
		return list
	}
	t := &Table{Name: name, Note: note, Header: cells(header)}
	for _, row := range rows {
		t.Rows = append(t.Rows, tableRowOf{Cells: cells(row)})
	}
	return t
}

// WritePage writes report.html of a report that is sorted: one file that needs no other.
func WritePage(r *report.Report, w io.Writer) error {
	p, err := newPage(r)
	if err != nil {
		return err
	}
	return PageTemplates.ExecuteTemplate(w, "page.html", p)
}

func newPage(r *report.Report) (*page, error) {
	config := r.Settings()
	d := newDigest(r)
	p := &page{
		Top: Top{
			Policy: pagePolicy, Style: template.CSS(PageStyle),
			Title:          titleOf(r, &config),
			About:          pageAbout(r, &config),
			Gates:          GatesTable(r.Gates),
			HeadlinesTitle: "Metrics at a glance",
			Headlines:      pageHeadlines(r, d),
			HeadlinesNote:  confidenceNote(r),
			Warnings:       append(skippedInWords(r), lists.Map(r.AllWarnings(), Brief)...),
			Pictures:       picturesOf(r, d, &config),
		},
		Script:    template.JS(pageScript),
		Slider:    newSlider(r, &config),
		Slices:    d.pageSlices(),
		Labels:    d.pageLabels(),
		Metrics:   pageMetrics(r, d),
		Undefined: pageUndefined(r),
	}
	p.LabelsTitle = "Labels"
	if r.Task == "multiclass" {
		p.LabelsTitle = "Classes"
	}
	for note := range strings.Lines(config.Report.Notes) {
		if note = Brief(note); note != "" {
			p.Notes = append(p.Notes, note)
		}
	}
	p.Verdict, p.VerdictText = VerdictOf(r.Gates)
	var err error
	p.Config, err = configText(r)
	return p, err
}

// configText returns the configuration, unless it is so long that it would make the page slow.
func configText(r *report.Report) (string, error) {
	switch n := len(r.Config); {
	case n == 0:
		return "", nil
	case n > pageBytes:
		return fmt.Sprintf("%s bytes: see %s", Grouped(int64(n)), report.MetricsJSON), nil
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, r.Config, "", "  "); err != nil {
		return "", fmt.Errorf("configuration: %w", err)
	}
	return escapeUnseen(indented.String()), nil
}

// Brief returns a text of others on one line, cut if it is long.
func Brief(s string) string { return quote.Short(OneLine(s)) }

func titleOf(r *report.Report, config *report.Settings) string {
	return cmp.Or(Brief(config.Report.Title), "Evaluation report: "+quote.Visible(r.Task))
}

func pageAbout(r *report.Report, config *report.Settings) []Fact {
	var facts []Fact
	add := func(name, text string) {
		if text != "" {
			facts = append(facts, Fact{name, text})
		}
	}
	add("Model", Brief(config.Report.Model))
	add("Data", Brief(config.Report.Data))
	add("Task", quote.Visible(r.Task))
	add("Rows", tallyOf(r))
	if config.PositiveLabel != "" {
		add("Positive", quote.Visible(config.PositiveLabel))
	}
	return facts
}

// VerdictOf says in words what became of gates.
func VerdictOf(gates []report.GateResult) (report.Verdict, string) {
	switch failed := report.CountFailed(gates); {
	case len(gates) == 0:
		return "", "No gates are set."
	case failed > 0:
		return report.Fail, fmt.Sprintf("Failed: %s of %s.", Grouped(int64(failed)), Plural(int64(len(gates)), "gate"))
	}
	return report.Pass, "Passed: " + gateTally(gates) + "."
}

func GatesTable(gates []report.GateResult) *Table {
	header, lines, numbers := gateLines(gates, pageGates)
	note := ""
	if len(lines) < len(gates) {
		note = fmt.Sprintf("The first %d of %s, those that failed before the others.", len(lines), Grouped(int64(len(gates))))
	}
	t := NewTable("Gates", note, header, lines, numbers...)
	if t != nil {
		for i := range t.Rows {
			t.Rows[i].Class = t.Rows[i].Cells[0].Text
		}
	}
	return t
}

// skippedInWords says how many rows were skipped, and why.
func skippedInWords(r *report.Report) []string {
	var list []string
	for _, reason := range slices.Sorted(maps.Keys(r.Rows.Skipped)) {
		list = append(list, Plural(r.Rows.Skipped[reason], "row")+" skipped: "+Brief(reason))
	}
	return list
}

func pageHeadlines(r *report.Report, d *digest) []Headline {
	list := make([]Headline, len(d.headlines))
	for i, name := range d.headlines {
		row := d.overall[name]
		h := Headline{Name: strings.SplitAfter(quote.Visible(name), "_"), Undefined: Brief(row.Reason())}
		h.Value, h.Range = value(row), ""
		for _, sign := range []string{" ± ", " ["} {
			if before, after, found := strings.Cut(h.Value, sign); found {
				h.Value, h.Range = before, strings.TrimSpace(sign)+" "+after
			}
		}
		h.Range = strings.Replace(h.Range, "[ ", "[", 1)
		h.Change = changeFrom(r, name)
		list[i] = h
	}
	return list
}

// changeFrom says how a metric of all examples differs from the baseline, if a gate compares it.
func changeFrom(r *report.Report, metric string) string {
	for i := range r.Gates {
		if g := &r.Gates[i]; g.Metric == metric && len(g.Slice) == 0 && g.Label == nil && numbers.Finite(g.Difference) && (g.MaxDrop != nil || g.MaxRise != nil) {
			return fmt.Sprintf("%+.4g from the baseline", g.Difference)
		}
	}
	return ""
}

func (d *digest) pageSlices() *Table {
	kept, note := d.worst(PageSlices)
	return pageLines("slice", note, kept, d.headlines, func(l *line) string { return l.slice.String() })
}

func (d *digest) pageLabels() *Table {
	kept := largest(d.labels, pageLabels)
	note := ""
	if len(kept) < len(d.labels) {
		note = fmt.Sprintf("The %d with the largest support, of %s.", len(kept), Grouped(int64(len(d.labels))))
	}
	return pageLines("label", note, kept, d.columns, func(l *line) string { return quote.Visible(l.label) })
}

func pageLines(kind, note string, lines []line, names []string, title func(*line) string) *Table {
	header, rows, starred := lineTable(kind, lines, names, title)
	if starred {
		note = strings.TrimSpace(note + " –: undefined. *: undefined in whole or in part. The reasons are below.")
	}
	return NewTable(kind+"s", note, header, rows, columnRange(2, len(header))...)
}

func pageMetrics(r *report.Report, d *digest) *Table {
	header := []string{"metric", "value", "support", "better", "definition"}
	if slices.ContainsFunc(d.names, func(name string) bool { return d.overall[name].Reason() != "" }) {
		header = append(header, "undefined")
	}
	var rows [][]string
	for _, name := range d.names {
		row, meaning := d.overall[name], r.Meanings[name]
		cells := []string{quote.Visible(name), value(row), Grouped(row.Support), meaning.Better, meaning.Definition, Brief(row.Reason())}
		rows = append(rows, cells[:len(header)])
	}
	return NewTable("All metrics", "", header, rows, 2, 3)
}

func pageUndefined(r *report.Report) *Table {
	list := undefinedMetrics(r)
	note := ""
	if len(list) > pageReasons {
		note = fmt.Sprintf("The first %d of %s.", pageReasons, Grouped(int64(len(list))))
		list = list[:pageReasons]
	}
	var rows [][]string
	for _, u := range list {
		rows = append(rows, []string{quote.Visible(u.name), Brief(u.reason), Grouped(u.rows), u.first.Place()})
	}
	return NewTable("Undefined metrics", note, []string{"metric", "reason", "rows", "the first of them"}, rows, 3)
}
