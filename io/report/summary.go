package report

import (
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/beameval/beameval/io/quote"
)

// Limits of what Summary prints.
const (
	summarySlices   = 10
	summaryLabels   = 20
	summaryWarnings = 5
	summaryGates    = 20
	summaryHeader   = 10 // width at which the name of a metric is broken
)

// Summary prints the headlines of r for a screen. It does not depend on the order of r.
func Summary(r *Report, w io.Writer, on Screen) error {
	d := r.digest()
	var parts []string
	parts = append(parts, on.wrap(quote.Visible(r.Task)+": "+r.tally()))
	if len(r.Gates) > 0 {
		parts = append(parts, on.gates(r.Gates))
	}
	if warnings := on.warnings(r.warnings()); warnings != "" {
		parts = append(parts, warnings)
	}
	if len(d.headlines) > 0 {
		overall := d.summaryOverall(on)
		if r.Confidence != nil {
			overall += "\n" + on.indented(r.confidenceNote())
		}
		parts = append(parts, overall)
	}
	if len(d.slices) > 0 {
		kept, note := d.worst(summarySlices)
		parts = append(parts, on.lines("slice", kept, d.headlines, func(l *line) string { return l.slice.String() })+"\n"+on.indented(note))
	}
	if n := len(d.labels); n > 0 && n <= summaryLabels {
		parts = append(parts, on.lines("label", d.labels, d.columns, func(l *line) string { return quote.Visible(l.label) }))
	}
	_, err := io.WriteString(w, strings.Join(parts, "\n\n")+"\n")
	return err
}

func (s Screen) warnings(warnings []string) string {
	var lines []string
	for i, warning := range warnings {
		if i == summaryWarnings {
			lines = append(lines, "… and "+plural(int64(len(warnings)-i), "more warning"))
			break
		}
		lines = append(lines, s.wrap("warning: "+oneLine(warning)))
	}
	return strings.Join(lines, "\n")
}

func (d *digest) summaryOverall(on Screen) string {
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
		cells := table.Row{cut(quote.Visible(name), on.title()), value(row)}
		if reasons {
			cells = append(cells, cut(oneLine(row.undefined()), on.width()-on.title()-24))
		}
		t.AppendRow(cells)
	}
	t.SetColumnConfigs(alignRight([]int{2}))
	return t.Render()
}

// lines returns a table of labels or slices with as many metrics as fit.
func (s Screen) lines(kind string, lines []line, names []string, title func(*line) string) string {
	for {
		t := summaryTable()
		header := table.Row{kind, "support"}
		for _, name := range names {
			header = append(header, breakName(name))
		}
		t.AppendHeader(header)
		for i := range lines {
			l := &lines[i]
			cells := table.Row{cut(title(l), s.title()), grouped(l.support)}
			for _, name := range names {
				cells = append(cells, marked(l.rows[name]))
			}
			t.AppendRow(cells)
		}
		t.SetColumnConfigs(append(alignRight(columnRange(2, 2+len(names))),
			table.ColumnConfig{Number: 1, VAlignHeader: text.VAlignBottom}))
		shown := t.Render()
		if len(names) == 0 || text.LongestLineLen(shown) <= s.width() {
			return shown + s.marks(shown)
		}
		names = names[:len(names)-1]
	}
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
