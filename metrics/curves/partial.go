package curves

import (
	"slices"

	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/fields"
)

// partial accumulates the area under the ROC curve up to a bound of FP, in scaled weights. A step adds dFP
// negatives up to the bound; TP grows with FP on a straight line.
type partial struct{ below, above exact.Sum } // dFP * TP before the step, and dFP * TP where it ends

func (p *partial) fields(v *fields.Visitor, from *partial) {
	fields.Visit(v, &p.below, &from.below)
	fields.Visit(v, &p.above, &from.above)
}

// emptied returns an empty partial for each criterion that has an area, in the memory of list.
func emptied(list []partial, criteria []Criterion) []partial {
	list = list[:0]
	for _, c := range criteria {
		if c.hasArea() {
			list = append(list, partial{})
		}
	}
	return list
}

// partialOf returns the partial of a criterion.
func (a *Accumulator) partialOf(criterion int) *partial {
	n := 0
	for _, c := range a.criteria[:criterion] {
		if c.hasArea() {
			n++
		}
	}
	return &a.partials[n]
}

// addPartial adds the area below points, up to the bound of a criterion.
func (a *Accumulator) addPartial(criterion int, points []Point) {
	bound, sums, from := a.fpOf(criterion), a.partialOf(criterion), a.last
	for _, to := range points {
		if !(from.FP < bound) {
			return
		}
		end := cutAt(bound, from, to)
		dFP := (end.FP - from.FP) * a.scale.negative
		sums.below.AddProduct(dFP, from.TP*a.scale.positive)
		sums.above.AddProduct(dFP, end.TP*a.scale.positive)
		from = to
	}
}

// fpOf returns the weight of the negatives that the bound of a criterion allows.
func (a *Accumulator) fpOf(criterion int) float64 {
	return float64(a.criteria[criterion].At * a.totals.Negatives)
}

// cutAt returns the point of the line between two points where FP is the bound, or the second point if that
// comes before.
func cutAt(bound float64, from, to Point) Point {
	if to.FP <= bound {
		return to
	}
	return Point{TP: from.TP + float64((to.TP-from.TP)*((bound-from.FP)/(to.FP-from.FP))), FP: bound}
}

// partialArea returns the standardized area of a criterion.
func (a *Accumulator) partialArea(criterion int) Value {
	if reason := a.totals.missing(true); reason != "" {
		return undefined(reason)
	}
	sums := a.partialOf(criterion)
	var twice exact.Sum
	twice.Merge(&sums.below)
	twice.Merge(&sums.above)
	return defined(a.criteria[criterion].standardized(twice.Float64() / 2 / a.scale.area()))
}

// standardized returns the standardized value of an area, which rounding may have made too large.
func (c Criterion) standardized(area float64) float64 {
	least := float64(float64(c.At*c.At) / 2) // which is a product with ½, to the compiler
	return min((1+(area-least)/(c.At-least))/2, 1)
}

// partialBounds are the least and the greatest area up to the bound of a criterion.
type partialBounds struct{ low, high exact.Sum }

// addPartial adds to the bounds of a criterion what lies between two points: TP is between theirs.
func (b *Bounds) addPartial(criterion int, from, to Point) {
	a := b.known
	bound := a.fpOf(criterion)
	if !(from.FP < bound) {
		return
	}
	dFP := (min(to.FP, bound) - from.FP) * a.scale.negative
	b.partials[criterion].low.AddProduct(dFP, from.TP*a.scale.positive)
	b.partials[criterion].high.AddProduct(dFP, to.TP*a.scale.positive)
}

// partialInterval returns the interval of the area of a criterion.
func (b *Bounds) partialInterval(c Criterion) Interval {
	i := slices.Index(b.known.criteria, c)
	v := b.known.Operating(c).Value
	if b.exact || v.Undefined != "" {
		return Interval{v, v.Number, v.Number}
	}
	at := func(sum *exact.Sum) float64 { return c.standardized(sum.Float64() / b.known.scale.area()) }
	wider := slack / c.At // the area is a share of a square of the side At
	return Interval{v, min(at(&b.partials[i].low)-wider, v.Number), min(max(at(&b.partials[i].high)+wider, v.Number), 1)}
}
