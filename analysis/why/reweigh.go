package why

import (
	"cmp"
	"math"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/mix"
)

// reweighing computes a metric from the statistics of slices.
type reweighing struct {
	name    string
	params  metrics.Params
	options metrics.Options
	reuse   *metrics.Reuse
	leaving *metrics.Jackknife // nil if no fold can be left out
}

// newReweighing returns an error if the metric does not follow from the statistics.
func newReweighing(s *Statistics, name string) (r *reweighing, err error) {
	r = &reweighing{name: name, params: s.Params, options: s.Options}
	r.params.Metrics, r.params.Replicated = []string{name}, nil
	if r.reuse, err = r.params.Reuse(&s.Params); err != nil {
		return nil, err
	}
	if without, err := r.params.WithoutFolds(r.params.Metrics); err == nil {
		if list := without.Jackknives(); len(list) == 1 {
			r.leaving = &list[0]
		}
	}
	return r, nil
}

// value returns the metric of examples, or NaN.
func (r *reweighing) value(of *metrics.Partial) float64 {
	return r.only(r.params.Evaluate(of, r.options))
}

// coarse is value for statistics without a fold, whose curves have fewer bins.
func (r *reweighing) coarse(of *metrics.Partial) float64 {
	return r.only(r.leaving.Evaluate(of, r.options))
}

func (r *reweighing) only(results []metrics.Result, err error) float64 {
	for _, of := range results {
		if err == nil && of.Label < 0 {
			return of.Estimate()
		}
	}
	return math.NaN()
}

// reweighted returns a metric of parts with shares, given the metric of examples.
func reweighted(value func(*metrics.Partial) float64) func([]part, []float64) float64 {
	return func(of []part, shares []float64) float64 {
		return value(mix.Reweighted(collections.Map(of, func(p part) mix.Examples { return p.examples }), shares))
	}
}

// needsStatistics reports whether a metric follows neither from its own values nor from other metrics that reports have.
func (e *explainer) needsStatistics(name string) bool {
	return metrics.PowerMean(e.task, name) == 0 && !(metrics.IsOfCounts(e.task, name) && e.hasCounts())
}

// ofStatistics returns the formula of a metric that is computed from the statistics of both pools, or why there is none.
func (e *explainer) ofStatistics(name string) (f formula, reason string) {
	a, b := e.statistics[0], e.statistics[1]
	switch {
	case a == nil || b == nil:
		return f, noStatistics
	case a.reason != "" || b.reason != "":
		return f, cmp.Or(a.reason, b.reason)
	case !same(a.Statistics, b.Statistics):
		return f, otherOptions
	case !slices.Contains(a.Params.Metrics, name):
		return f, notOfStatistics
	}
	r, err := newReweighing(a.Statistics, name)
	if err != nil {
		return f, notOfStatistics
	}
	for _, of := range e.statistics {
		all, err := r.reuse.Of(of.slices[overall].All, false)
		if err != nil {
			return f, undefined
		}
		many := new(metrics.Partial)
		if many.MergeTimes(all, 1<<20); !near(r.value(many), r.value(all)) {
			return f, dependsOnNumber
		}
	}
	return formula{value: reweighted(r.value), ofFolds: reweighted(r.coarse), pooled: func(side int, keys []slice.Key) (pooled, string) {
		return r.pooled(e.statistics[side], keys, e.unreplicated(name))
	}}, ""
}

var overall = slice.Key(nil).Encoded()

// unreplicated says why the parts of a metric have no intervals, or "": not all reports have replicates of it, those of a pool
// have other folds, or the value of a sample is biased.
func (e *explainer) unreplicated(name string) string {
	for _, p := range []pool{e.a, e.b} {
		for _, r := range p {
			switch row := r.row(nil, name); {
			case row.NoInterval() == confidence.HasBias:
				return confidence.HasBias
			case len(row.Replicates) == 0:
				return r.where(noReplicates)
			case p.otherFolds(r):
				return r.where(otherFolds)
			}
		}
	}
	return ""
}

// pooled returns the parts of slices. The first slice has all examples.
func (r *reweighing) pooled(s *statistics, keys []slice.Key, unreplicated string) (sum pooled, reason string) {
	all, folds := make([]part, len(keys)), make([][]*metrics.Partial, len(keys))
	var numbers []int32
	for i, key := range keys {
		of := s.slices[key.Encoded()]
		if of == nil {
			continue
		}
		stats, err := r.reuse.Of(of.All, false)
		if err != nil {
			return sum, undefined
		}
		all[i] = part{weight: stats.Weight(), examples: mix.Examples{All: stats}}
		if i == 0 {
			for _, f := range of.Folds {
				numbers = append(numbers, f.Number)
			}
		}
		if folds[i], err = r.folds(of, numbers); err != nil {
			return sum, undefined
		}
		if folds[i] == nil {
			unreplicated = cmp.Or(unreplicated, noReplicates)
		}
	}
	if sum.reason = unreplicated; sum.reason == "" && r.leaving == nil {
		sum.reason = noReplicates
	}
	if sum.without = func(int32) []part { return all }; sum.reason == "" {
		sum.folds, sum.without = numbers, leavingOut(all, folds, numbers)
	}
	return sum, ""
}

// folds returns the statistics of folds with these numbers, nil if the slice has no folds.
func (r *reweighing) folds(of *Examples, numbers []int32) ([]*metrics.Partial, error) {
	if len(of.Folds) == 0 {
		return nil, nil
	}
	list := make([]*metrics.Partial, len(numbers))
	for _, f := range of.Folds {
		stats, err := r.reuse.Of(f.Stats, false)
		if err != nil {
			return nil, err
		}
		if i, found := slices.BinarySearch(numbers, f.Number); found {
			list[i] = stats
		}
	}
	return list, nil
}

// leavingOut returns a function that returns the parts without a fold.
func leavingOut(all []part, folds [][]*metrics.Partial, numbers []int32) func(fold int32) []part {
	binned, bins := slices.Clone(all), metrics.Whole(folds[0], all[0].examples.All) // the bins that folds of all examples have
	for i, p := range all {
		if p.weight > 0 {
			binned[i].examples.All = metrics.Rebinned(metrics.Whole(folds[i], p.examples.All), bins)
		}
	}
	return func(fold int32) []part {
		at, found := slices.BinarySearch(numbers, fold)
		switch {
		case fold == whole:
			return all
		case !found:
			return binned
		}
		list := slices.Clone(binned)
		for i := range list {
			if list[i].weight > 0 {
				list[i].examples.Left = folds[i][at]
				list[i].weight = list[i].examples.Weight()
			}
		}
		return list
	}
}
