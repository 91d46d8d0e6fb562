package why

import (
	"cmp"
	"math"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/mix"
)

// rounding is how far, as a share, sums may be off because numbers are rounded.
const rounding = 1e-9

// division divides the difference of a metric between two pools.
type division struct {
	formula
	a, b pooled
}

// sides are both pools without a fold each: the shares of slices, and what the metric is computed from. The last slice is
// of the examples that are in no other.
type sides struct {
	a, b divided
}

type divided struct {
	shares []float64
	of     []part
}

// divide divides the difference of w by slices.
func (e *explainer) divide(w *comparison.Why, f formula, by *columnSet) {
	d := &division{formula: f}
	keys := append([]slice.Key{nil}, by.keys...)
	if w.Reason = by.unlike(e.a, e.b); w.Reason != "" {
		return
	}
	for i, to := range []*pooled{&d.a, &d.b} {
		if *to, w.Reason = e.partsOf(f, i, keys); w.Reason != "" {
			return
		}
	}
	both, reason := d.sides(whole, whole)
	if w.Reason = reason; reason != "" {
		return
	}
	first := d.numbers(both, f.value)
	if slices.ContainsFunc(first, func(x float64) bool { return !floats.Finite(x) }) {
		w.Reason = undefined
		return
	}
	if w.Reason = e.unlikeReports(d, w.Metric); w.Reason != "" {
		return
	}
	switch {
	case math.IsNaN(w.Difference): // reports have no value of a pool
		w.A, w.B = f.value(both.a.of, both.a.shares), f.value(both.b.of, both.b.shares)
		w.Difference = w.B - w.A
	case f.pooled != nil: // reports may have exact curves, and statistics bounded ones
		first[1] = w.Difference - first[0]
	}
	intervals, reason := e.intervals(d, first)
	w.Mix, w.Performance, w.Reason = intervals[0], intervals[1], reason
	for i, n := 0, len(both.a.shares); i < n; i++ {
		s := comparison.WhySlice{ShareA: both.a.shares[i], ShareB: both.b.shares[i], Mix: report.UnknownEstimate(), Performance: report.UnknownEstimate()}
		if s.Rest = i == n-1; s.Rest && s.ShareA == 0 && s.ShareB == 0 {
			continue
		}
		if !s.Rest {
			s.Slice = by.keys[i]
		}
		s.A, s.B = d.valueIn(e.a, both.a, i, &s, w.Metric), d.valueIn(e.b, both.b, i, &s, w.Metric)
		if f.isMean {
			s.Mix, s.Performance = intervals[2+2*i], intervals[3+2*i]
		}
		w.Slices = append(w.Slices, s)
	}
}

// partsOf returns the parts of slices on a side, or why they are unknown.
func (e *explainer) partsOf(f formula, side int, keys []slice.Key) (pooled, string) {
	if f.pooled != nil {
		return f.pooled(side, keys)
	}
	return []pool{e.a, e.b}[side].partsOf(f, keys)
}

// unlikeReports says why the metric does not follow from the slices, or "". The statistics of pools have been compared with
// the values of reports already.
func (e *explainer) unlikeReports(d *division, metric string) string {
	for _, of := range []*pooled{&d.a, &d.b} {
		if d.pooled != nil && !d.follows(of.parts, d.value(of.without(whole)[:1], []float64{1})) {
			return doesNotFollow
		}
	}
	for i, of := range slices.Concat(d.a.of, d.b.of) {
		if r := e.readers()[i]; !d.follows(of, r.row(nil, metric).Value) {
			return r.where(doesNotFollow)
		}
	}
	return ""
}

// follows reports whether the value of all examples follows from the slices.
func (d *division) follows(of parts, value float64) bool {
	slices, reason := divideParts(of.without(whole))
	return reason == "" && near(d.value(slices.of, slices.shares), value)
}

func near(x, y float64) bool { return math.Abs(x-y) <= rounding*max(1, math.Abs(y)) }

// valueIn returns the metric of a slice, or NaN if a side has no examples of it: as the report has it, where statistics are
// of bounded curves.
func (d *division) valueIn(p pool, of divided, i int, s *comparison.WhySlice, metric string) float64 {
	if of.shares[i] == 0 {
		return math.NaN()
	}
	if d.pooled != nil && len(p) == 1 {
		if row := p[0].row(s.Slice, metric); row != nil {
			return row.Value
		}
	}
	return d.value(of.of[i:i+1], []float64{1})
}

// sides returns both sides without a fold each, or why they cannot be compared. A slice without examples on one side
// has the part of the other, so that all that it contributes is mix.
func (d *division) sides(foldA, foldB int32) (both sides, reason string) {
	for _, side := range []struct {
		of   []part
		into *divided
	}{{d.a.without(foldA), &both.a}, {d.b.without(foldB), &both.b}} {
		if *side.into, reason = divideParts(side.of); reason != "" {
			return both, reason
		}
	}
	for i, n := range both.a.shares {
		switch m := both.b.shares[i]; {
		case n == 0 && m == 0:
			both.a.of[i] = part{means: make([]float64, len(both.a.of[len(both.a.of)-1].means))}
			both.b.of[i] = both.a.of[i]
		case n == 0:
			both.a.of[i] = both.b.of[i]
		case m == 0:
			both.b.of[i] = both.a.of[i]
		}
	}
	return both, ""
}

// divideParts returns the shares and parts of slices, and of the examples in none of them, for which there must be means.
// The first part is of all examples.
func divideParts(list []part) (d divided, reason string) {
	all := list[0]
	if !(all.weight > 0) {
		return d, undefined
	}
	rest := part{weight: all.weight, means: make([]float64, len(all.means))}
	for i, m := range all.means {
		rest.means[i] = float64(all.weight * m)
	}
	for _, p := range list[1:] {
		d.shares, d.of = append(d.shares, p.weight/all.weight), append(d.of, p)
		if p.weight == 0 {
			continue
		}
		rest.weight -= p.weight
		for i, m := range p.means {
			rest.means[i] -= float64(p.weight * m)
		}
	}
	switch share := rest.weight / all.weight; {
	case share < -rounding:
		return d, overlapping
	case share <= rounding:
		d.shares = append(d.shares, 0)
	case all.examples.All != nil:
		return d, inNoSlice
	default:
		d.shares = append(d.shares, share)
		for i := range rest.means {
			rest.means[i] /= rest.weight
		}
	}
	d.of = append(d.of, rest)
	return d, ""
}

// numbers returns mix and performance, followed by those of each slice if they add up. What rounding may leave is 0.
func (d *division) numbers(both sides, value func([]part, []float64) float64) []float64 {
	side := func(of divided) mix.Side {
		return mix.Side{Shares: of.shares, Metric: func(shares []float64) float64 { return value(of.of, shares) }}
	}
	a, b := side(both.a), side(both.b)
	ofA, ofB := a.Metric(a.Shares), b.Metric(b.Shares)
	all := []mix.Parts{mix.Divide(a, b)}
	if d.isMean {
		all = append(all, mix.OfMeans(a.Shares, b.Shares, firsts(both.a.of), firsts(both.b.of), float64((ofA+ofB)/2))...)
	}
	var list []float64
	for _, part := range all {
		for _, x := range []float64{part.Mix, part.Performance} {
			if math.Abs(x) < 1e-13*max(math.Abs(ofA), math.Abs(ofB)) {
				x = 0
			}
			list = append(list, x)
		}
	}
	return list
}

func firsts(of []part) []float64 {
	return collections.Map(of, func(p part) float64 { return p.means[0] })
}

// intervals returns the intervals of numbers, and why mix and performance have none.
func (e *explainer) intervals(d *division, numbers []float64) (list []report.Estimate, reason string) {
	var withoutA, withoutB [][]float64
	switch {
	case e.pairing == comparison.Untested || d.a.folds == nil || d.b.folds == nil:
		reason = cmp.Or(d.a.reason, d.b.reason, noReplicates)
	case e.pairing == comparison.Paired:
		folds := slices.Concat(d.a.folds, d.b.folds)
		slices.Sort(folds)
		for _, fold := range slices.Compact(folds) {
			withoutB = append(withoutB, d.replicate(fold, fold))
		}
	default:
		for _, fold := range d.a.folds {
			withoutA = append(withoutA, d.replicate(fold, noFold))
		}
		for _, fold := range d.b.folds {
			withoutB = append(withoutB, d.replicate(noFold, fold))
		}
	}
	center := d.replicate(noFold, noFold)
	for i, x := range numbers {
		part := report.Estimate{Value: x, Low: math.NaN(), High: math.NaN()}
		if len(withoutB) > 0 {
			found := e.interval(x, column(withoutA, i, x-center[i]), column(withoutB, i, x-center[i]))
			part.Low, part.High = found.Low, found.High
			if i < 2 && reason == "" && found.NoInterval != confidence.NoVariation {
				reason = found.NoInterval
			}
		}
		list = append(list, part)
	}
	return list, reason
}

// interval returns the interval of a number, given what it is without the folds of both reports; pairs have no first.
func (e *explainer) interval(x float64, withoutA, withoutB []float64) confidence.Difference {
	if e.pairing == comparison.Paired {
		return confidence.Paired(0, x, make([]float64, len(withoutB)), withoutB, e.level)
	}
	return confidence.Unpaired(0, x, withoutA, withoutB, e.level)
}

// replicate returns the numbers without a fold of each side, NaN if there are none.
func (d *division) replicate(foldA, foldB int32) []float64 {
	both, reason := d.sides(foldA, foldB)
	if reason != "" {
		return nil
	}
	return d.numbers(both, d.ofFolds)
}

// column returns number i of each list, shifted, and NaN where there is none.
func column(lists [][]float64, i int, by float64) []float64 {
	all := make([]float64, len(lists))
	for j, list := range lists {
		if all[j] = math.NaN(); i < len(list) {
			all[j] = list[i] + by
		}
	}
	return all
}
