// Package dcg sums the discounts of DCG, and the gains of a ranking of rows.
package dcg

import (
	"math"

	"github.com/beameval/beameval/internal/elementary"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/fields"
)

const (
	// Up to fewPlaces discounts are added one by one. So are the discounts of the first firstPlaces
	// places, for which the formula is too inaccurate.
	fewPlaces   = 256
	firstPlaces = 4096
)

// DiscountSum returns the sum of 1/log2(place+1) over the places from+1 to to, counted from 1, with a
// relative error of about 1e-15. It depends only on the two numbers, and takes no longer for many
// places than for some thousands.
func DiscountSum(from, to int64) float64 {
	if to == from+1 {
		return 1 / elementary.Log2(float64(to+1))
	}
	var sum exact.Sum
	single := to
	if to-from > fewPlaces {
		single = min(to, max(from, firstPlaces))
	}
	for place := from + 1; place <= single; place++ {
		sum.Add(1 / elementary.Log2(float64(place+1)))
	}
	if single < to {
		sum.Add(math.Ln2 * sumOfInverseLogs(float64(single)+2, float64(to)+1))
	}
	return sum.Float64()
}

// sumOfInverseLogs returns the sum of f(x) = 1/ln x over the whole numbers from p to q, p > 4096,
// by the Euler-Maclaurin formula: the integral of f, the mean of f(p) and f(q), and (f'(q) -
// f'(p))/12. The next term, a third derivative over 720, is less than 1e-15, whereas the sum of
// discounts exceeds 20.
func sumOfInverseLogs(p, q float64) float64 {
	lp, lq := elementary.Log(p), elementary.Log(q)
	var sum exact.Sum
	sum.Add((1/lp + 1/lq) / 2)
	sum.Add((1/(p*lp*lp) - 1/(q*lq*lq)) / 12)
	for p < q { // f varies little between x and 2x
		next := min(2*p, q)
		sum.Add(integralOfInverseLog(p, next))
		p = next
	}
	return sum.Float64()
}

// gaussLegendre holds the nodes and weights of Gauss-Legendre quadrature with 12 nodes on [-1, 1],
// which is symmetric.
var gaussLegendre = [...]struct{ node, weight float64 }{
	{0.12523340851146891547, 0.249147045813402785},
	{0.36783149899818019375, 0.23349253653835480876},
	{0.5873179542866174473, 0.20316742672306592175},
	{0.76990267419430468704, 0.16007832854334622633},
	{0.90411725637047485668, 0.10693932599531843096},
	{0.98156063424671925069, 0.047175336386511827195},
}

// integralOfInverseLog integrates 1/ln x from p to q <= 2p. The nearest singularity is at 1, about
// 3 half widths from the middle, so the relative error of 12 nodes is about (3+√8)^-24 = 4e-19.
func integralOfInverseLog(p, q float64) float64 {
	half := float64((q - p) / 2)
	middle := p + half
	total := 0.0
	for _, g := range gaussLegendre {
		d := float64(half * g.node)
		total += float64(g.weight * (1/elementary.Log(middle-d) + 1/elementary.Log(middle+d)))
	}
	return half * total
}

// tabled is the number of places whose discounts a table keeps.
const tabled = 1 << 12

// DiscountTable caches the discounts of the first places, and their sums. The zero value is ready to use.
// It is not safe for concurrent use.
type DiscountTable struct {
	single, sums []float64 // of the first places, as far as they have been needed
	last         struct {
		places int
		sum    float64
	}
}

// First returns the sum of the discounts of the first n places.
func (t *DiscountTable) First(n int) float64 {
	if n < len(t.sums) { // inlined, because it is the usual case
		return t.sums[n]
	}
	return t.first(n)
}

func (t *DiscountTable) first(n int) float64 {
	if n > tabled {
		if t.last.places != n { // usually the number of places is the same as before
			t.last.places, t.last.sum = n, t.First(tabled)+DiscountSum(tabled, int64(n))
		}
		return t.last.sum
	}
	t.extend(n)
	return t.sums[n]
}

// Between returns the sum of the discounts of the places from+1 to to.
func (t *DiscountTable) Between(from, to int) float64 {
	switch {
	case to > tabled && to-from < to/2: // a difference of sums would be too inaccurate
		return DiscountSum(int64(from), int64(to))
	case to == from+1:
		t.extend(to)
		return t.single[to]
	default:
		return t.First(to) - t.First(from)
	}
}

// extend extends the table to place n.
func (t *DiscountTable) extend(n int) {
	for i := len(t.sums); i <= n; i++ {
		if i == 0 {
			t.single, t.sums = append(t.single, 0), append(t.sums, 0)
			continue
		}
		d := 1 / elementary.Log2(float64(i+1))
		t.single, t.sums = append(t.single, d), append(t.sums, t.sums[i-1]+d)
	}
}

// DCG is the discounted cumulative gain of a ranking of rows, best score first, in which positives
// gain 1 and negatives 0; the gain of the row at place i is multiplied by 1/log2(i+1) (Järvelin and
// Kekäläinen 2002). Rows with equal scores share the mean discount of their places (McSherry and
// Najork 2008), as in scikit-learn's ndcg_score with ignore_ties=False. Weights are ignored: places
// count rows. The zero DCG is empty and ready to use.
type DCG struct{ gain exact.Sum }

// Add adds the rows with one score. above is the number of rows with higher scores, and positives
// the number of the added rows that are positive.
func (g *DCG) Add(above, rows, positives int64) {
	if above < 0 || rows <= 0 || positives == 0 || above+rows < above {
		return // no rows, or invalid numbers
	}
	if rows == 1 { // the usual case
		g.gain.Add(1 / elementary.Log2(float64(above+2)))
		return
	}
	g.gain.AddProduct(float64(positives), DiscountSum(above, above+rows)/float64(rows))
}

// Fields lists the fields.
func (g *DCG) Fields(v *fields.Visitor, from *DCG) { fields.Visit(v, &g.gain, &from.gain) }

// NDCG returns the gain divided by the gain of the best ranking, which has all positives first;
// positives is their number. It is within (0, 1].
func (g *DCG) NDCG(positives int64) float64 {
	return min(max(g.gain.Float64()/DiscountSum(0, positives), 0), 1) // only rounding can exceed the limits
}
