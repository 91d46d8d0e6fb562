package evaluation

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/report/picture"
	"github.com/beameval/beameval/io/slice"
)

// slices draws the metric by which slices are sorted.
func (g *gallery) slices() {
	if g.digest.sortBy == "" {
		return
	}
	kept, note := g.digest.worst(document.PageSlices)
	ordered := g.ordered()
	if only := len(ordered) == 1 && len(ordered[0]) == len(g.digest.slices); !only {
		g.dots("Slices", note, g.digest.sortBy, kept, nil)
	}
	for _, lines := range ordered {
		g.dots("Slices", "", g.digest.sortBy, lines, nil)
	}
}

// How many slices a line may join, such as the days of a month.
const (
	leastOrdered = 3
	mostOrdered  = 31
)

// ordered returns the slices of each column whose values have an order, if there are several but not many: bins of
// numbers, and whole numbers.
func (g *gallery) ordered() (all [][]*line) {
	of := make(map[string][]*line)
	var columns []string
	unordered := make(map[string]bool)
	for _, l := range g.digest.slices {
		if len(l.slice) != 1 {
			continue
		}
		p := l.slice[0]
		if !inOrder(p.Value) {
			unordered[p.Column] = unordered[p.Column] || p.Value.Kind() != slice.KindNull
			continue
		}
		if of[p.Column] == nil {
			columns = append(columns, p.Column)
		}
		of[p.Column] = append(of[p.Column], l)
	}
	for _, column := range columns {
		if n := len(of[column]); !unordered[column] && n >= leastOrdered && n <= mostOrdered {
			all = append(all, of[column])
		}
	}
	return all
}

// labels draws a metric of each label, or how it is distributed over many.
func (g *gallery) labels() {
	if len(g.digest.labels) > manyLabels {
		g.manyLabels()
		return
	}
	for _, name := range []string{"f1", "recall", "roc_auc"} {
		if !slices.Contains(g.digest.columns, name) {
			continue
		}
		kept := slices.Clone(g.digest.labels)
		if len(kept) > document.FirstRows { // fewer are in the same order as everywhere
			slices.SortStableFunc(kept, func(a, b *line) int { return floats.CompareLast(valueOf(a.rows[name]), valueOf(b.rows[name])) })
			kept = kept[:document.PageCurves]
		}
		kind, note := "Labels", ""
		if g.Task == "multiclass" {
			kind = "Classes"
		}
		if len(kept) < len(g.digest.labels) {
			note = fmt.Sprintf("The %d lowest of %s.", len(kept), document.Grouped(int64(len(g.digest.labels))))
		}
		g.dots(kind, note, name, kept, nil)
		return
	}
}

// valueOf returns the value of a row; NaN for nil.
func valueOf(row *report.Row) float64 { return cmp.Or(row, &report.Row{Value: math.NaN()}).Value }

// dots draws a metric of slices, of labels or of groups, of which the small ones and the references are marked. Slices of
// the same column have the names of their values.
func (g *gallery) dots(kind, note, metric string, lines []*line, of *groups) {
	title, column := kind+": "+metric, commonColumn(lines)
	if column != "" {
		title += " by " + quote.Visible(column)
	}
	chart := picture.Dots{About: g.About(title, "The value of each, with its confidence interval where there is one."), Label: metric}
	chart.Joined = column != "" && len(lines) >= leastOrdered && !slices.ContainsFunc(lines, func(l *line) bool { return !inOrder(l.slice[0].Value) }) &&
		slices.IsSortedFunc(lines, func(a, b *line) int { return a.slice.Compare(b.slice) })
	chart.Note, chart.Hollow, chart.Diamond = note, fmt.Sprintf("support below %d", report.SmallGroup), "reference"
	lines = slices.DeleteFunc(slices.Clone(lines), func(l *line) bool { return !floats.Finite(valueOf(l.rows[metric])) })
	if len(lines) < 2 { // a table says a single number better
		return
	}
	numbers := document.TableOf(lines, valued(strings.ToLower(kind), metric, "support")...)
	for i, l := range lines {
		dot := l.dot(metric, numbers.Tip(i))
		if of != nil {
			dot.Hollow, dot.Diamond = l.support < report.SmallGroup, len(of.references) > 0 && of.isReference(l)
		}
		if column != "" {
			dot.Name = l.slice[0].Value.String()
		}
		chart.Dots = append(chart.Dots, dot)
	}
	if row := cmp.Or(g.digest.overall[metric], g.digest.overall[metric+"_macro"]); row != nil && floats.Finite(row.Value) {
		chart.Reference = &picture.Mark{Name: "overall: " + document.Value(row), Point: picture.Point{X: row.Value}}
		if row.Name != metric {
			chart.Reference.Name = row.Name + ": " + document.Value(row)
		}
	}
	g.Add(&chart, numbers)
}

// valued returns the columns of lines with a metric: their names, its values and their support.
func valued(kind, metric, support string) []document.Cells[*line] {
	return []document.Cells[*line]{
		document.Text(kind, (*line).title),
		document.Numbers(metric, func(l *line) string { return document.Value(l.rows[metric]) }),
		document.Numbers(support, func(l *line) string { return document.Grouped(l.rows[metric].Support) }),
	}
}

// inOrder reports whether a value has neighbours: a bin of numbers, or a whole number.
func inOrder(v slice.Value) bool {
	_, _, bin := v.Ends()
	return bin || v.Kind() == slice.KindInt
}

// commonColumn returns the column whose values all slices are of, or "".
func commonColumn(lines []*line) string {
	if len(lines) == 0 || len(lines[0].slice) != 1 {
		return ""
	}
	column := lines[0].slice[0].Column
	if slices.ContainsFunc(lines, func(l *line) bool { return len(l.slice) != 1 || l.slice[0].Column != column }) {
		return ""
	}
	return column
}
