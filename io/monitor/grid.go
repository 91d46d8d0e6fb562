package monitor

import (
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/slice"
)

// grids returns the grids of series, the row with the worst series first.
func (m *Monitor) grids() *document.Grids[*Series] {
	choose := func(names []string) []string {
		chosen := collections.Select(m.Metrics, func(name *string) bool { return slices.Contains(names, *name) })
		return collections.Map(chosen[:min(len(chosen), mostHeadlines)], func(name *string) string { return *name })
	}
	return &document.Grids[*Series]{
		Slices: document.Section{Title: "Slices"}, Labels: document.Section{Title: "Labels"}, More: "; " + JSON + " has all",
		Items:    m.worst(),
		Place:    func(s *Series) (string, slice.Key, *string) { return s.Metric, s.Slice, s.Label },
		OfSlices: choose, OfLabels: choose, Cell: m.cell,
		Note: func([]*document.GridRow[*Series], []string) string {
			return "Each cell is the last value and its change: since an alarm (▼ or ▲), otherwise from the mean of the nights before."
		},
	}
}

// cell returns the cell of a series.
func (m *Monitor) cell(s *Series) document.Cell {
	if s == nil || len(s.Values) == 0 {
		return document.Cell{Text: "–", Meaning: "no values"}
	}
	c := document.Cell{Text: document.Fixed(s.last().Value, places), Verdict: "no alarm", Meaning: "no alarm: evidence " + m.evidence(s)}
	if change := m.change(s); floats.Finite(change) {
		c.Text += " (" + document.Signed(change, document.FixedLike(change, c.Text)) + ")"
	}
	switch {
	case s.Alarm:
		c.Arrow, _ = s.verdict()
		c.Verdict, c.Meaning = worse, s.judged()+": evidence "+m.evidence(s)
	case s.Reason != "":
		c.Meaning = "not judged: " + document.Brief(s.Reason)
	}
	return c
}
