package evaluation

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/slice"
)

// groups are the groups of people that a report compares.
type groups struct {
	references map[string]string // by column
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
	g := &groups{references: config.References(), compared: r.ComparedMetrics()}
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
	for _, columns := range slice.Crossed(by) {
		found, rest := r.Groups(columns)
		for _, one := range found {
			g.lines = append(g.lines, &line{slice: one.Slice, support: one.Support, rows: one.Rows})
		}
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

// isReference reports whether the others are compared with a group.
func (g *groups) isReference(l *line) bool {
	return !slices.ContainsFunc(l.slice, func(p slice.Pair) bool {
		group, has := g.references[p.Column]
		return !has || !slice.Written(group).Is(p.Value)
	})
}

// section returns the section with a table of the groups. Small ones are marked, and a reason stands
// beside each value that is undefined or has no interval.
func (g *groups) section(d *digest, of document.Output, pictures []document.Picture) document.Section {
	if g == nil {
		return document.Section{}
	}
	shown := document.Value
	if of == document.Page {
		shown = func(row *report.Row) string { return document.ValueOnPage(row, document.CellPlaces) }
	}
	cell := func(name string) func(*line) string {
		return func(l *line) string { return explained(l.rows[name], shown) }
	}
	columns := []document.Cells[*line]{
		document.Text("group", (*line).title),
		document.Numbers("support", func(l *line) string { return document.Grouped(l.support) }),
		document.Text("note", g.note).Optional(),
	}
	for _, name := range g.compared {
		columns = append(columns, document.Numbers(quote.Visible(name), cell(name)),
			document.Numbers(quote.Visible(name)+" difference", cell(name+report.DifferenceToReference)).If(len(g.references) > 0))
	}
	for _, name := range g.others {
		columns = append(columns, document.Numbers(quote.Visible(name), cell(name)))
	}
	kept := g.lines[:min(len(g.lines), d.most(of, mostSlices[of], g.lines, slices.Concat(g.compared, g.others, g.compared)))]
	s := document.Section{In: document.Markdown | document.Page, ID: "groups", Title: "Groups", Pictures: pictures, Table: document.TableOf(kept, columns...)}
	if s.Table != nil {
		s.Table.Long = len(kept) > document.FirstRows
	}
	s.Notes = []string{document.FirstOf(len(kept), len(g.lines), " groups")}
	if len(g.references) > 0 {
		s.Notes = append(s.Notes, "Each difference is the value of the group minus that of the reference.")
	}
	if slices.ContainsFunc(kept, func(l *line) bool { return l.support < report.SmallGroup }) {
		s.Notes = append(s.Notes, fmt.Sprintf("A %s group has a support below %d.", small, report.SmallGroup))
	}
	s.Notes = append(s.Notes, g.rest...)
	return s
}

// note says whether a group is the reference, and whether it is small.
func (g *groups) note(l *line) string {
	text := ""
	if l.support < report.SmallGroup {
		text = small
	}
	switch {
	case !g.isReference(l):
		return text
	case text == "":
		return "reference"
	}
	return "reference, " + text
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
		g.dots("Groups", note, name, kept)
	}
}
