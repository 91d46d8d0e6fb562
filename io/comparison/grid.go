package comparison

import (
	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/slice"
)

// grids returns the grids of differences. The changes are sorted, so a row comes first if it has the
// most significant change for the worse.
func (c *Comparison) grids() *document.Grids[*Change] {
	names, tested := c.names(), c.Pairing != Untested
	return &document.Grids[*Change]{
		Slices: document.Section{Title: "Slices"}, Labels: document.Section{Title: "Labels"}, More: "; " + CSV + " has all",
		Items:    collections.Select(c.Changes, func(*Change) bool { return true }),
		Place:    func(d *Change) (string, slice.Key, *string) { return d.Name, d.Slice, d.Label },
		OfSlices: c.headlinesAmong,
		OfLabels: func(metrics []string) []string { return report.LabelHeadlines(c.Headline, metrics) },
		Cell:     func(d *Change) document.Cell { return document.DifferenceCell(d, names, tested) },
		Note: func(rows []*document.GridRow[*Change], metrics []string) string {
			return document.DifferencesLegend(rows, metrics, names.difference(), names, tested)
		},
	}
}
