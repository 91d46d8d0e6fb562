package evaluation

import (
	"fmt"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/report/picture"
)

// mostRaters is the largest number of raters in a chart, and in the matrix of pairs.
const mostRaters = 30

// raters draws how far each rater agrees with all others, the one who disagrees most first, and then κ of all pairs.
func (g *gallery) raters() {
	name, rated := g.digest.labelsWith("kappa_with_others", "agreement_with_others")
	if g.Task != "agreement" || len(rated) < 2 {
		return
	}
	slices.SortStableFunc(rated, func(a, b *line) int { return floats.CompareLast(a.rows[name].Value, b.rows[name].Value) })
	about := g.About("Raters: "+name, "How far each rater agrees with all others, the one who disagrees most first, with confidence intervals where there are some.")
	kept, note := document.First(rated, mostRaters, "")
	about.Note = note
	numbers := document.TableOf(kept, valued("rater", name, "examples")...)
	chart := picture.Dots{About: about, Label: name}
	for i, l := range kept {
		chart.Dots = append(chart.Dots, l.dot(name, numbers.Tip(i)))
	}
	g.Add(&chart, numbers)
	g.raterPairs(collections.Map(rated, func(l *line) string { return l.label }))
}

// raterPairs draws κ of all pairs of some raters, in this order.
func (g *gallery) raterPairs(names []string) {
	m := newPairs(g.report, names)
	if m == nil {
		return
	}
	about := g.About("Pairs of raters: cohen_kappa", "How far each two raters agree beyond chance, the rater who disagrees most first.")
	about.Note = "The darker a pair is, the further it agrees; pairs that agree no further than by chance have no color."
	visible := collections.Map(names, quote.Visible)
	h := picture.Heat{About: about, Charts: chartsOf(len(names)), X: "rater", Y: "rater", Columns: visible, Rows: visible}
	for i := range names {
		row := make([]picture.Cell, len(names))
		for j := range names {
			if p := m.at(i, j); p != nil {
				row[j] = picture.Cell{Text: m.text(i, j), Tip: fmt.Sprintf("%s and %s: cohen_kappa %s of %s", visible[i], visible[j], m.text(i, j), document.Plural(p.Examples, "example"))}
				if floats.Finite(p.Kappa) {
					row[j].Shade = max(0, p.Kappa)
				}
			}
		}
		h.Cells = append(h.Cells, row)
	}
	g.Add(&h, document.NumbersOf(m.rows(visible), "rater", visible...))
}

// pairMatrix has the pairs of some raters.
type pairMatrix struct {
	names []string
	pairs map[[2]string]*report.RaterPair
}

// newPairs returns the pairs of some raters, or nil if there are none, or too many for a matrix.
func newPairs(r *report.Report, names []string) *pairMatrix {
	if len(r.RaterPairs) == 0 || len(names) < 2 || len(names) > mostRaters {
		return nil
	}
	m := &pairMatrix{names, map[[2]string]*report.RaterPair{}}
	for i := range r.RaterPairs {
		p := &r.RaterPairs[i]
		m.pairs[[2]string{p.A, p.B}], m.pairs[[2]string{p.B, p.A}] = p, p
	}
	return m
}

// at returns the pair of two raters, or nil if they have no examples in common.
func (m *pairMatrix) at(i, j int) *report.RaterPair {
	return m.pairs[[2]string{m.names[i], m.names[j]}]
}

// text returns κ of two raters.
func (m *pairMatrix) text(i, j int) string {
	switch p := m.at(i, j); {
	case p == nil:
		return ""
	case !floats.Finite(p.Kappa):
		return "–"
	default:
		return fmt.Sprintf("%.2f", p.Kappa)
	}
}

// rows returns a row for each rater.
func (m *pairMatrix) rows(visible []string) (rows [][]string) {
	for i, name := range visible {
		row := []string{name}
		for j := range visible {
			row = append(row, m.text(i, j))
		}
		rows = append(rows, row)
	}
	return rows
}

// ratersSection returns the section of raters and their pairs.
func ratersSection(r *report.Report, pictures []document.Picture) document.Section {
	s := document.Section{In: document.Markdown | document.Page, ID: "raters", Title: "Raters", Pictures: pictures}
	if m := newPairs(r, r.Labels); m != nil {
		visible := collections.Map(r.Labels, quote.Visible)
		s.Table = document.NumbersOf(m.rows(visible), "rater", visible...)
		s.Notes = []string{"Cohen's kappa of each two raters, of the examples that both rate. A dash is an undefined kappa: both give one and the same rating."}
	}
	return s
}
