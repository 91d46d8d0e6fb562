package comparison

import (
	"strings"

	"github.com/beameval/beameval/internal/lists"
	"github.com/beameval/beameval/internal/numbers"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/slice"
)

// grids returns the grids of differences. The changes are sorted, so a row comes first if it has the
// most significant change for the worse.
func (c *Comparison) grids() *document.Grids[*Change] {
	return &document.Grids[*Change]{
		Items:    lists.Select(c.Changes, func(*Change) bool { return true }),
		Place:    func(d *Change) (string, slice.Key, *string) { return d.Name, d.Slice, d.Label },
		OfSlices: func(names []string) []string { return report.Headlines(c.Task, c.Headline, names) },
		OfLabels: func(names []string) []string { return report.LabelHeadlines(c.Headline, names) },
		Cell:     c.cell, Note: c.legend, More: CSV,
	}
}

// cell returns the cell of a difference. Without tests, it is the difference alone.
func (c *Comparison) cell(d *Change) document.Cell {
	if d == nil {
		return document.Cell{Text: "–", Meaning: "not in the reports"}
	}
	if d.Verdict == Unsure && (c.Pairing != Untested || !numbers.Finite(d.Difference)) {
		return document.Cell{Text: "–", Meaning: strings.TrimSuffix(string(Unsure)+": "+document.Brief(document.Reason(d, c.names())), ": ")}
	}
	cell := document.Cell{
		Text: document.Signed(d.Difference, document.Fixed(d.Difference, 4)), Arrow: arrows[d.Verdict], Verdict: string(d.Verdict),
		Meaning: document.Number(d.A) + " → " + document.Number(d.B),
	}
	if p := document.PValue(d.PAdjusted); p != "" {
		cell.Meaning += ", p " + p
	}
	if c.Pairing != Untested {
		cell.Meaning = string(d.Verdict) + ": " + cell.Meaning
	}
	return cell
}

// legend explains the cells of a grid, with the reasons for which verdicts are unknown.
func (c *Comparison) legend(rows []*document.GridRow[*Change], metrics []string) string {
	if c.Pairing == Untested {
		return "Each number is a difference, " + c.names().difference() + ", which is not tested."
	}
	legend := "Each number is a difference, " + c.names().difference() + ". ▼: significantly worse. ▲: significantly better. Small: no significant change."
	var reasons []string
	met := map[string]bool{}
	for _, name := range metrics {
		for _, row := range rows {
			d := row.Items[name]
			if d == nil || d.Verdict != Unsure || d.Reason == "" {
				continue
			}
			if text := quote.Visible(name) + ": " + document.Brief(document.Reason(d, c.names())); !met[text] && len(reasons) < mostReasons {
				met[text] = true
				reasons = append(reasons, text)
			}
		}
	}
	if len(reasons) > 0 {
		legend += " –: unknown (" + strings.Join(reasons, "; ") + ")."
	}
	return legend
}
