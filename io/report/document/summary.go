package document

import (
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
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
func Summary(r *report.Report, w io.Writer, on Screen) error {
	d := newDigest(r)
	var parts []string
	parts = append(parts, on.Wrap(quote.Visible(r.Task)+": "+tallyOf(r)))
	if len(r.Gates) > 0 {
		parts = append(parts, on.Gates(r.Gates))
	}
	if warnings := on.Warnings(r.AllWarnings()); warnings != "" {
		parts = append(parts, warnings)
	}
	if len(d.headlines) > 0 {
		overall := d.summaryOverall(on)
		if r.Confidence != nil {
			overall += "\n" + on.Indented(confidenceNote(r))
		}
		parts = append(parts, overall)
	}
	if len(d.slices) > 0 {
		kept, note := d.worst(summarySlices)
		parts = append(parts, on.lines("slice", kept, d.headlines, func(l *line) string { return l.slice.String() })+"\n"+on.Indented(note))
	}
	if n := len(d.labels); n > 0 && n <= summaryLabels {
		parts = append(parts, on.lines("label", d.labels, d.columns, func(l *line) string { return quote.Visible(l.label) }))
	}
	_, err := io.WriteString(w, strings.Join(parts, "\n\n")+"\n")
	return err
}

func (s Screen) Warnings(warnings []string) string {
	var lines []string
	for i, warning := range warnings {
		if i == summaryWarnings {
			lines = append(lines, "… and "+Plural(int64(len(warnings)-i), "more warning"))
			break
		}
		lines = append(lines, s.Wrap("warning: "+OneLine(warning)))
	}
	return strings.Join(lines, "\n")
}

func (d *digest) summaryOverall(on Screen) string {
	t := summaryTable()
	reasons := false
	for _, name := range d.headlines {
		reasons = reasons || d.overall[name].Reason() != ""
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
			cells = append(cells, cut(OneLine(row.Reason()), on.Columns()-on.title()-24))
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
			cells := table.Row{cut(title(l), s.title()), Grouped(l.support)}
			for _, name := range names {
				cells = append(cells, marked(l.rows[name]))
			}
			t.AppendRow(cells)
		}
		t.SetColumnConfigs(append(alignRight(columnRange(2, 2+len(names))),
			table.ColumnConfig{Number: 1, VAlignHeader: text.VAlignBottom}))
		shown := t.Render()
		if len(names) == 0 || text.LongestLineLen(shown) <= s.Columns() {
			return shown + s.Marks(shown)
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
