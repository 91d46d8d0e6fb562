package report

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

// writeMarkdown writes report.md, to be read on GitHub or as plain text.
func (r *Report) writeMarkdown(w io.Writer) error {
	var m markdown
	d := r.digest()
	m.paragraph("# Evaluation report: " + escape(quote.Visible(r.Task)))
	m.paragraph(escape(r.tally()) + ".")
	m.gates(r.Gates)
	m.warnings(r.warnings())
	m.overall(r, d)
	m.labels(d)
	m.slices(d)
	m.confusion(r.confusion(maxClasses))
	m.undefined(r.undefinedMetrics())
	if err := m.config(r.Config); err != nil {
		return err
	}
	_, err := w.Write(bytes.TrimSuffix(m.Bytes(), []byte("\n")))
	return err
}

// markdown is a document of paragraphs with an empty line after each.
type markdown struct{ bytes.Buffer }

func (m *markdown) paragraph(s string) {
	m.WriteString(s)
	m.WriteString("\n\n")
}

// table writes a table. It aligns the given columns, counted from 1, to the right.
func (m *markdown) table(header []string, rows [][]string, numbers ...int) {
	t := table.NewWriter()
	t.AppendHeader(tableRow(header, escape))
	for _, row := range rows {
		t.AppendRow(tableRow(row, escape))
	}
	t.SetColumnConfigs(alignRight(numbers))
	m.paragraph(t.RenderMarkdown())
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

func (m *markdown) gates(gates []GateResult) {
	if len(gates) == 0 {
		return
	}
	m.paragraph("## Gates")
	header, lines, numbers := gateLines(gates, maxGates)
	if len(lines) < len(gates) {
		m.paragraph(fmt.Sprintf("The first %d of %s; %s.", len(lines), grouped(int64(len(gates))), gateTally(gates)))
	}
	m.table(header, lines, numbers...)
}

func (m *markdown) warnings(warnings []string) {
	if len(warnings) == 0 {
		return
	}
	m.paragraph("## Warnings")
	for _, warning := range warnings {
		m.WriteString("- " + escape(oneLine(warning)) + "\n")
	}
	m.WriteString("\n")
}

// overall writes the headlines before the other metrics: there may be a hundred.
func (m *markdown) overall(r *Report, d *digest) {
	if len(d.names) == 0 {
		return
	}
	m.paragraph("## Metrics")
	if r.Confidence != nil {
		m.paragraph(escape(r.confidenceNote()))
	}
	m.metrics(d, d.headlines)
	others := slices.DeleteFunc(slices.Clone(d.names), func(name string) bool { return slices.Contains(d.headlines, name) })
	if len(others) > 0 {
		m.paragraph("### Others")
		m.metrics(d, others)
	}
}

func (m *markdown) metrics(d *digest, names []string) {
	header := []string{"metric", "value", "support", "undefined"}
	unsure := slices.ContainsFunc(names, func(name string) bool { return d.overall[name].noInterval() != "" })
	if unsure {
		header = append(header, "no interval")
	}
	rows := make([][]string, len(names))
	for i, name := range names {
		row := d.overall[name]
		rows[i] = []string{quote.Visible(name), value(row), grouped(row.Support), oneLine(row.undefined())}
		if unsure {
			rows[i] = append(rows[i], oneLine(row.noInterval()))
		}
	}
	m.table(header, rows, 2, 3)
}

func (m *markdown) labels(d *digest) {
	if len(d.labels) == 0 {
		return
	}
	m.paragraph("## Labels")
	kept := largest(d.labels, maxLabels)
	if len(kept) < len(d.labels) {
		m.paragraph(fmt.Sprintf("The %d labels with the largest support, of %s.", len(kept), grouped(int64(len(d.labels)))))
	}
	m.lines("label", kept, d.columns, func(l *line) string { return quote.Visible(l.label) })
}

func (m *markdown) slices(d *digest) {
	if len(d.slices) == 0 {
		return
	}
	m.paragraph("## Slices")
	kept, note := d.worst(maxSlices)
	m.paragraph(escape(note))
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
		rows[i] = []string{title(l), grouped(l.support)}
		for _, name := range names {
			cell := marked(l.rows[name])
			starred = starred || strings.HasSuffix(cell, "*") || cell == "–"
			rows[i] = append(rows[i], cell)
		}
	}
	return header, rows, starred
}

// lines writes a table of labels or slices.
func (m *markdown) lines(kind string, lines []line, names []string, title func(*line) string) {
	header, rows, starred := lineTable(kind, lines, names, title)
	m.table(header, rows, columnRange(2, len(header))...)
	if starred {
		m.paragraph(footnote)
	}
}

func (m *markdown) confusion(f *confusion) {
	if f == nil {
		return
	}
	m.paragraph("## Confusion")
	cell := func(m *matrix, i int) string {
		if f.weighted {
			return weight(m.weights[i])
		}
		return grouped(m.counts[i])
	}
	if f.weighted {
		m.paragraph("Sums of weights.")
	}
	rows := make([][]string, len(f.names))
	for i, name := range f.names {
		rows[i] = []string{quote.Visible(name)}
		if f.matrix == nil {
			for _, j := range []int{tp, fp, fn, tn} {
				rows[i] = append(rows[i], cell(&f.perLabel[i], j))
			}
			continue
		}
		for j := range f.names {
			rows[i] = append(rows[i], cell(f.matrix, i*len(f.names)+j))
		}
	}
	if f.matrix == nil {
		m.table([]string{"label", "tp", "fp", "fn", "tn"}, rows, columnRange(2, 5)...)
		return
	}
	header := []string{"true ↓ predicted →"}
	for _, name := range f.names {
		header = append(header, quote.Visible(name))
	}
	m.table(header, rows, columnRange(2, len(header))...)
}

func (m *markdown) undefined(list []undefinedMetric) {
	if len(list) == 0 {
		return
	}
	m.paragraph("## Undefined metrics")
	kept := list[:min(len(list), maxUndefined)]
	if len(kept) < len(list) {
		m.paragraph(fmt.Sprintf("The first %d of %s.", len(kept), grouped(int64(len(list)))))
	}
	rows := make([][]string, len(kept))
	for i, u := range kept {
		where := u.first.place()
		if u.rows > 1 {
			where += fmt.Sprintf(" and %s more", grouped(u.rows-1))
		}
		rows[i] = []string{quote.Visible(u.name), oneLine(u.reason), where}
	}
	m.table([]string{"metric", "reason", "where"}, rows)
}

func (m *markdown) config(config json.RawMessage) error {
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
	m.paragraph("## Configuration")
	m.paragraph(fence + "json\n" + escapeUnseen(indented.String()) + "\n" + fence)
	return nil
}

// oneLine joins the lines of a sentence.
func oneLine(s string) string {
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

// escape escapes what Markdown gives a meaning, except for pipes, which the table writer
// escapes, and underscores inside words, which have none in GitHub's Markdown.
func escape(s string) string {
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
