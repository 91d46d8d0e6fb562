package evaluation

import (
	"cmp"
	"slices"
	"strings"

	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/slice"
)

// line is a line of a table: a label or a slice, and its metrics by name.
type line struct {
	label   string
	slice   slice.Key
	support int64
	rows    map[string]*report.Row
}

// title returns the name of the slice or label.
func (l *line) title() string {
	if len(l.slice) > 0 {
		return l.slice.String()
	}
	return quote.Visible(l.label)
}

// add adds row to the line with this key if its metric is wanted. The support of a line is the
// largest support of its rows, because some metrics leave out some of the examples.
func add(lines map[string]*line, key string, row *report.Row, wanted map[string]int) {
	l := lines[key]
	if l == nil {
		l = &line{slice: row.Slice, rows: map[string]*report.Row{}}
		if row.Label != nil {
			l.label = *row.Label
		}
		lines[key] = l
	}
	if _, ok := wanted[row.Name]; ok {
		l.rows[row.Name] = row
		l.support = max(l.support, row.Support)
	}
}

// largest returns the n lines with the largest support, in their original order.
func largest(lines []*line, n int) []*line {
	kept := slices.Clone(lines)
	slices.SortStableFunc(kept, func(a, b *line) int { return cmp.Compare(b.support, a.support) })
	kept = kept[:min(n, len(kept))]
	return slices.DeleteFunc(slices.Clone(lines), func(l *line) bool { return !slices.Contains(kept, l) })
}

// linesTable returns a table of labels or slices for an output.
func linesTable(of document.Output, kind string, lines []*line, names []string) *document.Table {
	shown := document.Value
	if of == document.Page {
		shown = func(row *report.Row) string { return document.ValueOnPage(row, document.CellPlaces) }
	}
	columns := []document.Cells[*line]{document.Text(kind, (*line).title), document.Numbers("support", func(l *line) string { return document.Grouped(l.support) })}
	for _, name := range names {
		columns = append(columns, document.Numbers(quote.Visible(name), func(l *line) string { return document.Marked(l.rows[name], shown) }))
	}
	t := document.TableOf(lines, columns...)
	if t != nil {
		t.Name, t.Fit, t.Long = kind+"s", document.DropColumns, len(lines) > document.FirstRows
		for _, row := range t.Rows {
			t.Marked = t.Marked || slices.ContainsFunc(row[2:], func(cell string) bool { return cell == "–" || strings.HasSuffix(cell, "*") })
		}
	}
	return t
}
