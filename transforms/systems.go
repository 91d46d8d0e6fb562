package transforms

import (
	"cmp"
	"math"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/multiplecomparisons"
	"github.com/beameval/beameval/metrics/preference"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// ranks returns the ranks of the systems of preferences, slice by slice, the strongest first. A system is
// significantly stronger than another if the difference of their strengths is, by the jackknife and
// among all pairs of the slice (Holm).
func (s *settled) ranks(rows []report.Row) (all []report.Rank) {
	if s.Params.Task != metrics.Preference || s.Confidence == nil {
		return nil
	}
	var list []*report.Row // of a slice; rows are ordered by slice
	rank := func() {
		slices.SortStableFunc(list, func(a, b *report.Row) int { return cmp.Compare(b.Value, a.Value) })
		low, high := multiplecomparisons.Ranks(len(list), stronger(list, s.Confidence.Level))
		for i, r := range list {
			all = append(all, report.Rank{Slice: r.Slice, System: *r.Label, Elo: preference.Elo(r.Value), Low: low[i], High: high[i], TiedForFirst: low[i] == 1})
		}
		list = list[:0]
	}
	for i := range rows {
		r := &rows[i]
		if r.Name != "bradley_terry" || !floats.Finite(r.Value) || !r.Confidence.HasInterval() {
			continue
		}
		if len(list) > 0 && list[0].Slice.String() != r.Slice.String() {
			rank()
		}
		list = append(list, r)
	}
	rank()
	return all
}

// stronger returns a verdict for [multiplecomparisons.Ranks]: which of two systems, in descending order of their
// strengths, is significantly stronger.
func stronger(list []*report.Row, level float64) func(i, j int) int {
	n := len(list)
	p := make([]float64, n*n)
	for i := range p {
		p[i] = math.NaN()
		if a, b := list[i/n], list[i%n]; i/n < i%n {
			p[i] = confidence.Paired(a.Value, b.Value, a.Replicates, b.Replicates, level).PValue
		}
	}
	p = confidence.Holm(p)
	return func(i, j int) int {
		switch {
		case p[i*n+j] <= 1-level:
			return 1
		case p[j*n+i] <= 1-level:
			return -1
		}
		return 0
	}
}

// matches returns the outcomes of the comparisons of systems in all examples.
func (out *evaluable) matches(stats *metrics.Partial) []report.Match {
	return collections.Map(out.spec.Params.Matches(stats), func(m metrics.Match) report.Match {
		return report.Match{A: out.vocab.Name(m.A), B: out.vocab.Name(m.B), WinsA: m.WinsA, WinsB: m.WinsB, Ties: m.Tie, Comparisons: m.Comparisons}
	})
}

// raterPairs returns how each two raters agree in all examples, with an interval of their κ if examples are divided into folds.
func (out *evaluable) raterPairs(p *shuffle.Partial) (list []report.RaterPair, err error) {
	pairs := out.spec.Params.RaterPairs(p.Stats)
	for _, of := range pairs {
		list = append(list, report.RaterPair{
			A: out.vocab.Name(of.A), B: out.vocab.Name(of.B), Examples: of.Examples, Agreement: of.Agreement, Kappa: of.Kappa.Number, Undefined: of.Kappa.Undefined,
			Low: math.NaN(), High: math.NaN(),
		})
	}
	if len(pairs) == 0 || len(out.without) == 0 || !shuffle.HasIntervals(&out.spec.Spec, slice.Key{}) {
		return list, nil
	}
	var folds []*metrics.Partial
	for i := range p.Folds {
		if out.without[0].Leaves(p.Folds[i].Stats) {
			folds = append(folds, p.Folds[i].Stats)
		}
	}
	type both struct{ a, b int }
	without, met := map[both][]float64{}, map[both]int{}
	for _, fold := range folds {
		for _, of := range out.spec.Params.RaterPairs(fold) {
			met[both{of.A, of.B}]++
		}
	}
	err = metrics.LeaveOneOut(folds, p.Stats, func(i int, others *metrics.Partial) error {
		for _, of := range out.spec.Params.RaterPairs(others) {
			without[both{of.A, of.B}] = append(without[both{of.A, of.B}], of.Kappa.Number)
		}
		return nil
	})
	for i, of := range pairs {
		key := both{of.A, of.B}
		if len(without[key]) != len(folds) { // no fold is left without the one
			continue
		}
		interval := confidence.Estimate{Value: of.Kappa.Number, Replicates: without[key], Scale: confidence.Atanh, Rarer: met[key]}.Interval(out.spec.Confidence.Level)
		list[i].Low, list[i].High = interval.Low, interval.High
	}
	return list, err
}
