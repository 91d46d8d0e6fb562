package evaluation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/slice"
)

// groups are the groups of people that a report compares.
type groups struct {
	references map[string]string // by column
	least      int64             // support of a group that is compared
	crossed    [][]string        // the columns whose values form groups
	lines      []*line
	rest       []string // notes on the examples that are in no group
	compared   []string // metrics, the best known first
	others     []string // metrics that tell whether probabilities are right on average
}

// small marks groups with little support.
const small = "small"

// firstCompared are the metrics of groups that are shown first.
var firstCompared = []string{"predicted_positive_rate", "recall", "fpr", "fnr", "accuracy"}

// groupsOf returns the groups of a report, or nil if it compares none.
func groupsOf(r *report.Report, config *report.Settings) *groups {
	by := config.Groups.By
	g := &groups{references: config.References(), least: config.Groups.MinSupport, crossed: slice.Crossed(by), compared: r.ComparedMetrics()}
	if len(by) == 0 || len(g.compared) == 0 {
		return nil
	}
	place := func(name string) int {
		if at := slices.Index(firstCompared, name); at >= 0 {
			return at
		}
		return len(firstCompared)
	}
	slices.SortStableFunc(g.compared, func(a, b string) int { return cmp.Compare(place(a), place(b)) })
	for _, columns := range g.crossed {
		found, rest := r.Groups(columns)
		first := len(g.lines)
		for _, one := range found {
			g.lines = append(g.lines, &line{slice: one.Slice, support: one.Support, rows: one.Rows})
		}
		slices.SortStableFunc(g.lines[first:], g.compare)
		if rest > 0 && len(columns) == 1 {
			g.rest = append(g.rest, fmt.Sprintf("Of %s, %s is null: they are in no group of it.", document.Plural(rest, "example"), quote.Visible(columns[0])))
		}
	}
	for _, name := range []string{"mean_prediction", "mean_label", "calibration_ratio"} {
		has := func(l *line) bool { return l.rows[name] != nil }
		if !slices.Contains(g.compared, name) && slices.ContainsFunc(g.lines, has) {
			g.others = append(g.others, name)
		}
	}
	return g
}

// compare orders the groups of the same columns: the reference, then the largest first.
func (g *groups) compare(a, b *line) int {
	last := func(l *line) int {
		if len(g.references) > 0 && g.isReference(l) {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(last(a), last(b)), cmp.Compare(b.support, a.support))
}

// isLeftOut reports whether a group is too small to be compared.
func (g *groups) isLeftOut(l *line) bool { return l.support < g.least }

// isReference reports whether the others are compared with a group.
func (g *groups) isReference(l *line) bool {
	return !slices.ContainsFunc(l.slice, func(p slice.Pair) bool {
		group, has := g.references[p.Column]
		return !has || !slice.Written(group).Is(p.Value)
	})
}

// add adds the sections with tables of the groups. Small ones are marked, and a reason stands beside each value that is
// undefined or has no interval. The page has another table for the differences, so that both fit.
func (g *groups) add(doc *document.Document, d *digest, pictures []document.Picture) {
	if g == nil {
		return
	}
	of := doc.Output
	kept, first := document.First(g.lines, d.most(of, mostSlices[of], g.lines, slices.Concat(g.compared, g.others, g.compared)), " groups")
	columns := []document.Cells[*line]{
		document.Text("group", (*line).title),
		document.Numbers("support", func(l *line) string { return document.Grouped(l.support) }),
		document.Text("note", g.note).Optional(),
	}
	apart := slices.Clone(columns)
	cell := func(title, metric string) document.Cells[*line] {
		shown := ofColumn(of, metric, kept)
		return document.Numbers(quote.Visible(title), func(l *line) string { return explained(l.rows[metric], shown) })
	}
	for _, name := range g.compared {
		columns = append(columns, cell(name, name), cell(name+" difference", name+report.DifferenceToReference).If(len(g.references) > 0 && of != document.Page))
		apart = append(apart, cell(name, name+report.DifferenceToReference))
	}
	for _, name := range g.others {
		columns = append(columns, cell(name, name))
	}
	s := document.Section{In: document.Markdown | document.Page, ID: "groups", Title: "Groups", Pictures: pictures, Table: document.TableOf(kept, columns...).Folded()}
	s.Notes = []string{first}
	const meaning = "Each difference is the value of the group minus that of the reference."
	if len(g.references) > 0 && of != document.Page {
		s.Notes = append(s.Notes, meaning)
	}
	if slices.ContainsFunc(kept, func(l *line) bool { return l.support < report.SmallGroup }) {
		s.Notes = append(s.Notes, fmt.Sprintf("A %s group has a support below %d.", small, report.SmallGroup))
	}
	if slices.ContainsFunc(kept, g.isLeftOut) {
		s.Notes = append(s.Notes, fmt.Sprintf("A group with a support below %d is not compared.", g.least))
	}
	s.Notes = append(s.Notes, g.rest...)
	doc.Add(s)
	if len(g.references) > 0 {
		others := slices.DeleteFunc(slices.Clone(kept), g.isReference)
		doc.Add(document.Section{In: document.Page, ID: "group-differences", Title: "Differences from the reference", Sub: true, Notes: []string{meaning}, Table: document.TableOf(others, apart...).Folded()})
	}
}

// extremes returns a sentence for each gate on a difference or ratio of groups that failed: which two groups are the
// farthest from each other, and how many examples they have.
func (g *groups) extremes(gates []report.GateResult) (list []string) {
	if g == nil {
		return nil
	}
	for i := range gates {
		gate := &gates[i]
		if gate.Verdict != report.Fail || len(gate.Slice) > 0 || gate.Label != nil {
			continue
		}
		for _, columns := range g.crossed {
			by := ""
			if len(g.crossed) > 1 {
				by = report.GroupsBy(columns)
			}
			if metric, low, high := g.farthest(gate, columns, by); low != nil {
				list = append(list, fmt.Sprintf("%s: %s is lowest in %s and highest in %s.", quote.Visible(gate.Metric), quote.Visible(metric), g.described(low, metric), g.described(high, metric)))
			}
		}
	}
	return list
}

// farthest returns the groups of columns whose values of a metric a gate on their difference or ratio compares, or nil if
// it compares others. A criterion of fairness compares the metric whose values differ by as much.
func (g *groups) farthest(gate *report.GateResult, columns []string, by string) (metric string, low, high *line) {
	for _, kind := range []string{report.GroupDifference, report.GroupRatio} {
		of, is := strings.CutSuffix(gate.Metric, kind+by)
		if !is {
			continue
		}
		for _, metric = range g.compared {
			low, high = g.ends(metric, columns)
			if low == nil || metric != of && slices.Contains(g.compared, of) {
				continue
			}
			a, b := low.rows[metric].Value, high.rows[metric].Value
			if differ := map[string]float64{report.GroupDifference: b - a, report.GroupRatio: a / b}[kind]; metric == of || differ == gate.Value {
				return metric, low, high
			}
		}
	}
	return "", nil, nil
}

// ends returns the groups of columns with the lowest and the highest value of a metric, or nil.
func (g *groups) ends(metric string, columns []string) (low, high *line) {
	for _, l := range g.lines {
		value := valueOf(l.rows[metric])
		if !floats.Finite(value) || g.isLeftOut(l) || !slices.EqualFunc(l.slice, slices.Sorted(slices.Values(columns)), func(p slice.Pair, column string) bool { return p.Column == column }) {
			continue
		}
		if low == nil || value < low.rows[metric].Value {
			low = l
		}
		if high == nil || value > high.rows[metric].Value {
			high = l
		}
	}
	return low, high
}

// described names a group with its value and its size.
func (g *groups) described(l *line, metric string) string {
	text := fmt.Sprintf("%s (%s, %s", l.title(), document.Number(l.rows[metric].Value), document.Plural(l.support, "example"))
	if l.support < report.SmallGroup {
		text += ", " + small
	}
	return text + ")"
}

// note says whether a group is the reference, whether it is small, and whether it is compared.
func (g *groups) note(l *line) string {
	var notes []string
	add := func(note string, holds bool) {
		if holds {
			notes = append(notes, note)
		}
	}
	add("reference", g.isReference(l))
	add(small, l.support < report.SmallGroup)
	add("not compared", g.isLeftOut(l) && !g.isReference(l))
	return strings.Join(notes, ", ")
}

// explained returns the value of a row with the reason for which it, or its interval, is missing.
func explained(row *report.Row, value func(*report.Row) string) string {
	if row == nil {
		return ""
	}
	text := value(row)
	if why := cmp.Or(row.Reason(), row.NoInterval()); why != "" {
		text += " (" + document.OneLine(why) + ")"
	}
	return text
}

// groups draws the compared metrics of groups, of the largest if there are many.
func (g *gallery) groups(of *groups) {
	if of == nil {
		return
	}
	kept, note := largest(of.lines, document.PageSlices), ""
	if len(kept) < len(of.lines) {
		note = fmt.Sprintf("The %d largest of %s.", len(kept), document.Grouped(int64(len(of.lines))))
	}
	names := of.compared
	if slices.Contains(of.others, "calibration_ratio") {
		names = append(slices.Clip(names), "calibration_ratio")
	}
	for _, name := range names {
		g.dots("Groups", note, name, kept, of)
	}
}
