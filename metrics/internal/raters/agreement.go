package raters

import (
	"fmt"
	"math"

	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/scoreruns"
)

// Why a coefficient is undefined.
const (
	NoRatings    = "no ratings"
	NoneTwice    = "no example has two ratings"
	AllEqual     = "all ratings are equal"
	TooLarge     = "ratings too large"
	noRatio      = "a rating is below 0, which numbers of a ratio scale are not"
	tooManyOfThe = "more than %d different ratings"
)

// Level says which differences of ratings matter.
type Level uint8

// The levels.
const (
	Nominal Level = iota // whether they are equal
	Ordinal              // their order
	Ratio                // the difference, in proportion to the sum
)

// list is all values, in order, with their numbers.
type list struct {
	x, pairable, share []float64
	n                  float64 // the total of pairable
	ratings            int64   // the number of pairable ratings
	of                 []*value
}

// list lists the values.
func (t *Table) list() *list {
	l := new(list)
	var n exact.Sum
	for image, of := range t.values.values.All() {
		w := of.pairable.Weight()
		l.x, l.pairable, l.share, l.of = append(l.x, scoreruns.Score(image)), append(l.pairable, w), append(l.share, of.share.Float64()), append(l.of, of)
		l.ratings += of.pairable.Rows()
		n.Add(w)
	}
	l.n = n.Float64()
	return l
}

// lacks returns why nothing is known of the values, or "". over says what to do if there are too many.
func (t *Table) lacks(over string) string {
	switch {
	case t.rated.Empty():
		return NoRatings
	case t.several.Empty():
		return NoneTwice
	case t.values.over:
		return fmt.Sprintf(tooManyOfThe, t.limit) + over
	}
	return ""
}

// Alpha returns Krippendorff's α of a level, or why it is undefined.
func (t *Table) Alpha(level Level, over string) (alpha float64, why string) {
	if why := t.lacks(over); why != "" {
		return 0, why
	}
	l := t.list()
	if len(l.x) < 2 {
		return 0, AllEqual
	}
	var distance func(i, j int) float64
	switch level {
	case Nominal:
		distance = func(int, int) float64 { return 1 }
	case Ordinal:
		ranks := l.ranks()
		distance = func(i, j int) float64 { return square(ranks[i] - ranks[j]) }
	default:
		if l.x[0] < 0 {
			return 0, noRatio
		}
		distance = func(i, j int) float64 {
			return square((float64(l.x[j]/2) - float64(l.x[i]/2)) / (float64(l.x[j]/2) + float64(l.x[i]/2)))
		}
	}
	var observed, expected exact.Sum
	for i, of := range l.of {
		if l.pairable[i] == 0 {
			continue
		}
		for j := i + 1; j < len(l.x); j++ {
			if l.pairable[j] != 0 {
				expected.Add(float64(float64(l.pairable[i]/l.n) * float64(l.pairable[j]/l.n) * distance(i, j)))
			}
		}
		j := i + 1
		for image, w := range of.above.All() {
			for x := scoreruns.Score(image); j < len(l.x) && l.x[j] < x; {
				j++
			}
			if j < len(l.x) { // unless it was decoded, every value is in the list
				observed.Add(float64(w.Float64() / l.n * distance(i, j)))
			}
		}
	}
	return ofDisagreement(observed.Float64(), expected.Float64()*unbiased(l.ratings))
}

// unbiased returns n/(n - 1): a rating is not compared with itself.
func unbiased(n int64) float64 { return float64(n) / float64(n-1) }

// ofDisagreement returns 1 - observed / expected.
func ofDisagreement(observed, expected float64) (alpha float64, why string) {
	switch alpha = 1 - observed/expected; {
	case expected == 0:
		return 0, AllEqual
	case math.IsNaN(alpha) || math.IsInf(alpha, 0):
		return 0, TooLarge
	}
	return alpha, ""
}

func square(x float64) float64 { return float64(x * x) }

// ranks returns the mid-rank of each value, as a share of all ratings.
func (l *list) ranks() []float64 {
	ranks := make([]float64, len(l.x))
	var below exact.Sum
	for i, w := range l.pairable {
		before := below.Float64()
		below.Add(w)
		ranks[i] = (float64(before/2) + float64(below.Float64()/2)) / l.n
	}
	return ranks
}

// AlphaOfIntervals returns Krippendorff's α of ratings whose differences have a meaning, or why it is undefined. It needs no
// values.
func (t *Table) AlphaOfIntervals() (alpha float64, why string) {
	switch {
	case t.rated.Empty():
		return 0, NoRatings
	case t.several.Empty():
		return 0, NoneTwice
	}
	variance := t.ratings.Variance()
	if math.IsNaN(variance) {
		return 0, TooLarge
	}
	return ofDisagreement(t.within.Float64()/t.ratings.Weight().Weight()/2, variance)
}

// FleissKappa returns Fleiss' κ, or why it is undefined.
func (t *Table) FleissKappa(over string) (kappa float64, why string) {
	if t.rated.Empty() {
		return 0, NoRatings
	}
	var sizes []uint64
	for n := range t.sizes.All() {
		sizes = append(sizes, n)
	}
	if len(sizes) > 1 {
		return 0, fmt.Sprintf("examples have %d to %d ratings, and must have equally many", sizes[0], sizes[len(sizes)-1])
	}
	if why := t.lacks(over); why != "" {
		return 0, why
	}
	var chance exact.Sum
	for _, share := range t.list().share {
		p := share / t.rated.Weight()
		chance.AddProduct(p, p)
	}
	return beyondChance(t.agreed.Float64()/t.several.Weight(), chance.Float64())
}

// beyondChance returns (agreed - chance) / (1 - chance).
func beyondChance(agreed, chance float64) (kappa float64, why string) {
	if chance >= 1 {
		return 0, AllEqual
	}
	kappa = (agreed - chance) / (1 - chance)
	if math.IsNaN(kappa) || math.IsInf(kappa, 0) {
		return 0, TooLarge
	}
	return kappa, ""
}

// Weights say how far ratings that differ agree.
type Weights uint8

// The weights.
const (
	Identity  Weights = iota // not at all
	Quadratic                // 1 - (difference / range)²
	Linear                   // 1 - difference / range
)

// Gwet returns Gwet's AC1 or, with weights other than Identity, AC2, or why it is undefined.
func (t *Table) Gwet(weights Weights, over string) (ac float64, why string) {
	if why := t.lacks(over); why != "" {
		return 0, why
	}
	l := t.list()
	q := float64(len(l.x))
	if q < 2 {
		return 0, AllEqual
	}
	var spread exact.Sum
	for _, share := range l.share {
		p := share / t.rated.Weight()
		spread.AddProduct(p, 1-p)
	}
	agreed, width := t.agreed.Float64()/t.several.Weight(), l.x[len(l.x)-1]-l.x[0]
	total := q // of the weights of all pairs of values
	switch weights {
	case Quadratic:
		agreed = 1 - t.squares.Float64()/t.several.Weight()/width/width
		total = l.total(func(d float64) float64 { return 1 - square(d/width) })
	case Linear:
		agreed = 1 - t.distances.Float64()/t.several.Weight()/width
		total = l.total(func(d float64) float64 { return 1 - d/width })
	}
	return beyondChance(agreed, float64(total/(q*(q-1))*spread.Float64()))
}

// total returns the total of a function of the differences of all pairs of values.
func (l *list) total(f func(difference float64) float64) float64 {
	var sum exact.Sum
	for i, x := range l.x {
		sum.Add(1)
		for _, lower := range l.x[:i] {
			sum.AddProduct(2, f(x-lower))
		}
	}
	return sum.Float64()
}

// Rater returns how a rater agrees with the others: the mean share of these who give the same rating, and the mean of the
// differences of the rating to the mean of theirs, over the examples that others rate, too.
func (t *Table) Rater(rater int) (examples *exact.Tally, agreed, deviation *exact.Sum) {
	r := t.raters.Lookup(uint64(rater))
	if r == nil {
		return new(exact.Tally), new(exact.Sum), new(exact.Sum)
	}
	return &r.examples, &r.agreed, &r.deviation
}

// First returns the first n raters of an example that others rate, too.
func (t *Table) First(n int) []int {
	found := []int{}
	for rater := range t.raters.All() {
		if len(found) == n {
			break
		}
		found = append(found, int(rater))
	}
	return found
}

// Ratings returns the number of ratings.
func (t *Table) Ratings() (n int64) {
	for size, examples := range t.sizes.All() {
		n += int64(size) * int64(*examples)
	}
	return n
}

// Single returns the number of examples with one rating.
func (t *Table) Single() int64 { return t.rated.Rows() - t.several.Rows() }
