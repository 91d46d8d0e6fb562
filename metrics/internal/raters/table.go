// Package raters measures how far several raters, such as people or judges, agree who rate the same examples. A [Table] counts
// ratings by value, and [Pairs] count how each two raters agree, so that the numbers of values and of raters decide how much
// memory they take, not the number of examples.
package raters

import (
	"slices"

	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/fields"
	"github.com/beameval/beameval/metrics/internal/multiprecision"
	"github.com/beameval/beameval/metrics/scoreruns"
)

// Table is the statistic of the ratings of examples. It is a commutative monoid: whether there are too many values does not
// depend on the order in which they come.
type Table struct {
	limit  int // of values; 0 in a table that can only be merged into
	values limited[value, *value]

	sizes   fields.Keyed[rowCount, *rowCount] // examples by the number of their ratings
	rated   exact.Tally                       // examples with a rating
	several exact.Tally                       // examples with two or more

	// Of examples with two or more ratings: the totals, by weight, of the share of pairs that are equal, and of the mean square and
	// the mean of the difference in a pair. ratings are their ratings, and within totals the squares of the differences of a
	// rating to all others, divided by the number of others.
	agreed, squares, distances exact.Sum
	ratings                    multiprecision.Moments
	within                     exact.Sum

	raters fields.Keyed[rater, *rater]

	sorted []float64
	groups []group
}

// value is what is known of the ratings of one value.
type value struct {
	ratings  int64
	pairable exact.Tally                   // ratings of examples with two or more
	share    exact.Sum                     // the total of the shares that they have of the ratings of each example
	above    fields.Keyed[weight, *weight] // coincidences with higher values
}

func (o *value) Empty() bool { return o.ratings == 0 }

// Fields lists the fields.
func (o *value) Fields(v *fields.Visitor, from *value) {
	v.Count(&o.ratings, from.ratings)
	fields.Visit(v, &o.pairable, &from.pairable)
	fields.Visit(v, &o.share, &from.share)
	o.above.Fields(v, &from.above)
}

// weight is a sum of weights.
type weight struct{ exact.Sum }

// Fields lists the fields.
func (w *weight) Fields(v *fields.Visitor, from *weight) { fields.Visit(v, &w.Sum, &from.Sum) }

// rowCount is a number of examples.
type rowCount int64

func (n *rowCount) Empty() bool { return *n == 0 }

// Fields lists the fields.
func (n *rowCount) Fields(v *fields.Visitor, from *rowCount) { v.Count((*int64)(n), int64(*from)) }

// rater is how one rater agrees with all others: the examples that others rate, too; the total of the shares of the others who
// give the same rating; and the total of the differences of the rating to the mean of theirs.
type rater struct {
	examples  exact.Tally
	agreed    exact.Sum
	deviation exact.Sum
}

func (r *rater) Empty() bool { return r.examples.Empty() }

// Fields lists the fields.
func (r *rater) Fields(v *fields.Visitor, from *rater) {
	fields.Visit(v, &r.examples, &from.examples)
	fields.Visit(v, &r.agreed, &from.agreed)
	fields.Visit(v, &r.deviation, &from.deviation)
}

// NewTable returns an empty table that gives up beyond a number of values.
func NewTable(limit int) *Table { return &Table{limit: limit} }

// Limit returns the limit.
func (t *Table) Limit() int { return t.limit }

// Below reports whether all raters are less than n.
func (t *Table) Below(n int) bool { return t.raters.Below(uint64(n)) }

// Rekeyed returns a copy in which other numbers identify the raters.
func (t *Table) Rekeyed(of func(rater uint64) uint64) *Table {
	to := NewTable(t.limit)
	fields.Merge(to, t)
	to.raters = t.raters.Rekeyed(of)
	return to
}

// group are the equal ratings of an example.
type group struct {
	x     float64
	times int
}

// groupsOf returns the groups of sorted ratings. It reuses list.
func groupsOf(list []group, sorted []float64) []group {
	list = list[:0]
	for i, x := range sorted {
		if i == 0 || x != sorted[i-1] {
			list = append(list, group{x: x})
		}
		list[len(list)-1].times++
	}
	return list
}

// Agreement returns the share of the pairs of sorted ratings that are equal, of two or more.
func Agreement(sorted []float64) float64 {
	equal, run := 0, 0
	for i, x := range sorted {
		if i > 0 && x != sorted[i-1] {
			run = 0
		}
		equal += run
		run++
	}
	n := len(sorted)
	return float64(equal) / float64(n*(n-1)/2)
}

// Add adds an example with its ratings, each by another rater.
func (t *Table) Add(w float64, ratings []float64, by []int32) {
	n := len(ratings)
	if n == 0 || w == 0 {
		return
	}
	t.sorted = append(t.sorted[:0], ratings...)
	slices.Sort(t.sorted)
	t.groups = groupsOf(t.groups, t.sorted)
	*t.sizes.Value(uint64(n))++
	t.rated.Add(w)
	t.addValues(w, n)
	if n < 2 {
		return
	}
	t.several.Add(w)
	t.agreed.AddProduct(w, Agreement(t.sorted))
	t.addDifferences(w)
	t.addRaters(w, ratings, by)
}

// addValues adds the ratings of an example by their values, n in all.
func (t *Table) addValues(w float64, n int) {
	for i, g := range t.groups {
		of := t.values.value(g.x, t.limit)
		if of == nil {
			return
		}
		of.ratings += int64(g.times)
		of.share.Add(float64(w * (float64(g.times) / float64(n))))
		if n < 2 {
			continue
		}
		of.pairable.AddRows(w, int64(g.times))
		for _, higher := range t.groups[i+1:] {
			of.above.Value(scoreruns.Image(higher.x)).Add(float64(w * (float64(g.times*higher.times) / float64(n-1))))
		}
	}
}

// addDifferences adds how far the ratings of an example differ.
func (t *Table) addDifferences(w float64) {
	list, first := t.sorted, t.sorted[0]
	n := float64(len(list))
	sum, apart := 0.0, 0.0
	for i, x := range list {
		t.ratings.Add(w, x)
		sum += x - first
		if i > 0 { // the gap is between i ratings and the others
			apart += float64((x - list[i-1]) * float64(i*(len(list)-i)))
		}
	}
	mean, scatter := sum/n, 0.0
	for _, x := range list {
		d := x - first - mean
		scatter += float64(d * d)
	}
	t.distances.AddProduct(w, apart/(n*(n-1)/2))
	t.squares.AddProduct(w, 2*scatter/(n-1))
	t.within.AddProduct(w, 2*scatter/(n-1)*n)
}

// addRaters adds how each rater of an example agrees with the others.
func (t *Table) addRaters(w float64, ratings []float64, by []int32) {
	first, sum := t.sorted[0], 0.0
	for _, x := range t.sorted {
		sum += x - first
	}
	others := float64(len(ratings) - 1)
	for i, x := range ratings {
		r := t.raters.Value(uint64(by[i]))
		at, _ := slices.BinarySearchFunc(t.groups, x, func(g group, x float64) int { return compare(g.x, x) })
		r.examples.Add(w)
		r.agreed.AddProduct(w, float64(t.groups[at].times-1)/others)
		own := x - first
		r.deviation.AddProduct(w, own-(sum-own)/others)
	}
}

// compare compares numbers that are not NaN.
func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// Fields lists the fields.
func (t *Table) Fields(v *fields.Visitor, from *Table) {
	v.Size(&t.limit, from.limit)
	t.values.Fields(v, &from.values)
	t.values.restrict(v, t.limit)
	t.sizes.Fields(v, &from.sizes)
	fields.Visit(v, &t.rated, &from.rated)
	fields.Visit(v, &t.several, &from.several)
	fields.Visit(v, &t.agreed, &from.agreed)
	fields.Visit(v, &t.squares, &from.squares)
	fields.Visit(v, &t.distances, &from.distances)
	t.ratings.Fields(v, &from.ratings)
	fields.Visit(v, &t.within, &from.within)
	t.raters.Fields(v, &from.raters)
}
