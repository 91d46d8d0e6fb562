package evaluation

import (
	"cmp"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
)

// moves draws who moved from which class of the baseline to which.
func (g *gallery) moves() {
	moved := &report.Report{Labels: g.report.Labels}
	for _, m := range g.report.Moves {
		if len(m.Slice) == 0 && m.Label == nil {
			moved.Confusion = append(moved.Confusion, report.ConfusionCell{True: m.Baseline, Predicted: m.Predicted, TrueIndex: m.BaselineIndex, PredictedIndex: m.PredictedIndex, Count: m.Count, Weight: m.Weight})
		}
	}
	if f := moved.ConfusionOf(pictureClasses); f != nil && len(f.Names) > 1 {
		g.heat(f, heatWords{"Moves between classes", "Each row is a class that the baseline predicted: how its examples are predicted now, and their shares of the row. Examples that stayed and that moved have scales of their own; the darker, the larger the share.",
			"baseline", "now", "the baseline's class", "moves"})
	}
}

// addChanges adds the sections of what changed since the baseline: who moved from which class to which,
// and the slices where most examples became wrong.
func addChanges(doc *document.Document, r *report.Report, d *digest) {
	most := mostPairs[doc.Output]
	if most == 0 {
		return
	}
	var moved []report.Move
	unit := "examples"
	for _, m := range r.Moves {
		if len(m.Slice) == 0 && m.Changed() {
			moved = append(moved, m)
			if m.Weight != float64(m.Count) {
				unit = "weight"
			}
		}
	}
	slices.SortStableFunc(moved, func(a, b report.Move) int { return cmp.Compare(b.Weight, a.Weight) })
	s := document.Section{In: document.Markdown | document.Page, ID: "changes", Title: "Changes since the baseline"}
	if len(moved) == 0 && len(r.Moves) > 0 {
		s.List = []string{"No example moved to another class."}
	}
	kept, first := document.First(moved, most, "")
	s.Notes = []string{first, "The examples that the baseline predicts to be of one class and the model of another, and how many of them became right and wrong."}
	s.Table = document.TableOf(kept,
		document.Text("label", func(m report.Move) string { return document.Label(m.Label) }).Optional(),
		document.Text("baseline", func(m report.Move) string { return quote.Visible(m.Baseline) }),
		document.Text("now", func(m report.Move) string { return quote.Visible(m.Predicted) }),
		document.Numbers(unit, func(m report.Move) string { return document.Weight(m.Weight) }),
		document.Numbers("became right", func(m report.Move) string { return document.Weight(m.BecameRight) }),
		document.Numbers("became wrong", func(m report.Move) string { return document.Weight(m.BecameWrong) })).Folded()
	doc.Add(s)
	addChangedSlices(doc, d, s.Table == nil && s.List == nil)
}

// changesOfSlices are the metrics of changes that a table of slices has, in tasks with classes, with
// labels and of numbers. It is in the order of the first.
var changesOfSlices = [][]string{
	{"regression_rate", "improvement_rate", "flip_rate", "accuracy_change"},
	{"regression_rate_macro", "improvement_rate_macro", "flip_rate_macro", "accuracy_change_macro"},
	{"larger_error_rate", "smaller_error_rate", "mae_change", "mean_score_change"},
}

// changedLines finds the lines of slices for the tables of changes.
type changedLines struct {
	place map[string]int // of a metric among changesOfSlices
	lines []*sliceLines
}

func newChangedLines() *changedLines {
	c := &changedLines{place: map[string]int{}}
	for i, names := range changesOfSlices {
		c.lines = append(c.lines, newSliceLines())
		for _, name := range names {
			c.place[name] = i
		}
	}
	return c
}

// add adds a row of a slice.
func (c *changedLines) add(row *report.Row) {
	i, is := c.place[row.Name]
	if !is {
		return
	}
	l := c.lines[i].of(row.Slice)
	if len(l.rows) == 0 {
		l.support = row.Support
	}
	l.rows[row.Name] = row
}

// sorted returns the lines of each table, from the highest value of its first metric.
func (c *changedLines) sorted() (tables [][]*line) {
	for i, names := range changesOfSlices {
		lines := slices.DeleteFunc(c.lines[i].lines, func(l *line) bool { return l.rows[names[0]] == nil || !floats.Finite(l.rows[names[0]].Value) })
		slices.SortStableFunc(lines, func(a, b *line) int { return cmp.Compare(b.rows[names[0]].Value, a.rows[names[0]].Value) })
		tables = append(tables, lines)
	}
	return tables
}

// addChangedSlices adds the slices where most examples became wrong, or have larger errors. It has a
// title of its own if it is the first section of changes.
func addChangedSlices(doc *document.Document, d *digest, first bool) {
	for i, names := range changesOfSlices {
		kept, note := document.First(d.changed[i], mostPairs[doc.Output], "")
		s := document.Section{In: document.Markdown | document.Page, ID: "changed-slices", Title: "Slices by " + strings.TrimSuffix(names[0], "_macro"), Sub: !first}
		s.Table, s.Notes = linesTable(doc.Output, "slice", kept, names), []string{note}
		doc.Add(s)
	}
}
