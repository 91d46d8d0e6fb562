package ranks

import (
	"cmp"
	"math"
	"slices"

	"github.com/beameval/beameval/metrics/exact"
)

// Order says how targets and estimates agree in their order. Weights are relative to the power of
// two next to their total, so that no product of some of them is too large or too small.
type Order struct {
	// Let a and b be the centred mid-ranks of an example's target and estimate. Targets, Estimates
	// and Both are the weighted sums of a², b² and ab over the examples.
	Targets, Estimates, Both float64
	// The sums, over the pairs of examples, of the products of their weights. Concordant pairs are in
	// the same order by target and by estimate, Discordant ones are not; the others have only equal
	// estimates or only equal targets.
	Concordant, Discordant, TiedEstimates, TiedTargets float64
}

// Order returns how the targets and estimates agree in their order. Everything is computed in the
// order of the pairs, so it does not depend on the order of the examples.
func (p Pairs) Order() Order {
	w, total := p.weights()
	var o Order
	place, places := p.placesOfEstimates()
	o.addRanks(p.centred(w, total), p.centredEstimates(w, total, place, places), w)
	o.addPairs(p, w, place, places)
	return o
}

// weights returns the weight of each cell and of all cells, as multiples of a power of two.
func (p Pairs) weights() (w []float64, total float64) {
	w = make([]float64, len(p))
	heaviest := 0.0
	for i, c := range p {
		w[i] = c.weight * float64(c.rows)
		heaviest = max(heaviest, w[i])
	}
	_, exponent := math.Frexp(heaviest)
	var sum exact.Sum
	for i := range w {
		w[i] = math.Ldexp(w[i], -exponent)
		sum.Add(w[i])
	}
	return w, sum.Float64()
}

// placesOfEstimates returns, for each cell, the place of its estimate among the distinct estimates,
// and their number.
func (p Pairs) placesOfEstimates() (place []int32, places int) {
	order := make([]int32, len(p))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(p[a].estimate, p[b].estimate) })
	place = make([]int32, len(p))
	for i, at := range order {
		if i > 0 && cmp.Compare(p[order[i-1]].estimate, p[at].estimate) != 0 {
			places++
		}
		place[at] = int32(places)
	}
	return place, min(places+1, len(p))
}

// groups calls each for the cells of each target, from one index up to another.
func (p Pairs) groups(each func(from, to int)) {
	for from, to := 0, 0; from < len(p); from = to {
		for to = from + 1; to < len(p) && cmp.Compare(p[to].target, p[from].target) == 0; to++ {
		}
		each(from, to)
	}
}

// centred returns, for each cell, the mid-rank of its target less the mean of all mid-ranks: half of
// the weight below less half of the weight above.
func (p Pairs) centred(w []float64, total float64) []float64 {
	ranks := make([]float64, len(w))
	var below exact.Sum
	p.groups(func(from, to int) {
		before := below.Float64()
		for _, x := range w[from:to] {
			below.Add(x)
		}
		rank := (before + below.Float64() - total) / 2
		for i := from; i < to; i++ {
			ranks[i] = rank
		}
	})
	return ranks
}

// centredEstimates is centred for the estimates.
func (p Pairs) centredEstimates(w []float64, total float64, place []int32, places int) []float64 {
	weights := make([]exact.Sum, places)
	for i, at := range place {
		weights[at].Add(w[i])
	}
	rank := make([]float64, places)
	var below exact.Sum
	for at := range weights {
		before := below.Float64()
		below.Merge(&weights[at])
		rank[at] = (before + below.Float64() - total) / 2
	}
	ranks := make([]float64, len(w))
	for i, at := range place {
		ranks[i] = rank[at]
	}
	return ranks
}

func (o *Order) addRanks(targets, estimates, w []float64) {
	var tt, ee, te exact.Sum
	for i, x := range w {
		a, b := targets[i], estimates[i]
		tt.AddProduct(float64(x*a), a)
		ee.AddProduct(float64(x*b), b)
		te.AddProduct(float64(x*a), b)
	}
	o.Targets, o.Estimates, o.Both = tt.Float64(), ee.Float64(), te.Float64()
}

// addPairs adds the pairs. It goes through the cells by increasing target, and keeps the weights of
// the cells of lower targets by the place of their estimate, from both ends: a difference of sums
// would not be 0 where nothing is discordant.
func (o *Order) addPairs(pairs Pairs, w []float64, place []int32, places int) {
	up, down := newPrefixes(places), newPrefixes(places)
	var concordant, discordant, tiedEstimates, tiedTargets exact.Sum
	pairs.groups(func(from, to int) {
		var before, alike exact.Sum // of the same target: lower estimates, and the same one
		for i := from; i < to; i++ {
			at := int(place[i])
			concordant.AddProduct(w[i], up.below(at))
			discordant.AddProduct(w[i], down.below(places-1-at))
			tiedEstimates.AddProduct(w[i], up.at[at])
			if i > from && place[i-1] != place[i] {
				before.Merge(&alike)
				alike.Reset()
			}
			tiedTargets.AddProduct(w[i], before.Float64())
			alike.Add(w[i])
		}
		for i := from; i < to; i++ {
			up.add(int(place[i]), w[i])
			down.add(places-1-int(place[i]), w[i])
		}
	})
	o.Concordant, o.Discordant = concordant.Float64(), discordant.Float64()
	o.TiedEstimates, o.TiedTargets = tiedEstimates.Float64(), tiedTargets.Float64()
}

// prefixes is a Fenwick tree: sums of numbers up to an index.
type prefixes struct {
	tree, at []float64 // at has the numbers themselves
}

func newPrefixes(n int) *prefixes {
	return &prefixes{tree: make([]float64, n+1), at: make([]float64, n)}
}

func (f *prefixes) add(i int, x float64) {
	f.at[i] += x
	for i++; i < len(f.tree); i += i & -i {
		f.tree[i] += x
	}
}

// below returns the sum of the numbers at indices less than i.
func (f *prefixes) below(i int) (sum float64) {
	for ; i > 0; i &= i - 1 {
		sum += f.tree[i]
	}
	return sum
}

// Spearman returns the Pearson correlation of the weighted mid-ranks, or false if the targets or the
// estimates are all equal.
func (o *Order) Spearman() (float64, bool) {
	if o.Targets == 0 || o.Estimates == 0 {
		return 0, false
	}
	r := o.Both / o.Targets * math.Sqrt(o.Targets/o.Estimates)
	return min(max(r, -1), 1), true
}

// Kendall returns Kendall's τ-b, or false if the targets or the estimates are all equal.
func (o *Order) Kendall() (float64, bool) {
	byTarget := o.Concordant + o.Discordant + o.TiedEstimates
	byEstimate := o.Concordant + o.Discordant + o.TiedTargets
	if byTarget == 0 || byEstimate == 0 {
		return 0, false
	}
	tau := (o.Concordant - o.Discordant) / byTarget * math.Sqrt(byTarget/byEstimate)
	return min(max(tau, -1), 1), true
}

// Concordance returns the share of the pairs of different targets whose estimates are in the same
// order, equal ones counting one half, or false if the targets are all equal.
func (o *Order) Concordance() (float64, bool) {
	pairs := o.Concordant + o.Discordant + o.TiedEstimates
	if pairs == 0 {
		return 0, false
	}
	return (o.Concordant + float64(o.TiedEstimates/2)) / pairs, true
}
