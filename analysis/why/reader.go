package why

import (
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
)

// reader finds in a report what metrics are computed from.
type reader struct {
	*report.Report
	dir, name string
	rows      map[string]*report.Row // of all labels together, by their keys
	slices    map[string]slice.Key   // by their keys
	weights   map[string]*report.Row // by the keys of slices: the row that has the weights of folds
	cells     map[string][]metrics.ConfusionCell
}

func newReader(of *Source) *reader {
	r := of.Report
	found := &reader{Report: r, dir: of.Dir, name: of.Name, rows: map[string]*report.Row{}, slices: map[string]slice.Key{}, weights: map[string]*report.Row{}}
	for i := range r.Metrics {
		row := &r.Metrics[i]
		key := row.Slice.Encoded()
		if row.Weights != nil {
			found.weights[key] = row
		}
		if row.Label != nil {
			continue
		}
		found.rows[string(row.Key())] = row
		if len(row.Slice) > 0 {
			found.slices[key] = row.Slice
		}
	}
	return found
}

// row returns the row of a metric in a slice, or nil.
func (r *reader) row(of slice.Key, name string) *report.Row {
	return r.rows[report.KeyOf(name, of, nil)]
}

// where adds to a reason the name of the report.
func (r *reader) where(reason string) string {
	if r.name == "" {
		return reason
	}
	return reason + ": " + r.name
}

// readCells reads the confusion matrices of all slices.
func (r *reader) readCells(file columns.Source) error {
	r.cells = map[string][]metrics.ConfusionCell{}
	place, listed := collections.Places(r.Labels), max(len(r.Labels), 2)
	return r.EachConfusionCell(file, func(c *report.ConfusionCell) error {
		cell, known := metrics.ConfusionCell{Label: -1, True: c.TrueIndex, Predicted: c.PredictedIndex, Weight: c.Weight}, true
		if c.Label != nil {
			cell.Label, known = place[*c.Label]
		}
		if !known || max(c.TrueIndex, c.PredictedIndex) >= listed {
			return nil // what the report does not list is in no metric that is divided
		}
		key := c.Slice.Encoded()
		r.cells[key] = append(r.cells[key], cell)
		return nil
	})
}

// whole stands for no fold: nothing is left out. noFold does, too, but what is computed is comparable with what is computed
// without a fold.
const (
	whole  int32 = -1
	noFold int32 = -2
)

// weight is the total weight of a slice, and of its folds if these are known.
type weight struct {
	total float64
	folds *report.Row // nil if unknown
}

// weightOf returns the weight of a slice. Without folds, examples are counted, if each counts as one.
func (r *reader) weightOf(of slice.Key, row *report.Row) (w weight, known bool) {
	if folds := r.weights[of.Encoded()]; folds != nil {
		for _, x := range folds.Weights {
			w.total += x
		}
		return weight{w.total, folds}, true
	}
	return weight{total: float64(row.Support)}, !r.weighted()
}

// without returns the weight without a fold.
func (w *weight) without(fold int32) float64 {
	if fold == whole || w.folds == nil {
		return w.total
	}
	if i, found := slices.BinarySearch(w.folds.Folds, fold); found {
		return w.total - w.folds.Weights[i]
	}
	return w.total
}

// weighted reports whether examples have weights.
func (r *reader) weighted() bool {
	settings := r.Settings()
	return settings.Input.Columns.Weight != nil
}
