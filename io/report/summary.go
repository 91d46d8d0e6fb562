package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/beameval/beameval/io/quote"
)

// Limits of what Summary prints.
const (
	summaryWidth    = 100
	summarySlices   = 10
	summaryLabels   = 20
	summaryWarnings = 5
	summaryGates    = 20
	summaryTitle    = 36 // width of the name of a slice or label
	summaryHeader   = 10 // width at which the name of a metric is broken
)

// Summary prints the headlines of r for a terminal of 100 columns or more. It does not
// depend on the order of r.
func Summary(r *Report, w io.Writer) error {
	d := r.digest()
	var parts []string
	parts = append(parts, wrap(quote.Visible(r.Task)+": "+r.tally()))
	if len(r.Gates) > 0 {
		parts = append(parts, summaryOfGates(r.Gates))
	}
	if warnings := summaryOfWarnings(r.warnings()); warnings != "" {
		parts = append(parts, warnings)
	}
	if len(d.headlines) > 0 {
		overall := d.summaryOverall()
		if r.Confidence != nil {
			overall += "\n " + r.confidenceNote()
		}
		parts = append(parts, overall)
	}
	if len(d.slices) > 0 {
		kept, note := d.worst(summarySlices)
		parts = append(parts, summaryLines("slice", kept, d.headlines, func(l *line) string { return l.slice.String() })+"\n "+wrap(note))
	}
	if n := len(d.labels); n > 0 && n <= summaryLabels {
		parts = append(parts, summaryLines("label", d.labels, d.columns, func(l *line) string { return quote.Visible(l.label) }))
	}
	_, err := io.WriteString(w, strings.Join(parts, "\n\n")+"\n")
	return err
}

func summaryOfGates(gates []GateResult) string {
	header, lines, numbers := gateLines(gates, summaryGates)
	t := summaryTable()
	t.AppendHeader(tableRow(header, text.FormatDefault.Apply))
	for _, line := range lines {
		for i := range line[:len(line)-1] { // the last may be a reason
			line[i] = text.Snip(line[i], summaryTitle/2, "…")
		}
		t.AppendRow(tableRow(line, func(cell string) string { return text.Snip(cell, summaryTitle, "…") }))
	}
	t.SetColumnConfigs(alignRight(numbers))
	return t.Render() + "\n " + gateTally(gates)
}

func summaryOfWarnings(warnings []string) string {
	var lines []string
	for i, warning := range warnings {
		if i == summaryWarnings {
			lines = append(lines, fmt.Sprintf("… and %d more warnings", len(warnings)-i))
			break
		}
		lines = append(lines, wrap("warning: "+oneLine(warning)))
	}
	return strings.Join(lines, "\n")
}

func (d *digest) summaryOverall() string {
	t := summaryTable()
	reasons := false
	for _, name := range d.headlines {
		reasons = reasons || d.overall[name].undefined() != ""
	}
	header := table.Row{"metric", "value"}
	if reasons {
		header = append(header, "undefined")
	}
	t.AppendHeader(header)
	for _, name := range d.headlines {
		row := d.overall[name]
		cells := table.Row{text.Snip(quote.Visible(name), summaryTitle, "…"), value(row)}
		if reasons {
			cells = append(cells, text.Snip(oneLine(row.undefined()), summaryWidth/2, "…"))
		}
		t.AppendRow(cells)
	}
	t.SetColumnConfigs(alignRight([]int{2}))
	return t.Render()
}

// summaryLines returns a table of labels or slices with as many metrics as fit.
func summaryLines(kind string, lines []line, names []string, title func(*line) string) string {
	for {
		t := summaryTable()
		header := table.Row{kind, "support"}
		for _, name := range names {
			header = append(header, breakName(name))
		}
		t.AppendHeader(header)
		for i := range lines {
			l := &lines[i]
			cells := table.Row{text.Snip(title(l), summaryTitle, "…"), grouped(l.support)}
			for _, name := range names {
				cells = append(cells, marked(l.rows[name]))
			}
			t.AppendRow(cells)
		}
		t.SetColumnConfigs(append(alignRight(columnRange(2, 2+len(names))),
			table.ColumnConfig{Number: 1, VAlignHeader: text.VAlignBottom}))
		s := t.Render()
		if len(names) == 0 || text.LongestLineLen(s) <= summaryWidth {
			return s
		}
		names = names[:len(names)-1]
	}
}

// wrap breaks s into lines at spaces.
func wrap(s string) string {
	lines := strings.Split(text.WrapSoft(s, summaryWidth), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// breakName breaks the name of a metric into lines at underscores.
func breakName(name string) string {
	var b strings.Builder
	width := 0
	for _, word := range strings.SplitAfter(quote.Visible(name), "_") {
		if width > 0 && width+len(word) > summaryHeader {
			b.WriteByte('\n')
			width = 0
		}
		b.WriteString(word)
		width += len(word)
	}
	return b.String()
}

func summaryTable() table.Writer {
	style := table.StyleLight
	style.Options = table.Options{SeparateHeader: true}
	style.Format.Header = text.FormatDefault
	t := table.NewWriter()
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	return t
}
