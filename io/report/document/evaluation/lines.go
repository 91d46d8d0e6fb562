package evaluation

import (
	"cmp"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/collections"
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

// newLine returns an empty line for a row.
func newLine(row *report.Row) *line {
	l := &line{slice: row.Slice, rows: map[string]*report.Row{}}
	if row.Label != nil {
		l.label = *row.Label
	}
	return l
}

// add adds a row if its metric is wanted. The support of a line is the largest support of its rows, because some metrics
// leave out some of the examples.
func (l *line) add(row *report.Row, wanted map[string]int) {
	if _, ok := wanted[row.Name]; ok {
		l.rows[row.Name] = row
		l.support = max(l.support, row.Support)
	}
}

// sliceLines finds the lines of slices, of which there may be many. Rows of the same slice mostly follow each other.
type sliceLines struct {
	lines []*line // in the order of their first rows
	known map[string]*line
	key   []byte
	last  *line
}

func newSliceLines() *sliceLines { return &sliceLines{known: map[string]*line{}} }

// of returns the line of a slice, which is not that of all examples.
func (s *sliceLines) of(key slice.Key) *line {
	if s.last != nil && len(key) == len(s.last.slice) && &key[0] == &s.last.slice[0] {
		return s.last
	}
	s.key = key.AppendBinary(s.key[:0])
	l := s.known[string(s.key)]
	if l == nil {
		l = newLine(&report.Row{Slice: key})
		s.known[string(s.key)] = l
		s.lines = append(s.lines, l)
	}
	s.last = l
	return l
}

func (s *sliceLines) sorted() []*line {
	slices.SortFunc(s.lines, func(a, b *line) int { return a.slice.Compare(b.slice) })
	return s.lines
}

// largest returns the n lines with the largest support, in their original order.
func largest(lines []*line, n int) []*line {
	kept := slices.Clone(lines)
	slices.SortStableFunc(kept, func(a, b *line) int { return cmp.Compare(b.support, a.support) })
	kept = kept[:min(n, len(kept))]
	return slices.DeleteFunc(slices.Clone(lines), func(l *line) bool { return !slices.Contains(kept, l) })
}

// ofColumn returns what formats the values of a metric of lines for an output.
func ofColumn(of document.Output, name string, lines []*line) func(*report.Row) string {
	if of != document.Page {
		return document.Value
	}
	return document.OnPage(document.CellPlaces, collections.Map(lines, func(l *line) *report.Row { return l.rows[name] })...)
}

// linesTable returns a table of labels or slices for an output, with more columns before those of metrics.
func linesTable(of document.Output, kind string, lines []*line, names []string, more ...document.Cells[*line]) *document.Table {
	columns := []document.Cells[*line]{document.Text(kind, (*line).title), document.Numbers("support", func(l *line) string { return document.Grouped(l.support) })}
	columns = append(columns, more...)
	first := len(columns)
	for _, name := range names {
		shown := ofColumn(of, name, lines)
		columns = append(columns, document.Numbers(quote.Visible(name), func(l *line) string { return document.Marked(l.rows[name], shown) }))
	}
	t := document.TableOf(lines, columns...).Folded()
	if t != nil {
		t.Name, t.Fit = kind+"s", document.DropColumns
		for _, row := range t.Rows {
			t.Marked = t.Marked || slices.ContainsFunc(row[first:], func(cell string) bool { return cell == "–" || strings.HasSuffix(cell, "*") })
		}
	}
	return t
}
