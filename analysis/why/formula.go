package why

import (
	"context"
	"math"
	"slices"

	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/mix"
)

// formula says how a metric of all examples follows from slices.
type formula struct {
	// value returns the metric of parts with these shares; ofFolds does it for parts without a fold, perhaps more coarsely.
	value, ofFolds func(of []part, shares []float64) float64
	isMean         bool // value is the only mean, so that contributions of slices add up
	// parts returns what the value is computed from, or why that is unknown. pooled does it for all reports of a or b together.
	parts  func(r *reader, keys []slice.Key) (parts, string)
	pooled func(side int, keys []slice.Key) (pooled, string)
}

// part is what a metric is computed from, of some examples: means over them, or statistics.
type part struct {
	weight   float64 // of the examples
	means    []float64
	examples mix.Examples
}

// ofMeans returns a formula of means over examples.
func ofMeans(value func(means []float64) float64, isMean bool, of func(r *reader, keys []slice.Key) (parts, string)) formula {
	mixed := func(of []part, shares []float64) float64 {
		means := make([]float64, len(of[len(of)-1].means))
		for i, share := range shares {
			for j, m := range of[i].means { // none of a slice without examples
				means[j] += float64(share * m)
			}
		}
		return value(means)
	}
	return formula{value: mixed, ofFolds: mixed, isMean: isMean, parts: of}
}

// parts are the parts of some slices. A slice that a report lacks has no weight.
type parts struct {
	without func(fold int32) []part
	folds   []int32 // that can be left out; nil without replicates
}

// formulaOf returns the formula of a metric, or why it has none. Counts come from confusion.parquet if the reports have them
// neither as metrics nor in statistics.
func (e *explainer) formulaOf(ctx context.Context, name string) (f formula, reason string, err error) {
	order := metrics.PowerMean(e.task, name)
	switch {
	case order > 0:
		return ofMean(name, order), "", nil
	case e.needsStatistics(name):
		if f, reason = e.ofStatistics(name); reason == "" || !metrics.IsOfCounts(e.task, name) {
			return f, reason, nil
		}
		if err := e.readMatrices(ctx); err != nil {
			return f, "", err
		}
	}
	for _, r := range e.readers() {
		switch {
		case !e.hasCounts() && r.cells == nil:
			return f, r.where(noCounts), nil
		case !slices.Equal(r.Labels, e.newest().Labels) || r.NumLabels > 0:
			return f, r.where(otherLabels), nil
		}
	}
	return e.ofCounts(name), "", nil
}

// ofMean returns the formula of a metric that is a mean of numbers, or the square root of a mean of their squares.
func ofMean(name string, order int) formula {
	power, root := func(x float64) float64 { return x }, func(means []float64) float64 { return means[0] }
	if order == 2 {
		power, root = func(x float64) float64 { return float64(x * x) }, func(means []float64) float64 { return math.Sqrt(means[0]) }
	}
	return ofMeans(root, order == 1, func(r *reader, keys []slice.Key) (parts, string) {
		all := r.row(nil, name)
		if all.Undefined != "" || !floats.Finite(all.Value) {
			return parts{}, partlyUndefined
		}
		rows, weights, replicated := make([]*report.Row, len(keys)), make([]weight, len(keys)), true
		for i, key := range keys {
			if rows[i] = r.row(key, name); rows[i] == nil {
				continue
			}
			known := false
			if weights[i], known = r.weightOf(key, rows[i]); !known {
				return parts{}, noWeights
			}
			replicated = replicated && weights[i].folds != nil && len(rows[i].Replicates) > 0
		}
		found := parts{without: func(fold int32) []part {
			list := make([]part, len(keys))
			for i, row := range rows {
				if row != nil {
					list[i] = part{weight: weights[i].without(fold), means: []float64{power(row.Without(fold))}}
				}
			}
			return list
		}}
		if replicated {
			found.folds = all.Folds
		}
		return found, ""
	})
}
