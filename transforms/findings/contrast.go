package findings

import (
	"math"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/elementary"
	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics/confidence"
)

// contrast is a difference that is tested. The contrasts of a report are adjusted together, by Holm: that any of them is
// significant by chance is as unlikely as that a single interval misses the true value.
type contrast struct {
	metric           string
	a, b             *report.Row // the difference is b − a; a is nil if b is contrasted with all other examples
	difference, half float64     // with half the width of its interval
	p, adjusted      float64
	share            float64 // of the examples, in b; NaN if it is unknown
	other            float64 // the value of all other examples
}

// adjust sets the adjusted p-values.
func adjust(all []*contrast) {
	for i, p := range confidence.Holm(collections.Map(all, func(c *contrast) float64 { return c.p })) {
		all[i].adjusted = p
	}
}

// sure returns how large the difference is at least, by its interval.
func (c *contrast) sure() float64 { return math.Abs(c.difference) - c.half }

// values are the numbers of the contrast in a report.
func (c *contrast) values() map[string]float64 {
	return map[string]float64{"difference": c.difference, "ci_low": c.difference - c.half, "ci_high": c.difference + c.half, "p_adjusted": c.adjusted}
}

// testable reports whether replicates of a value show how uncertain it is, and there are enough examples to say so.
func testable(row *report.Row) bool {
	c := row.Confidence
	return c != nil && row.Support >= report.SmallGroup && floats.Finite(row.Value) && len(row.Folds) >= confidence.MinFolds &&
		confidence.Untestable(c.Method, c.NoInterval) == ""
}

// compare tests b − a, multiplied by a factor. It returns nil if that is impossible.
//
// The standard error of the jackknife is too small by chance where few examples decide a value: a recall of 12 positives is often
// 1, and does not vary. It is taken to be at least as large as the sides of Wilson's intervals say that are between both values
// (Newcombe 1998), which are valid for few examples.
func (f *Facts) compare(a, b *report.Row, factor float64) *contrast {
	g := f.Report.Confidence
	found := confidence.Paired(a.Value, b.Value, whole(a, g.Folds), whole(b, g.Folds), g.Level)
	if found.NoInterval != "" {
		return nil
	}
	c := &contrast{metric: b.Name, a: a, b: b, difference: float64(found.Difference * factor), share: math.NaN(), other: math.NaN()}
	se := float64(found.StdError * factor)
	if a.Confidence.Method == confidence.MethodWilson && b.Confidence.Method == confidence.MethodWilson {
		high, low := a, b
		if a.Value < b.Value {
			high, low = b, a
		}
		se = max(se, elementary.Hypot(high.Value-high.Confidence.Low, low.Confidence.High-low.Value)/confidence.NormalQuantile(g.Level))
	}
	c.half, c.p = float64(confidence.TQuantile(g.Level, found.DOF)*se), confidence.PValue(c.difference/se, found.DOF)
	return c
}

// whole returns a replicate for each of n groups. Without a group that has no examples, a value does not change.
func whole(row *report.Row, n int) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = row.Value
	}
	for i, group := range row.Folds {
		all[group] = row.Replicates[i]
	}
	return all
}

// weights returns the weight of the examples in each slice, by key: their number or, if rows have weights, what the confusion
// matrices add up to. A slice that it lacks has an unknown weight.
func (f *Facts) weights(metric string) map[string]float64 {
	of := map[string]float64{}
	if !f.Weighted {
		for i := range f.Report.Metrics {
			if row := &f.Report.Metrics[i]; row.Name == metric && row.Label == nil {
				of[row.Slice.Encoded()] = float64(row.Support)
			}
		}
		return of
	}
	first := map[string]*string{} // each label has a matrix of all examples
	for i := range f.Report.Confusion {
		cell := &f.Report.Confusion[i]
		key := cell.Slice.Encoded()
		if _, met := of[key]; !met {
			first[key] = cell.Label
		}
		if report.SameLabel(first[key], cell.Label) {
			of[key] += cell.Weight
		}
	}
	return of
}
