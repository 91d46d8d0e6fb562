package why

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
)

type outcome struct {
	name string
	metrics.ConfusionCell
}

// outcomes are the cells of the confusion matrix of a binary task, and the metrics that count them.
var outcomes = []outcome{
	{"tn", metrics.ConfusionCell{Label: -1, True: 0, Predicted: 0}}, {"fp", metrics.ConfusionCell{Label: -1, True: 0, Predicted: 1}},
	{"fn", metrics.ConfusionCell{Label: -1, True: 1, Predicted: 0}}, {"tp", metrics.ConfusionCell{Label: -1, True: 1, Predicted: 1}},
}

// hasCounts reports whether all reports have the outcomes of a binary task as metrics, which have replicates.
func (e *explainer) hasCounts() bool {
	for _, o := range outcomes {
		if e.task != metrics.Binary || !e.have(o.name) {
			return false
		}
	}
	return true
}

// readMatrices reads the confusion matrices of all reports, once.
func (e *explainer) readMatrices(ctx context.Context) error {
	if e.matrices {
		return nil
	}
	e.matrices = true
	for _, r := range e.readers() {
		if err := report.ReadFile(ctx, r.dir, report.ConfusionParquet, r.readCells); err != nil {
			return err
		}
	}
	return nil
}

// mostMeans is the largest number of means that slices have together.
const mostMeans = 10_000_000

// ofCounts returns the formula of a metric that is computed from the confusion matrix.
func (e *explainer) ofCounts(name string) formula {
	params, options := &metrics.Params{Task: e.task, Metrics: []string{name}}, metrics.Options{ZeroDivision: zeroDivision(e.newest().Report)}
	if e.task != metrics.Binary {
		params.Labels = len(e.newest().Labels)
	}
	_ = params.Complete() // evaluating has the error
	cells := e.cells()
	value := func(means []float64) float64 {
		list := slices.Clone(cells)
		for i := range list {
			list[i].Weight = max(means[i], 0) // what rounding leaves may be below 0
		}
		partial, err := params.Confused(list)
		if err != nil {
			return math.NaN()
		}
		results, err := params.Evaluate(partial, options)
		if err != nil || len(results) != 1 {
			return math.NaN()
		}
		return results[0].Estimate()
	}
	return ofMeans(value, false, func(r *reader, keys []slice.Key) (parts, string) {
		switch {
		case len(keys)*len(cells) > mostMeans:
			return parts{}, tooManyCells
		case e.hasCounts():
			return r.outcomesOf(keys), ""
		}
		return r.matricesOf(keys, cells), ""
	})
}

// cells returns the cells that are not zero in all examples of a report, in order.
func (e *explainer) cells() (list []metrics.ConfusionCell) {
	if e.hasCounts() {
		for _, o := range outcomes {
			list = append(list, o.ConfusionCell)
		}
		return list
	}
	for _, r := range e.readers() {
		for _, c := range r.cells[slice.Key(nil).Encoded()] {
			c.Weight = 0
			list = append(list, c)
		}
	}
	slices.SortFunc(list, compareCells)
	return slices.Compact(list)
}

func compareCells(a, b metrics.ConfusionCell) int {
	return cmp.Or(cmp.Compare(a.Label, b.Label), cmp.Compare(a.True, b.True), cmp.Compare(a.Predicted, b.Predicted))
}

// outcomesOf returns the outcomes of slices of a binary task.
func (r *reader) outcomesOf(keys []slice.Key) (found parts) {
	rows, replicated := make([][]*report.Row, len(keys)), true
	for i, key := range keys {
		for _, o := range outcomes {
			if row := r.row(key, o.name); row != nil {
				rows[i] = append(rows[i], row)
				replicated = replicated && len(row.Replicates) > 0
			}
		}
	}
	found.without = func(fold int32) []part {
		list := make([]part, len(keys))
		for i, of := range rows {
			if len(of) < len(outcomes) {
				continue
			}
			weights := make([]float64, len(of))
			for j, row := range of {
				weights[j] = row.Without(fold)
			}
			list[i] = partOf(weights, 1)
		}
		return list
	}
	if replicated {
		found.folds = rows[0][0].Folds
	}
	return found
}

// matricesOf returns the confusion matrices of slices. There are none without a fold.
func (r *reader) matricesOf(keys []slice.Key, cells []metrics.ConfusionCell) parts {
	list := make([]part, len(keys))
	for i, key := range keys {
		weights, labels := make([]float64, len(cells)), map[int]bool{}
		for _, c := range r.cells[key.Encoded()] {
			if at, found := slices.BinarySearchFunc(cells, c, compareCells); found {
				weights[at], labels[c.Label] = c.Weight, true
			}
		}
		list[i] = partOf(weights, len(labels))
	}
	return parts{without: func(int32) []part { return list }}
}

// partOf returns the part of examples whose cells have these weights, in matrices that have all of the examples each.
func partOf(weights []float64, matrices int) part {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	if sum == 0 {
		return part{}
	}
	p := part{weight: sum / float64(matrices), means: make([]float64, len(weights))}
	for i, w := range weights {
		p.means[i] = w / p.weight
	}
	return p
}

// zeroDivision returns what the configuration of a report sets for ratios whose denominator is 0, NaN if nothing.
func zeroDivision(r *report.Report) float64 {
	settings := r.Settings()
	return *cmp.Or(settings.ZeroDivision, new(math.NaN()))
}
