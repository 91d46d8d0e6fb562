// Package sliceline searches for the slices whose examples have the highest errors, and confirms
// them with other examples.
//
// The search is SliceLine (Sagadeeva & Boehm, SIGMOD 2021). A slice is a conjunction of values of
// columns. Its score weighs how much its mean error exceeds the mean error of all examples against
// how small it is:
//
//	score = α·(σ/(s·ē) - 1) - (1-α)·(n/s - 1)
//
// where s is the weight of its examples (their number if all weigh 1), σ their total error, n the
// weight of all examples, and ē their mean error. All examples together have score 0, and only
// higher scores count.
//
//	examples ─► Counts: cells of one and two columns ─► Plan: the best so far, and candidates
//	examples ─► Sums of the candidates ────────────────► Plan: the best of all levels
//	other examples ─► Sums of the best, by fold ───────► Found: difference, interval, p-value
//
// A subset of a slice has at most its weight, its total error and its highest error. That bounds the
// score of all of its subsets, so most combinations of three or more columns need not be counted at
// all. What the search chooses looks worse than it is, because it is the worst of many: so only
// examples that the search has not seen can confirm it.
package sliceline

import (
	"cmp"
	"math"
	"slices"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/exact"
)

// Options says what to search for.
type Options struct {
	Alpha      float64 // the weight of errors against size in scores, above 0 and at most 1
	MinSupport int     // the smallest number of examples of a slice, at least 1
	Level      int     // the largest number of columns of a slice, from 1 to MostLevels
	Top        int     // the largest number of slices to find, from 1 to MostTop
	// MostCandidates is the largest number of slices of three and more columns, or of two if pairs are
	// not counted, that are counted, up to MostCandidates; 0 means DefaultCandidates. A level with more is
	// left out, and so are the levels above it.
	MostCandidates int
}

// LeastFolds is the smallest number of folds: half of them search, half confirm.
const LeastFolds = 20

// The largest values of options.
const (
	MostLevels     = 6
	MostTop        = 1000
	MostCandidates = 1_000_000
)

// Term is a value of a column: the index of the column, and the index of the value in Plan.Values.
type Term struct{ Column, Value int32 }

func compareTerms(a, b Term) int {
	return cmp.Or(cmp.Compare(a.Column, b.Column), cmp.Compare(a.Value, b.Value))
}

// Slice is the examples with the values of all terms. The terms are of different columns and in
// their order.
type Slice []Term

func compareSlices(a, b Slice) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), slices.CompareFunc(a, b, compareTerms))
}

// without returns the slice without term i.
func (s Slice) without(i int) Slice { return slices.Concat(s[:i], s[i+1:]) }

// contains reports whether every example of other is in the slice, whatever the examples.
func (s Slice) contains(other Slice) bool {
	return !slices.ContainsFunc(s, func(t Term) bool { return !slices.Contains(other, t) })
}

// Cell totals the errors of some examples. Cells are merged exactly, so the order does not matter.
type Cell struct {
	weight exact.Tally
	errors exact.Sum // weighted
	most   float64   // the highest error of an example, without its weight
}

// add adds an example of weight 1. Its error must be finite and not negative.
func (c *Cell) add(e float64) {
	c.weight.AddOnes(1)
	if e > 0 {
		c.addError(e, e)
	}
}

func (c *Cell) addError(e, weighted float64) {
	if e > c.most {
		c.most = e
	}
	c.errors.Add(weighted)
}

// addWeighted does the same for an example of any weight.
func (c *Cell) addWeighted(e, weight float64) {
	c.weight.Add(weight)
	c.addError(e, float64(weight*e))
}

// Rows returns the number of examples.
func (c *Cell) Rows() int64 { return c.weight.Rows() }

// Merge adds the examples of from and leaves from unchanged.
func (c *Cell) Merge(from *Cell) {
	c.weight.Merge(&from.weight)
	c.errors.Merge(&from.errors)
	c.most = max(c.most, from.most)
}

// subtract removes examples that were added before. The highest error stays.
func (c *Cell) subtract(from *Cell) {
	c.weight.Subtract(&from.weight)
	c.errors.Subtract(&from.errors)
}

func cellFields(c *wire.Coder, cell *Cell) {
	c.Value(&cell.weight)
	c.Value(&cell.errors)
	if c.Float(&cell.most); !(cell.most >= 0) || math.IsInf(cell.most, 1) {
		c.Fail("a highest error of %v", cell.most)
	}
}

// size is what the score of a slice depends on, rounded; or bounds of that for all of its subsets.
type size struct {
	rows                 int64
	weight, errors, most float64
}

// sizeOf rounds the totals of a cell.
func sizeOf(c *Cell) size {
	return size{rows: c.weight.Rows(), weight: c.weight.Weight(), errors: c.errors.Float64(), most: c.most}
}

// within returns the bounds of a slice that is a subset of two others.
func (s size) within(t size) size {
	return size{rows: min(s.rows, t.rows), weight: min(s.weight, t.weight), errors: min(s.errors, t.errors), most: min(s.most, t.most)}
}

// scorer computes scores against all examples.
type scorer struct {
	alpha, weight, mean float64
	support             int64   // no slice has fewer examples
	least               float64 // no slice weighs less
}

func newScorer(all *Cell, o Options) *scorer {
	s := &scorer{alpha: o.Alpha, weight: all.weight.Weight(), support: int64(o.MinSupport)}
	s.mean = all.errors.Float64() / s.weight
	if all.weight.Ones() {
		s.least = float64(o.MinSupport)
	}
	return s
}

// of returns the score for a weight and a total error.
func (s *scorer) of(weight, errors float64) float64 {
	return float64(s.alpha*(errors/float64(weight*s.mean)-1)) - float64((1-s.alpha)*(s.weight/weight-1))
}

// score returns the score of a slice. ok is false if it has too few examples or no errors.
func (s *scorer) score(z size) (score float64, ok bool) {
	if z.rows < s.support || !(z.weight > 0) || !(z.errors > 0) {
		return 0, false
	}
	return s.of(z.weight, z.errors), true
}

// slack is how much rounding may have lowered a bound, relative to it.
const slack = 1e-9

// bound returns a score that no subset exceeds, or -Inf if no subset has enough examples or errors.
// A subset of weight z has a total error of at most min(z·most, errors). As a function of z, that
// score is highest where these are equal or at an end of the range of weights.
func (s *scorer) bound(z size) float64 {
	if z.rows < s.support || !(z.weight > 0) || !(z.errors > 0) {
		return math.Inf(-1)
	}
	best := math.Inf(-1)
	for _, weight := range [3]float64{s.least, max(z.errors/z.most, s.least), z.weight} {
		if weight > 0 && weight <= z.weight {
			best = max(best, s.of(weight, min(float64(weight*z.most), z.errors)))
		}
	}
	return best + float64(slack*(1+math.Abs(best)))
}
