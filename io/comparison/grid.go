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
	return &document.Grids[*Change]{
		Items:    collections.Select(c.Changes, func(*Change) bool { return true }),
		Place:    func(d *Change) (string, slice.Key, *string) { return d.Name, d.Slice, d.Label },
		OfSlices: c.headlinesAmong,
		OfLabels: func(names []string) []string { return report.LabelHeadlines(c.Headline, names) },
		Cell:     c.cell, Note: c.legend, More: CSV,
	}
}

// cell returns the cell of a difference.
func (c *Comparison) cell(d *Change) document.Cell {
	return document.DifferenceCell(d, c.names(), c.Pairing != Untested)
}

// legend explains the cells of a grid.
func (c *Comparison) legend(rows []*document.GridRow[*Change], metrics []string) string {
	return document.DifferencesLegend(rows, metrics, c.names().difference(), c.names(), c.Pairing != Untested)
}
