// Package logistic fits the probability of a positive as a logistic function of one number: Cox's
// regression of labels on the logits of predictions, whose slope and intercept say how far these have to
// be spread and moved to be calibrated.
package logistic

import (
	"math"

	"github.com/beameval/beameval/internal/bins"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/fields"
)

// Table holds what a regression needs of its examples. It is a commutative monoid. For the labels
// it holds two sums. For the numbers it holds the weight and five moments of narrow bins: in each
// bin, a Taylor series takes the place of the examples. The zero Table is empty.
type Table struct {
	bins                 fields.Keyed[bin, *bin]
	weight, product      exact.Sum // of the positives, the latter times their numbers
	infinite             exact.Tally
	negatives, positives extent
}

// order is the number of moments; the first one is the weight.
const order = 6

// bin holds the moments of the examples of a bin: the sums of w u^k, where u is the distance from the
// middle relative to half the width.
type bin struct{ moments [order]exact.Sum }

// Empty reports whether the bin has no examples: all of them have weight.
func (b *bin) Empty() bool { return b.moments[0].Empty() }

// Fields lists the fields.
func (b *bin) Fields(v *fields.Visitor, from *bin) {
	for k := range b.moments {
		fields.Visit(v, &b.moments[k], &from.moments[k])
	}
}

// Add adds an example. Without weight, it changes nothing.
func (t *Table) Add(x float64, positive bool, weight float64) {
	if weight == 0 {
		return
	}
	if math.IsInf(x, 0) {
		t.infinite.Add(weight)
		return
	}
	x += 0 // -0 is 0
	if positive {
		t.weight.Add(weight)
		t.product.AddProduct(weight, x)
		t.positives.add(x)
	} else {
		t.negatives.add(x)
	}
	key := keyOf(x)
	middle, half := place(key)
	u, term, b := (x-middle)/half, weight, t.bins.Value(key)
	for k := range b.moments {
		b.moments[k].Add(term)
		term *= u
	}
}

// Empty reports whether there are no examples.
func (t *Table) Empty() bool { return t.infinite.Empty() && !t.negatives.some && !t.positives.some }

// Fields lists the fields.
func (t *Table) Fields(v *fields.Visitor, from *Table) {
	t.bins.Fields(v, &from.bins)
	fields.Visit(v, &t.weight, &from.weight)
	fields.Visit(v, &t.product, &from.product)
	fields.Visit(v, &t.infinite, &from.infinite)
	t.negatives.fields(v, &from.negatives)
	t.positives.fields(v, &from.positives)
	if v.Decodes() && !t.bins.Below(mostKeys) {
		v.Fail("logistic regression: a bin of no number")
	}
}

// extent is the smallest and the largest of some numbers.
type extent struct {
	some         bool
	least, great float64
}

func (e *extent) add(x float64) { e.merge(&extent{true, x, x}) }

func (e *extent) merge(from *extent) {
	switch {
	case !from.some:
	case !e.some:
		*e = *from
	default:
		e.least, e.great = min(e.least, from.least), max(e.great, from.great)
	}
}

func (e *extent) fields(v *fields.Visitor, from *extent) {
	switch {
	case v.Merges():
		e.merge(from)
	case v.Codes():
		v.Bool(&e.some)
		v.Float(&e.least)
		v.Float(&e.great)
		if none := (*e == extent{}); v.Decodes() && (e.some && !(e.least <= e.great && e.great-e.least < math.Inf(1)) || !e.some && !none) {
			v.Fail("logistic regression: numbers from %v to %v", e.least, e.great)
		}
	default:
		*e = extent{}
	}
}

// octaves are the bins on either side of 0.
var octaves = bins.Octaves{Fine: 7, Lowest: 0x1p-6}

// mostKeys bounds the keys of finite numbers.
var mostKeys = 2 * octaves.Of(math.Float64bits(math.Inf(1)))

// keyOf returns the bin of x, which must be finite. Near bins have near keys, those around 0 the lowest.
func keyOf(x float64) uint64 {
	return 2*octaves.Of(math.Float64bits(math.Abs(x))) + math.Float64bits(x)>>63
}

// place returns the middle of a bin, and half its width.
func place(key uint64) (middle, half float64) {
	from, to := octaves.From(key/2), octaves.From(key/2+1)
	half = float64(to/2) - float64(from/2)
	middle = from + half
	if key%2 == 1 {
		middle = -middle
	}
	return middle, half
}
