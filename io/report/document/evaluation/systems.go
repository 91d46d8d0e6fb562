package evaluation

import (
	"math"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/report/picture"
)

// mostSystems is the largest number of systems in a chart, and in the matrix of wins.
const mostSystems = 30

// systems draws the ratings of systems that were compared in pairs, the strongest first, with their
// ranks if there are any.
func (g *gallery) systems() {
	name, rated := g.digest.labelsWith("elo", "bradley_terry")
	if len(rated) < 2 { // a table says a single number better
		return
	}
	slices.SortStableFunc(rated, func(a, b *line) int { return floats.CompareLast(-a.rows[name].Value, -b.rows[name].Value) })
	ranks := make(map[string]string)
	for _, r := range g.report.Ranks {
		if len(r.Slice) == 0 {
			ranks[r.System] = report.Places(r.Low, r.High)
		}
	}
	about := g.About("Systems: "+name, "The rating of each system, the strongest first, with its confidence interval where there is one.")
	kept, note := document.First(rated, mostSystems, "")
	about.Note = note
	if len(ranks) > 0 {
		about.Note = document.Join(about.Note, "The numbers before the names are ranks, as intervals.")
	}
	rank := document.Numbers("rank", func(l *line) string { return ranks[l.label] }).Optional()
	numbers := document.TableOf(kept, slices.Insert(valued("system", name, "comparisons"), 1, rank)...)
	chart := picture.Dots{About: about, Label: name}
	for i, l := range kept {
		dot := l.dot(name, numbers.Tip(i))
		if rank := ranks[l.label]; rank != "" {
			dot.Name = rank + ". " + dot.Name
		}
		chart.Dots = append(chart.Dots, dot)
	}
	g.Add(&chart, numbers)
}

// labelsWith returns the first of some metrics that labels have, and the labels with a value of it.
func (d *digest) labelsWith(names ...string) (name string, list []*line) {
	for _, name := range names {
		if slices.Contains(d.columns, name) {
			return name, slices.DeleteFunc(slices.Clone(d.labels), func(l *line) bool { return !floats.Finite(valueOf(l.rows[name])) })
		}
	}
	return "", nil
}

// dot draws a metric, which the line has, and shows a tip.
func (l *line) dot(name, tip string) picture.Dot {
	row := l.rows[name]
	dot := picture.Dot{Name: l.title(), Value: row.Value, Low: math.NaN(), High: math.NaN(), Tip: tip}
	if row.Confidence.HasInterval() {
		dot.Low, dot.High = row.Confidence.Low, row.Confidence.High
	}
	return dot
}

// mostRanks is the largest number of ranks in a document.
const mostRanks = 500

// ranksSection returns the section of the ranks of systems that were compared in pairs, the strongest first.
func ranksSection(r *report.Report, of document.Output, pictures []document.Picture) document.Section {
	all := r.Ranks
	if of == document.OnScreen {
		all = slices.DeleteFunc(slices.Clone(all), func(x report.Rank) bool { return len(x.Slice) > 0 })
	}
	ranks, first := document.First(all, mostRanks, "")
	s := document.Section{In: document.OnScreen | document.Markdown | document.Page, ID: "ranks", Title: "Ranks", Pictures: pictures}
	s.Table = document.TableOf(ranks,
		document.Text("slice", func(x report.Rank) string {
			if len(x.Slice) == 0 {
				return ""
			}
			return quote.Visible(x.Slice.String())
		}).Optional(),
		document.Text("system", func(x report.Rank) string { return quote.Visible(x.System) }),
		document.Numbers("rank", func(x report.Rank) string { return report.Places(x.Low, x.High) }),
		document.Floats(of, "elo", ranks, func(x report.Rank) float64 { return x.Elo }, "–")).Folded()
	if s.Table != nil {
		s.Notes = []string{first, "A rank begins after the systems that are significantly stronger, and ends before those that are significantly weaker, with all pairs tested together (Holm)."}
	}
	return s
}

// winsSection returns the section of how often each system won against each other.
func winsSection(r *report.Report) document.Section {
	if len(r.Matches) == 0 || len(r.Labels) == 0 || len(r.Labels) > mostSystems {
		return document.Section{}
	}
	at := collections.Places(r.Labels)
	rows := collections.Map(r.Labels, func(name string) []string {
		return append([]string{quote.Visible(name)}, make([]string, len(r.Labels))...)
	})
	for _, m := range r.Matches {
		a, known := at[m.A]
		b, both := at[m.B]
		wins, losses := m.WinsA+float64(m.Ties/2), m.WinsB+float64(m.Ties/2)
		if known && both && wins+losses > 0 { // an edited report can have other systems
			rows[a][1+b], rows[b][1+a] = shareText(wins/(wins+losses)), shareText(losses/(wins+losses))
		}
	}
	return document.Section{
		In: document.Markdown | document.Page, ID: "wins", Title: "Wins", Table: document.NumbersOf(rows, "system", collections.Map(r.Labels, quote.Visible)...),
		Notes: []string{"The share of the comparisons that the system of the row wins against that of the column, by weight. A tie is half a win."},
	}
}
