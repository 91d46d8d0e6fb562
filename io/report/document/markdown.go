package document

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
)

// What report.md shows at most. The other files have everything.
const (
	maxLabels    = 50
	maxSlices    = 100
	maxUndefined = 100
	maxGates     = 100
	maxClasses   = 20 // of a confusion matrix
)

const footnote = "`–`: undefined. `*`: undefined in whole or in part. The reasons are below."

// WriteMarkdown writes report.md, to be read on GitHub or as plain text.
func WriteMarkdown(r *report.Report, w io.Writer) error {
	var m Markdown
	d := newDigest(r)
	m.Paragraph("# Evaluation report: " + Escape(quote.Visible(r.Task)))
	m.Paragraph(Escape(tallyOf(r)) + ".")
	m.Gates(r.Gates)
	m.Warnings(r.AllWarnings())
	m.overall(r, d)
	m.labels(d)
	m.slices(d)
	m.confusion(r.ConfusionOf(maxClasses))
	m.undefined(undefinedMetrics(r))
	if err := m.config(r.Config); err != nil {
		return err
	}
	_, err := w.Write(bytes.TrimSuffix(m.Bytes(), []byte("\n")))
	return err
}

// Markdown is a document of paragraphs with an empty line after each.
type Markdown struct{ bytes.Buffer }

func (m *Markdown) Paragraph(s string) {
	m.WriteString(s)
	m.WriteString("\n\n")
}

// Table writes a table. It aligns the given columns, counted from 1, to the right.
func (m *Markdown) Table(header []string, rows [][]string, numbers ...int) {
	t := table.NewWriter()
	t.AppendHeader(tableRow(header, Escape))
	for _, row := range rows {
		t.AppendRow(tableRow(row, Escape))
	}
	t.SetColumnConfigs(alignRight(numbers))
	m.Paragraph(t.RenderMarkdown())
}

func tableRow(cells []string, f func(string) string) table.Row {
	row := make(table.Row, len(cells))
	for i, cell := range cells {
		row[i] = f(cell)
	}
	return row
}

func alignRight(columns []int) []table.ColumnConfig {
	configs := make([]table.ColumnConfig, len(columns))
	for i, column := range columns {
		configs[i] = table.ColumnConfig{
			Number:       column,
			Align:        text.AlignRight,
			AlignHeader:  text.AlignRight,
			VAlignHeader: text.VAlignBottom,
		}
	}
	return configs
}

// columnRange returns the numbers from first to last.
func columnRange(first, last int) []int {
	var list []int
	for i := first; i <= last; i++ {
		list = append(list, i)
	}
	return list
}

func (m *Markdown) Gates(gates []report.GateResult) {
	if len(gates) == 0 {
		return
	}
	m.Paragraph("## Gates")
	header, lines, numbers := gateLines(gates, maxGates)
	if len(lines) < len(gates) {
		m.Paragraph(fmt.Sprintf("The first %d of %s; %s.", len(lines), Grouped(int64(len(gates))), gateTally(gates)))
	}
	m.Table(header, lines, numbers...)
}

func (m *Markdown) Warnings(warnings []string) {
	if len(warnings) == 0 {
		return
	}
	m.Paragraph("## Warnings")
	for _, warning := range warnings {
		m.WriteString("- " + Escape(OneLine(warning)) + "\n")
	}
	m.WriteString("\n")
}

// overall writes the headlines before the other metrics: there may be a hundred.
func (m *Markdown) overall(r *report.Report, d *digest) {
	if len(d.names) == 0 {
		return
	}
	m.Paragraph("## Metrics")
	if r.Confidence != nil {
		m.Paragraph(Escape(confidenceNote(r)))
	}
	m.metrics(d, d.headlines)
	others := slices.DeleteFunc(slices.Clone(d.names), func(name string) bool { return slices.Contains(d.headlines, name) })
	if len(others) > 0 {
		m.Paragraph("### Others")
		m.metrics(d, others)
	}
}

func (m *Markdown) metrics(d *digest, names []string) {
	header := []string{"metric", "value", "support", "undefined"}
	unsure := slices.ContainsFunc(names, func(name string) bool { return d.overall[name].NoInterval() != "" })
	if unsure {
		header = append(header, "no interval")
	}
	rows := make([][]string, len(names))
	for i, name := range names {
		row := d.overall[name]
		rows[i] = []string{quote.Visible(name), value(row), Grouped(row.Support), OneLine(row.Reason())}
		if unsure {
			rows[i] = append(rows[i], OneLine(row.NoInterval()))
		}
	}
	m.Table(header, rows, 2, 3)
}

func (m *Markdown) labels(d *digest) {
	if len(d.labels) == 0 {
		return
	}
	m.Paragraph("## Labels")
	kept := largest(d.labels, maxLabels)
	if len(kept) < len(d.labels) {
		m.Paragraph(fmt.Sprintf("The %d labels with the largest support, of %s.", len(kept), Grouped(int64(len(d.labels)))))
	}
	m.lines("label", kept, d.columns, func(l *line) string { return quote.Visible(l.label) })
}

func (m *Markdown) slices(d *digest) {
	if len(d.slices) == 0 {
		return
	}
	m.Paragraph("## Slices")
	kept, note := d.worst(maxSlices)
	m.Paragraph(Escape(note))
	m.lines("slice", kept, d.headlines, func(l *line) string { return l.slice.String() })
}

// lineTable returns a table of labels or slices, and whether a cell of it needs a footnote: it is
// undefined, in whole or in part.
func lineTable(kind string, lines []line, names []string, title func(*line) string) (header []string, rows [][]string, starred bool) {
	header = []string{kind, "support"}
	for _, name := range names {
		header = append(header, quote.Visible(name))
	}
	rows = make([][]string, len(lines))
	for i := range lines {
		l := &lines[i]
		rows[i] = []string{title(l), Grouped(l.support)}
		for _, name := range names {
			cell := marked(l.rows[name])
			starred = starred || strings.HasSuffix(cell, "*") || cell == "–"
			rows[i] = append(rows[i], cell)
		}
	}
	return header, rows, starred
}

// lines writes a table of labels or slices.
func (m *Markdown) lines(kind string, lines []line, names []string, title func(*line) string) {
	header, rows, starred := lineTable(kind, lines, names, title)
	m.Table(header, rows, columnRange(2, len(header))...)
	if starred {
		m.Paragraph(footnote)
	}
}

func (m *Markdown) confusion(f *report.Confusion) {
	if f == nil {
		return
	}
	m.Paragraph("## Confusion")
	cell := func(m *report.Matrix, i int) string {
		if f.Weighted {
			return weight(m.Weights[i])
		}
		return Grouped(m.Counts[i])
	}
	if f.Weighted {
		m.Paragraph("Sums of weights.")
	}
	rows := make([][]string, len(f.Names))
	for i, name := range f.Names {
		rows[i] = []string{quote.Visible(name)}
		if f.Matrix == nil {
			for _, j := range []int{report.TP, report.FP, report.FN, report.TN} {
				rows[i] = append(rows[i], cell(&f.PerLabel[i], j))
			}
			continue
		}
		for j := range f.Names {
			rows[i] = append(rows[i], cell(f.Matrix, i*len(f.Names)+j))
		}
	}
	if f.Matrix == nil {
		m.Table([]string{"label", "tp", "fp", "fn", "tn"}, rows, columnRange(2, 5)...)
		return
	}
	header := []string{"true ↓ predicted →"}
	for _, name := range f.Names {
		header = append(header, quote.Visible(name))
	}
	m.Table(header, rows, columnRange(2, len(header))...)
}

func (m *Markdown) undefined(list []undefinedMetric) {
	if len(list) == 0 {
		return
	}
	m.Paragraph("## Undefined metrics")
	kept := list[:min(len(list), maxUndefined)]
	if len(kept) < len(list) {
		m.Paragraph(fmt.Sprintf("The first %d of %s.", len(kept), Grouped(int64(len(list)))))
	}
	rows := make([][]string, len(kept))
	for i, u := range kept {
		where := u.first.Place()
		if u.rows > 1 {
			where += fmt.Sprintf(" and %s more", Grouped(u.rows-1))
		}
		rows[i] = []string{quote.Visible(u.name), OneLine(u.reason), where}
	}
	m.Table([]string{"metric", "reason", "where"}, rows)
}

func (m *Markdown) config(config json.RawMessage) error {
	if len(config) == 0 {
		return nil
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, config, "", "  "); err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	// The configuration may hold backticks, so the fence is a longer run of them.
	fence := "```"
	for strings.Contains(indented.String(), fence) {
		fence += "`"
	}
	m.Paragraph("## Configuration")
	m.Paragraph(fence + "json\n" + escapeUnseen(indented.String()) + "\n" + fence)
	return nil
}

// OneLine joins the lines of a sentence.
func OneLine(s string) string {
	fields := strings.Fields(quote.Valid(s))
	if len(fields) == 0 {
		return ""
	}
	if s = strings.Join(fields, " "); !quote.Printable(s) {
		return strconv.Quote(s)
	}
	return s
}

// escapeUnseen escapes the characters of a JSON text that do not show or that change how
// others show, such as those that turn the direction of writing.
func escapeUnseen(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n' || strconv.IsPrint(r):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// Escape escapes what Markdown gives a meaning, except for pipes, which the table writer
// escapes, and underscores inside words, which have none in GitHub's Markdown.
func Escape(s string) string {
	var b strings.Builder
	var before rune
	for i, r := range s {
		switch r {
		case '\\', '`', '*', '<', '>', '[', ']', '~', '&', '$':
			b.WriteByte('\\')
		case '_':
			after, _ := utf8.DecodeRuneInString(s[i+1:])
			if !inWord(before) || !inWord(after) {
				b.WriteByte('\\')
			}
		}
		b.WriteRune(r)
		before = r
	}
	return b.String()
}

func inWord(r rune) bool {
	return r == '_' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}
