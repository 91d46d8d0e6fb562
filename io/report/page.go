package report

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

	"github.com/beameval/beameval/io/quote"
)

// Meaning says what a metric is.
type Meaning struct {
	Definition string // in one line
	Better     string // "higher", "lower" or, if neither is, ""
	Own        bool   // of the program that wrote the report: metrics.json says what it is
}

// What report.html shows at most.
const (
	pageSlices  = 50
	pageLabels  = 50
	pageCurves  = 10 // of labels, in a picture
	pageClasses = 30 // of a confusion matrix
	pageGates   = 100
	pageReasons = 100
	pageBytes   = 100_000 // of the configuration
)

var (
	//go:embed page/*.html
	pageFiles embed.FS
	//go:embed page/style.css
	pageStyle string
	//go:embed page/slider.js
	pageScript string

	pageTemplates = template.Must(template.ParseFS(pageFiles, "page/*.html"))
	// pagePolicy allows the page its own style and script, and no request.
	pagePolicy = "default-src 'none'; style-src '" + digestOf(pageStyle) + "'; script-src '" + digestOf(pageScript) +
		"'; base-uri 'none'; form-action 'none'"
)

func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// pageTop is what all pages begin with. The templates escape all texts.
type pageTop struct {
	Policy         string
	Style          template.CSS
	Title          string
	About          []pageFact
	Notes          []string // paragraphs
	Verdict        Verdict  // "" without gates
	VerdictText    string
	Gates          *pageTable
	HeadlinesTitle string
	Headlines      []pageHeadline
	HeadlinesNote  string
	Warnings       []string
	Pictures       []pagePicture
}

// page is what report.html shows.
type page struct {
	pageTop
	Script      template.JS
	Slider      *pageSlider
	Slices      *pageTable
	LabelsTitle string
	Labels      *pageTable
	Metrics     *pageTable
	Undefined   *pageTable
	Config      string
}

type pageFact struct{ Name, Text string }

type pageHeadline struct {
	Name                    []string // lines may be broken between the parts
	Value, Range, Undefined string
	Change                  string // since the baseline
}

// pageTable is a table whose first column names the rows.
type pageTable struct {
	Name, Note string
	Header     []pageCell
	Rows       []pageRow
}

type pageRow struct {
	Class string
	Cells []pageCell
}

type pageCell struct {
	Text         string
	Head, Number bool
}

// newPageTable returns a table. It aligns the given columns, counted from 1, to the right.
func newPageTable(name, note string, header []string, rows [][]string, numbers ...int) *pageTable {
	if len(rows) == 0 {
		return nil
	}
	cells := func(texts []string) []pageCell {
		list := make([]pageCell, len(texts))
		for i, s := range texts {
			list[i] = pageCell{Text: s, Head: i == 0, Number: slices.Contains(numbers, i+1)}
		}
		return list
	}
	t := &pageTable{Name: name, Note: note, Header: cells(header)}
	for _, row := range rows {
		t.Rows = append(t.Rows, pageRow{Cells: cells(row)})
	}
	return t
}

// pageConfig is what the page tells of the configuration.
type pageConfig struct {
	Report        struct{ Title, Model, Data, Notes string }
	PositiveLabel string `json:"positive_label"`
	Decision      struct{ Threshold json.RawMessage }
}

func (r *Report) settings() (config pageConfig) {
	_ = json.Unmarshal(r.Config, &config) // what another version wrote there is shown, not understood
	return config
}

// writePage writes report.html: one file that needs no other.
func (r *Report) writePage(w io.Writer) error {
	p, err := r.page()
	if err != nil {
		return err
	}
	return pageTemplates.ExecuteTemplate(w, "page.html", p)
}

func (r *Report) page() (*page, error) {
	config := r.settings()
	d := r.digest()
	p := &page{
		pageTop: pageTop{
			Policy: pagePolicy, Style: template.CSS(pageStyle),
			Title:          r.title(&config),
			About:          r.pageAbout(&config),
			Gates:          gatesTable(r.Gates),
			HeadlinesTitle: "Metrics at a glance",
			Headlines:      r.pageHeadlines(d),
			HeadlinesNote:  r.confidenceNote(),
			Warnings:       append(r.skippedInWords(), mapped(r.warnings(), brief)...),
			Pictures:       r.pictures(d, &config),
		},
		Script:    template.JS(pageScript),
		Slider:    r.slider(&config),
		Slices:    d.pageSlices(),
		Labels:    d.pageLabels(),
		Metrics:   r.pageMetrics(d),
		Undefined: r.pageUndefined(),
	}
	p.LabelsTitle = "Labels"
	if r.Task == "multiclass" {
		p.LabelsTitle = "Classes"
	}
	for note := range strings.Lines(config.Report.Notes) {
		if note = brief(note); note != "" {
			p.Notes = append(p.Notes, note)
		}
	}
	p.Verdict, p.VerdictText = verdictOf(r.Gates)
	var err error
	p.Config, err = r.pageConfig()
	return p, err
}

// pageConfig returns the configuration, unless it is so long that it would make the page slow.
func (r *Report) pageConfig() (string, error) {
	switch n := len(r.Config); {
	case n == 0:
		return "", nil
	case n > pageBytes:
		return fmt.Sprintf("%s bytes: see %s", grouped(int64(n)), MetricsJSON), nil
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, r.Config, "", "  "); err != nil {
		return "", fmt.Errorf("configuration: %w", err)
	}
	return escapeUnseen(indented.String()), nil
}

// brief returns a text of others on one line, cut if it is long.
func brief(s string) string { return quote.Short(oneLine(s)) }

func (r *Report) title(config *pageConfig) string {
	return cmp.Or(brief(config.Report.Title), "Evaluation report: "+quote.Visible(r.Task))
}

func (r *Report) pageAbout(config *pageConfig) []pageFact {
	var facts []pageFact
	add := func(name, text string) {
		if text != "" {
			facts = append(facts, pageFact{name, text})
		}
	}
	add("Model", brief(config.Report.Model))
	add("Data", brief(config.Report.Data))
	add("Task", quote.Visible(r.Task))
	add("Rows", r.tally())
	if config.PositiveLabel != "" {
		add("Positive", quote.Visible(config.PositiveLabel))
	}
	return facts
}

// verdictOf says in words what became of gates.
func verdictOf(gates []GateResult) (Verdict, string) {
	switch failed := failed(gates); {
	case len(gates) == 0:
		return "", "No gates are set."
	case failed > 0:
		return Fail, fmt.Sprintf("Failed: %s of %s.", grouped(int64(failed)), plural(int64(len(gates)), "gate"))
	}
	return Pass, "Passed: " + gateTally(gates) + "."
}

func gatesTable(gates []GateResult) *pageTable {
	header, lines, numbers := gateLines(gates, pageGates)
	note := ""
	if len(lines) < len(gates) {
		note = fmt.Sprintf("The first %d of %s, those that failed before the others.", len(lines), grouped(int64(len(gates))))
	}
	t := newPageTable("Gates", note, header, lines, numbers...)
	if t != nil {
		for i := range t.Rows {
			t.Rows[i].Class = t.Rows[i].Cells[0].Text
		}
	}
	return t
}

// skippedInWords says how many rows were skipped, and why.
func (r *Report) skippedInWords() []string {
	var list []string
	for _, reason := range slices.Sorted(maps.Keys(r.Rows.Skipped)) {
		list = append(list, plural(r.Rows.Skipped[reason], "row")+" skipped: "+brief(reason))
	}
	return list
}

func (r *Report) pageHeadlines(d *digest) []pageHeadline {
	list := make([]pageHeadline, len(d.headlines))
	for i, name := range d.headlines {
		row := d.overall[name]
		h := pageHeadline{Name: strings.SplitAfter(quote.Visible(name), "_"), Undefined: brief(row.undefined())}
		h.Value, h.Range = value(row), ""
		for _, sign := range []string{" ± ", " ["} {
			if before, after, found := strings.Cut(h.Value, sign); found {
				h.Value, h.Range = before, strings.TrimSpace(sign)+" "+after
			}
		}
		h.Range = strings.Replace(h.Range, "[ ", "[", 1)
		h.Change = r.change(name)
		list[i] = h
	}
	return list
}

// change says how a metric of all examples differs from the baseline, if a gate compares it.
func (r *Report) change(metric string) string {
	for i := range r.Gates {
		if g := &r.Gates[i]; g.Metric == metric && len(g.Slice) == 0 && g.Label == nil && finite(g.Difference) && (g.MaxDrop != nil || g.MaxRise != nil) {
			return fmt.Sprintf("%+.4g from the baseline", g.Difference)
		}
	}
	return ""
}

func (d *digest) pageSlices() *pageTable {
	kept, note := d.worst(pageSlices)
	return pageLines("slice", note, kept, d.headlines, func(l *line) string { return l.slice.String() })
}

func (d *digest) pageLabels() *pageTable {
	kept := largest(d.labels, pageLabels)
	note := ""
	if len(kept) < len(d.labels) {
		note = fmt.Sprintf("The %d with the largest support, of %s.", len(kept), grouped(int64(len(d.labels))))
	}
	return pageLines("label", note, kept, d.columns, func(l *line) string { return quote.Visible(l.label) })
}

func pageLines(kind, note string, lines []line, names []string, title func(*line) string) *pageTable {
	header, rows, starred := lineTable(kind, lines, names, title)
	if starred {
		note = strings.TrimSpace(note + " –: undefined. *: undefined in whole or in part. The reasons are below.")
	}
	return newPageTable(kind+"s", note, header, rows, columnRange(2, len(header))...)
}

func (r *Report) pageMetrics(d *digest) *pageTable {
	header := []string{"metric", "value", "support", "better", "definition"}
	if slices.ContainsFunc(d.names, func(name string) bool { return d.overall[name].undefined() != "" }) {
		header = append(header, "undefined")
	}
	var rows [][]string
	for _, name := range d.names {
		row, meaning := d.overall[name], r.Meanings[name]
		cells := []string{quote.Visible(name), value(row), grouped(row.Support), meaning.Better, meaning.Definition, brief(row.undefined())}
		rows = append(rows, cells[:len(header)])
	}
	return newPageTable("All metrics", "", header, rows, 2, 3)
}

func (r *Report) pageUndefined() *pageTable {
	list := r.undefinedMetrics()
	note := ""
	if len(list) > pageReasons {
		note = fmt.Sprintf("The first %d of %s.", pageReasons, grouped(int64(len(list))))
		list = list[:pageReasons]
	}
	var rows [][]string
	for _, u := range list {
		rows = append(rows, []string{quote.Visible(u.name), brief(u.reason), grouped(u.rows), u.first.place()})
	}
	return newPageTable("Undefined metrics", note, []string{"metric", "reason", "rows", "the first of them"}, rows, 3)
}
