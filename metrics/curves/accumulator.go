package curves

import (
	"errors"
	"math"
	"math/bits"
	"slices"

	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/fields"
)

// Accumulator accumulates the sums from which the measures of a curve are computed. Each term of
// these sums depends only on two neighbouring points and on the totals. So the ranges of a curve
// can be processed separately: their Accumulators, merged, have the same bits however the curve was
// cut. The zero Accumulator is the neutral element of merging; use New to make one that points can
// be added to.
type Accumulator struct {
	totals   Totals
	scale    scale
	criteria []Criterion
	noPRAUC  bool // see WithoutPRAUC
	// interpolates says that PRAUCInterpolated is computed; see Interpolating.
	interpolates bool

	last Point // the current position on the curve; not part of the merged state

	// Sums over the steps of the curve, in scaled weights. A step adds dTP positives and dFP
	// negatives that are tied.
	optimistic   exact.Sum // dFP * TP after the step
	pessimistic  exact.Sum // dFP * TP before the step
	steps        exact.Sum // dTP * precision after the step
	trapezoids   exact.Sum // dTP * (precision before + after)
	interpolated exact.Sum // dTP * mean precision over the step; see interpolation
	bests        []best    // one for each criterion
	partials     []partial // one for each criterion that has an area
}

// New returns an Accumulator for a curve with these totals, positioned at the top of the curve,
// before the first example. It searches for the operating points that the criteria ask for. The
// criteria must not be modified afterwards: the accumulators of many slices and folds share them.
func New(totals Totals, criteria ...Criterion) *Accumulator {
	a := new(Accumulator)
	a.Restart(totals, criteria...)
	return a
}

// Restart resets a to the state that New returns, and reuses its memory.
func (a *Accumulator) Restart(totals Totals, criteria ...Criterion) {
	bests := a.bests[:0]
	for range criteria {
		bests = append(bests, none)
	}
	*a = Accumulator{totals: totals, scale: newScale(totals), criteria: slices.Clip(criteria), bests: bests, partials: emptied(a.partials, criteria)}
}

// WithoutPRAUC disables PRAUC, which takes as long to compute as all other areas together. Call it
// before any point is added. It returns a.
func (a *Accumulator) WithoutPRAUC() *Accumulator {
	a.noPRAUC = true
	return a
}

// Interpolating enables PRAUCInterpolated, which needs a logarithm for each step. Call it before any
// point is added. It returns a.
func (a *Accumulator) Interpolating() *Accumulator {
	a.interpolates = true
	return a
}

// MoveTo sets the position to the start of a range without adding anything. p has the weights of
// all examples above the range; its score is not used.
func (a *Accumulator) MoveTo(p Point) { a.last = p }

// Add advances through the points. Each point must add weight to the one before it (see
// Stretch.Moving). whole states that all TP and FP, from the start of the curve on, are whole
// numbers below 2^53.
func (a *Accumulator) Add(points []Point, whole bool) {
	a.addBests(points)
	for len(points) > 0 {
		n := min(len(points), pointsAtOnce)
		a.addToSums(points[:n], whole)
		a.MoveTo(points[n-1])
		points = points[n:]
	}
}

// pointsAtOnce is the number of points that are added to the sums at once: few enough to fit in a
// cache.
const pointsAtOnce = 512

func (a *Accumulator) addToSums(points []Point, whole bool) {
	var room [pointsAtOnce]uint16
	rises := rising(a.last, points, room[:])
	if whole {
		a.addWholeAreas(points, rises)
	} else {
		a.addAreas(points, rises)
	}
	a.addSteps(points, rises)
}

// rising returns the indices of the points that add positives, in the memory of room. Most points
// add only negatives. The loop does not branch on whether a point adds positives, because the
// processor could not predict that.
func rising(from Point, points []Point, room []uint16) []uint16 {
	n, before := 0, math.Float64bits(from.TP)
	for i := range points[:min(len(points), len(room))] {
		tp := math.Float64bits(points[i].TP)
		room[n] = uint16(i)
		if tp != before {
			n++
		}
		before = tp
	}
	return room[:n]
}

// before returns the point before points[i].
func (a *Accumulator) before(points []Point, i uint16) *Point {
	if i == 0 {
		return &a.last
	}
	return &points[i-1]
}

// addAreas adds the steps of the ROC curve.
func (a *Accumulator) addAreas(points []Point, rises []uint16) {
	var both exact.Sum // over the steps that add only negatives: they count the same in both areas
	from := &a.last
	next := 0 // the first point not added yet
	for _, i := range rises {
		before, p := a.before(points, i), &points[i]
		a.addNegatives(&both, from, points[next:i])
		if dFP := (p.FP - before.FP) * a.scale.negative; dFP != 0 {
			a.optimistic.AddProduct(dFP, p.TP*a.scale.positive)
			a.pessimistic.AddProduct(dFP, before.TP*a.scale.positive)
		}
		from, next = p, int(i)+1
	}
	a.addNegatives(&both, from, points[next:])
	a.optimistic.Merge(&both)
	a.pessimistic.Merge(&both)
}

// addNegatives adds to sum the areas below points that add only negatives: they have the same TP as
// the point before them, which is given as from. If FP at most doubles, its differences are exact
// (Sterbenz 1974), and so are products of numbers that are neither tiny nor huge: then a single
// product is the sum of all.
func (a *Accumulator) addNegatives(sum *exact.Sum, from *Point, points []Point) {
	if len(points) == 0 {
		return
	}
	const tiny, huge = 0x1p-200, 0x1p200
	height := float64(from.TP * a.scale.positive)
	start, end := float64(from.FP*a.scale.negative), float64(points[len(points)-1].FP*a.scale.negative)
	if tiny < start && end <= 2*start && end < huge && (tiny < height && height < huge || height == 0) {
		sum.AddProduct(end-start, height)
		return
	}
	for i := range points {
		sum.AddProduct((points[i].FP-from.FP)*a.scale.negative, height)
		from = &points[i]
	}
}

// addWholeAreas does the same as addAreas for whole numbers, with integer products. It counts the
// pairs by positives instead of negatives: a positive ranks above all negatives that follow it.
func (a *Accumulator) addWholeAreas(points []Point, rises []uint16) {
	var before, tied integer // dFP * TP before the step, and dFP * dTP
	end := wholeOf(points[len(points)-1].FP)
	before.addProduct(wholeOf(a.last.TP), end-wholeOf(a.last.FP))
	for _, i := range rises {
		from, p := a.before(points, i), &points[i]
		dTP, fp := wholeOf(p.TP-from.TP), wholeOf(p.FP)
		before.addProduct(dTP, end-fp)
		tied.addProduct(dTP, fp-wholeOf(from.FP))
	}
	unit := a.scale.negative * a.scale.positive
	before.addTo(&a.pessimistic, unit)
	before.addTo(&a.optimistic, unit)
	tied.addTo(&a.optimistic, unit)
}

// wholeOf converts a whole number below 2^53. The detour through int64 makes that a single
// instruction.
func wholeOf(x float64) uint64 { return uint64(int64(x)) }

// integer is a sum of products of whole numbers.
type integer struct{ high, low uint64 }

func (n *integer) addProduct(x, y uint64) {
	high, low := bits.Mul64(x, y)
	var carry uint64
	n.low, carry = bits.Add64(n.low, low, 0)
	n.high += high + carry
}

// addTo adds the integer, multiplied by a power of two, to s.
func (n *integer) addTo(s *exact.Sum, unit float64) {
	for i, part := range [...]uint64{n.low & math.MaxUint32, n.low >> 32, n.high & math.MaxUint32, n.high >> 32} {
		s.Add(float64(part) * (unit * math.Ldexp(1, 32*i)))
	}
}

// addSteps adds the steps of the precision-recall curve.
func (a *Accumulator) addSteps(points []Point, rises []uint16) {
	const block = 128
	var steps, trapezoids, interpolated [block]float64
	for len(rises) > 0 {
		n := min(len(rises), block)
		for k, i := range rises[:n] {
			from, p := a.before(points, i), &points[i]
			dTP, precision := (p.TP-from.TP)*a.scale.positive, p.precision()
			steps[k] = float64(dTP * precision)
			if !a.noPRAUC {
				trapezoids[k] = float64(dTP * (from.precision() + precision))
			}
			if a.interpolates {
				interpolated[k] = float64(dTP * from.meanPrecision(p))
			}
		}
		a.steps.AddAll(steps[:n])
		if !a.noPRAUC {
			a.trapezoids.AddAll(trapezoids[:n])
		}
		if a.interpolates {
			a.interpolated.AddAll(interpolated[:n])
		}
		rises = rises[n:]
	}
}

// errDifferent is the error of merging statistics that do not belong together.
var errDifferent = errors.New("cannot merge statistics of different curves or of different options")

// Fields lists the fields. What is merged must belong to the same curve and have the same criteria.
// The position on the curve is not one of the fields: a decoded Accumulator is at the top.
func (a *Accumulator) Fields(v *fields.Visitor, from *Accumulator) {
	switch {
	case v.Codes():
		a.code(v)
	case from.neutral():
		return
	case a.neutral():
		*a = *New(from.totals, from.criteria...)
	}
	if a.totals != from.totals || !slices.Equal(a.criteria, from.criteria) {
		v.Fail("%w", errDifferent)
		return
	}
	for i, b := range from.bests {
		a.bests[i].consider(b.value, b.score)
	}
	fields.Visit(v, &a.optimistic, &from.optimistic)
	fields.Visit(v, &a.pessimistic, &from.pessimistic)
	fields.Visit(v, &a.steps, &from.steps)
	fields.Visit(v, &a.trapezoids, &from.trapezoids)
	fields.Visit(v, &a.interpolated, &from.interpolated)
	for i := range a.partials {
		a.partials[i].fields(v, &from.partials[i])
	}
	if v.Decodes() && a.neutral() && !(a.optimistic.Empty() && a.pessimistic.Empty() && a.steps.Empty() && a.trapezoids.Empty() && a.interpolated.Empty()) {
		v.Fail("sums over a curve of nothing")
	}
}

// code encodes or decodes the fields that are not sums.
func (a *Accumulator) code(v *fields.Visitor) {
	a.totals.code(v)
	if v.Reading() {
		*a = *New(a.totals)
	}
	n := v.Length(len(a.criteria))
	for i := 0; i < n && !v.Failed(); i++ {
		if v.Reading() {
			a.criteria, a.bests = append(a.criteria, Criterion{}), append(a.bests, none)
		}
		a.criteria[i].code(v)
		a.bests[i].code(v)
	}
	if v.Reading() {
		a.partials = emptied(nil, a.criteria)
	}
}

// neutral reports whether there is nothing to merge, not even totals.
func (a *Accumulator) neutral() bool { return a.totals == Totals{} && len(a.criteria) == 0 }

// Area is a measure of a curve as a whole.
type Area uint8

const (
	// ROCAUC is the area under the ROC curve: the share of the pairs of a positive and a negative
	// in which the positive has the higher score, with ties counting one half (Hanley and McNeil
	// 1982). A pair weighs the product of the weights of its examples. It is undefined if a class
	// is absent.
	ROCAUC Area = iota
	// ROCAUCOptimistic is ROCAUC with ties counting 1, as if they were broken in favour of the
	// positives.
	ROCAUCOptimistic
	// ROCAUCPessimistic is ROCAUC with ties counting 0.
	ROCAUCPessimistic
	// Gini is 2 ROCAUC - 1, within [-1, 1].
	Gini
	// AveragePrecision is the sum, over the points of the curve, of the precision times the
	// increase in recall, as in scikit-learn's average_precision_score. It lies within (0, 1].
	// Without negatives it is 1; without positives it is undefined (scikit-learn then returns 0 and
	// warns).
	AveragePrecision
	// PRAUC is the area under the precision-recall curve with straight lines between its points, as
	// scikit-learn's auc over precision_recall_curve computes it. The curve starts with precision 1
	// at recall 0. Straight lines overestimate the area (Davis and Goadrich 2006). Without
	// negatives it is 1; without positives it is undefined.
	PRAUC
	// PRAUCInterpolated is the area under the precision-recall curve if FP grows linearly with TP
	// between its points, as it does on the straight lines of the ROC curve (Davis and Goadrich
	// 2006; the integral is from Keilwagen, Grosse and Grau 2014). It is undefined as PRAUC, and
	// unless Interpolating has been called.
	PRAUCInterpolated
)

// Area returns a measure of the curve.
func (a *Accumulator) Area(m Area) Value {
	switch m {
	case ROCAUCOptimistic:
		return a.shareOfPairs(a.optimistic.Float64())
	case ROCAUCPessimistic:
		return a.shareOfPairs(a.pessimistic.Float64())
	case AveragePrecision:
		return a.shareOfPositives(a.steps.Float64())
	case PRAUC:
		return a.shareOfPositives(a.trapezoids.Float64() / 2)
	case PRAUCInterpolated:
		return a.shareOfPositives(a.interpolated.Float64())
	}
	var twice exact.Sum
	twice.Merge(&a.optimistic)
	twice.Merge(&a.pessimistic)
	v := a.shareOfPairs(twice.Float64() / 2)
	if m == Gini {
		v.Number = 2*v.Number - 1
	}
	return v
}

// Operating returns the operating point for c, which must be one of the criteria that the
// accumulator was made with.
func (a *Accumulator) Operating(c Criterion) Operating {
	for i := range a.criteria {
		if a.criteria[i] == c && c.hasArea() {
			return Operating{a.partialArea(i), undefined(noThreshold)}
		}
		if a.criteria[i] == c {
			return c.operating(a.bests[i], &a.scale, a.totals)
		}
	}
	return Operating{undefined(notLookedFor), undefined(notLookedFor)}
}

func (a *Accumulator) shareOfPairs(area float64) Value {
	if reason := a.totals.missing(true); reason != "" {
		return undefined(reason)
	}
	return share(area, a.scale.area())
}

func (a *Accumulator) shareOfPositives(area float64) Value {
	if reason := a.totals.missing(false); reason != "" {
		return undefined(reason)
	}
	return share(area, a.scale.totals.Positives)
}
