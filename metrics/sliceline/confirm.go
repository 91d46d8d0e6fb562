package sliceline

import (
	"math"
	"slices"

	"github.com/beameval/beameval/metrics/confidence"
)

// Found is a slice that the search found, with what other examples say about it. Numbers are NaN
// where nothing was confirmed or they are undefined.
type Found struct {
	Ranked
	Best        int     // the index in Plan.Best
	Value, Rest float64 // the weighted mean error of the slice, and of all other examples
	Difference  float64 // Value - Rest
	Low, High   float64 // the confidence interval of the difference
	PAdjusted   float64 // one-sided, adjusted by Holm for all slices found
	Confirmed   bool
	Reason      string // why there is no p-value: one of package confidence; "" if there is one
}

// Unconfirmed returns the best slices without confirmation.
func (p *Plan) Unconfirmed() []Found {
	list := make([]Found, 0, len(p.Best))
	for i, r := range p.Best {
		nan := math.NaN()
		list = append(list, Found{Ranked: r, Best: i, Value: nan, Rest: nan, Difference: nan, Low: nan, High: nan, PAdjusted: nan})
	}
	return list
}

// Confirm judges the best slices by examples that were not searched, whose sums it gets by fold. The
// hypothesis that a slice is not worse than the other examples is tested with Student's t, with the
// standard error and the degrees of freedom of the delete-a-group jackknife. It is rejected, and the
// slice confirmed, if the p-value, adjusted by Holm, is at most 1 - level.
//
// A slice of several terms must also be worse than each of its parents without it, by the same test.
// Otherwise it adds nothing: it is not in the list, but only counted.
func (p *Plan) Confirm(sums *Sums, level float64) (list []Found, adding int) {
	all := p.Unconfirmed()
	own, added := make([]float64, len(all)), make([]float64, len(all))
	for i := range all {
		f := &all[i]
		d := p.compare(sums, f.Slice, nil, level)
		f.Value, f.Rest, f.Difference, f.Low, f.High, f.Reason = d.value, d.rest, d.value-d.rest, d.low, d.high, d.reason
		own[i], added[i] = d.p, 0
		for k := 0; k < len(f.Slice) && len(f.Slice) > 1; k++ {
			if over := p.compare(sums, f.Slice, f.Slice.without(k), level); over.reason != "" {
				added[i] = math.NaN()
			} else {
				added[i] = max(added[i], over.p) // NaN stays
			}
		}
	}
	own, added = confidence.Holm(own), confidence.Holm(added)
	for i, f := range all {
		if len(f.Slice) > 1 && !(added[i] <= 1-level) {
			adding++
			continue
		}
		f.PAdjusted, f.Confirmed = own[i], own[i] <= 1-level
		list = append(list, f)
	}
	return list, adding
}

// comparison compares the mean error of a slice with the mean error of other examples.
type comparison struct {
	value, rest, low, high, p float64
	reason                    string
}

// compare compares a slice with the other examples of a slice that contains it, or of all if that is
// nil.
func (p *Plan) compare(sums *Sums, s, within Slice, level float64) comparison {
	at, whole := p.tracked(s), len(p.Tracked)
	if within != nil {
		whole = p.tracked(within)
	}
	var in, out Cell // of all folds
	folds, examples := 0, 0
	for _, g := range sums.groups {
		in.Merge(&g.cells[at])
		out.Merge(&g.cells[whole])
		if g.cells[at].Rows() > 0 {
			folds++
		}
		if g.cells[whole].Rows() > g.cells[at].Rows() {
			examples++
		}
	}
	out.subtract(&in)
	c := comparison{value: meanOf(&in), rest: meanOf(&out), low: math.NaN(), high: math.NaN(), p: math.NaN()}
	if folds < confidence.MinFolds || examples < confidence.MinFolds {
		c.reason = confidence.FewFolds
		return c
	}
	var replicates []float64
	for _, g := range sums.groups {
		if g.cells[whole].Rows() == 0 {
			continue
		}
		var i, o Cell
		i.Merge(&in)
		i.subtract(&g.cells[at])
		o.Merge(&out)
		o.subtract(&g.cells[whole])
		o.Merge(&g.cells[at])
		replicates = append(replicates, meanOf(&i)-meanOf(&o))
	}
	c.judge(replicates, level)
	return c
}

// judge computes the interval and the p-value from replicates of the difference.
func (c *comparison) judge(replicates []float64, level float64) {
	d := c.value - c.rest
	if math.IsNaN(d) || math.IsInf(d, 0) {
		c.reason = confidence.Undefined
		return
	}
	stdError, dof := confidence.Jackknife(replicates)
	switch {
	case math.IsNaN(stdError) || math.IsInf(stdError, 1):
		c.reason = confidence.UndefinedWithout
		return
	case stdError == 0:
		c.reason = confidence.NoVariation
		return
	}
	half := float64(confidence.TQuantile(level, dof) * stdError)
	c.low, c.high = d-half, d+half
	if c.p = float64(confidence.PValue(d/stdError, dof) / 2); d <= 0 {
		c.p = 1 - c.p
	}
}

// BestOf returns the index in Best of each tracked slice, or -1.
func (p *Plan) BestOf() []int {
	at := make([]int, len(p.Tracked))
	for i, s := range p.Tracked {
		at[i] = slices.IndexFunc(p.Best, func(r Ranked) bool { return compareSlices(r.Slice, s) == 0 })
	}
	return at
}

// tracked returns the index of a tracked slice.
func (p *Plan) tracked(s Slice) int {
	i, _ := slices.BinarySearchFunc(p.Tracked, s, compareSlices)
	return i
}

// meanOf returns the weighted mean error, or NaN if there is no weight.
func meanOf(c *Cell) float64 {
	if w := c.weight.Weight(); w > 0 {
		return c.errors.Float64() / w
	}
	return math.NaN()
}
