package monitor

import (
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/numbers"
	"github.com/beameval/beameval/io/report/document"
)

// addGrids adds a grid of slices by metrics, and one of labels by metrics.
func (m *Monitor) addGrids(d *document.Document) {
	m.addGrid(d, "Slices", func(s *Series) (string, bool) { return s.Slice.String(), len(s.Slice) > 0 && s.Label == nil })
	m.addGrid(d, "Labels", func(s *Series) (string, bool) { return document.Label(s.Label), len(s.Slice) == 0 && s.Label != nil })
}

// addGrid adds a grid of the series that belong to it, the row with the worst series first.
func (m *Monitor) addGrid(d *document.Document, title string, rowOf func(*Series) (string, bool)) {
	choose := func(names []string) (chosen []string) {
		for _, name := range m.Metrics {
			if slices.Contains(names, name) && len(chosen) < mostHeadlines {
				chosen = append(chosen, name)
			}
		}
		return chosen
	}
	rows, metrics := document.GridRows(m.worst(), func(s *Series) (row, metric string, belongs bool) {
		row, belongs = rowOf(s)
		return row, s.Metric, belongs
	}, choose)
	kept := rows[:min(len(rows), mostRows)]
	d.Add(document.Section{In: document.Page, Title: title, Table: document.Grid(strings.ToLower(strings.TrimSuffix(title, "s")), kept, metrics, m.cell), Notes: []string{
		document.FirstOf(len(kept), len(rows), "; "+JSON+" has all"),
		"Each cell is the last value and its change: since an alarm (▼ or ▲), otherwise from the mean of the nights before.",
	}})
}

// cell returns the cell of a series.
func (m *Monitor) cell(s *Series) document.Cell {
	if s == nil || len(s.Values) == 0 {
		return document.Cell{Text: "–", Meaning: "no values"}
	}
	c := document.Cell{Text: document.Fixed(s.last().Value, places), Verdict: "no alarm", Meaning: "no alarm: evidence " + m.evidence(s)}
	if change := m.change(s); numbers.Finite(change) {
		c.Text += " (" + signed(change) + ")"
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
