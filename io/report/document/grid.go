package document

import (
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/slice"
)

// MostGridRows is the largest number of rows of a grid.
const MostGridRows = 100

// Grids are a grid of slices by metrics, and one of labels by metrics.
type Grids[T any] struct {
	Slices, Labels Section // with their titles
	Items          []T
	Place          func(T) (metric string, key slice.Key, label *string)
	// OfSlices and OfLabels choose from the metrics of all items of a grid.
	OfSlices, OfLabels func(metrics []string) []string
	Cell               func(T) Cell
	Note               func(rows []*GridRow[T], metrics []string) string // about the rows that are shown
	More               string                                            // what a note says of the rows that are not shown, such as "; monitor.json has all"
}

// AddTo adds the grids to a page.
func (g *Grids[T]) AddTo(d *Document) {
	g.add(d, g.Slices, "slice", g.OfSlices, func(key slice.Key, label *string) (string, bool) { return key.String(), len(key) > 0 && label == nil })
	g.add(d, g.Labels, "label", g.OfLabels, func(key slice.Key, label *string) (string, bool) { return Label(label), len(key) == 0 && label != nil })
}

func (g *Grids[T]) add(d *Document, s Section, kind string, choose func([]string) []string, rowOf func(key slice.Key, label *string) (name string, belongs bool)) {
	rows, metrics := GridRows(g.Items, func(item T) (row, metric string, belongs bool) {
		metric, key, label := g.Place(item)
		row, belongs = rowOf(key, label)
		return row, metric, belongs
	}, choose)
	kept, first := First(rows, MostGridRows, g.More)
	s.In, s.Table, s.Notes = Page, Grid(kind, kept, metrics, quote.Visible, g.Cell), []string{first, g.Note(kept, metrics)}
	d.Add(s)
}

// GridRow is a row of a grid, such as a slice, with its items by metric.
type GridRow[T any] struct {
	Name  string
	Items map[string]T
}

// GridRows returns the rows of a grid, and its metrics: choose selects them from the metrics of all
// items that belong to the grid. The rows are in the order of their first items of these metrics.
func GridRows[T any](items []T, place func(T) (row, metric string, belongs bool), choose func([]string) []string) (rows []*GridRow[T], metrics []string) {
	var all []string
	met, byName := map[string]bool{}, map[string]*GridRow[T]{}
	for _, item := range items {
		if _, metric, belongs := place(item); belongs && !met[metric] {
			met[metric] = true
			all = append(all, metric)
		}
	}
	metrics = choose(all)
	shown := collections.Set(slices.Values(metrics))
	for _, item := range items {
		name, metric, belongs := place(item)
		if !belongs || !shown[metric] {
			continue
		}
		row := byName[name]
		if row == nil {
			row = &GridRow[T]{name, map[string]T{}}
			byName[name], rows = row, append(rows, row)
		}
		row.Items[metric] = item
	}
	return rows, metrics
}

// Grid returns the table of a grid, or nil if it has no rows. Its first column is named kind, those of
// metrics as heading says.
func Grid[T any](kind string, rows []*GridRow[T], metrics []string, heading func(metric string) string, cell func(T) Cell) *Table {
	columns := []Cells[*GridRow[T]]{Text(kind, func(r *GridRow[T]) string { return r.Name })}
	for _, name := range metrics {
		columns = append(columns, Judged(heading(name), func(r *GridRow[T]) Cell { return cell(r.Items[name]) }))
	}
	return TableOf(rows, columns...).Folded()
}
