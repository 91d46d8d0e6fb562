// Package discount sums the discounts of DCG, and the gains of a ranking of rows.
package discount

import (
	"math"

	"github.com/beameval/beameval/internal/elementary"
	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/exact"
)

const (
	// fewPlaces is how many discounts are added one by one; so are those of the
	// first firstPlaces places, where the formula for the others is too coarse.
	fewPlaces   = 256
	firstPlaces = 4096
)

// Sum is the sum of 1/log2(place+1) over the places from+1 to to, counted
// from 1, to about 1e-15 of itself. It is a function of the two numbers alone,
// and takes no longer for many places than for some thousands.
func Sum(from, to int64) float64 {
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

// sumOfInverseLogs is the sum of f(x) = 1/ln x over the whole numbers from p to
// q, p > 4096, by the Euler-Maclaurin formula: the integral of f, the mean of
// f(p) and f(q), and (f'(q) - f'(p))/12. The next term, a third derivative over
// 720, is less than 1e-15, where the sum of discounts exceeds 20.
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

// gaussLegendre has the nodes and weights of Gauss-Legendre quadrature with 12
// nodes on [-1, 1], which is symmetric.
var gaussLegendre = [...]struct{ node, weight float64 }{
	{0.12523340851146891547, 0.249147045813402785},
	{0.36783149899818019375, 0.23349253653835480876},
	{0.5873179542866174473, 0.20316742672306592175},
	{0.76990267419430468704, 0.16007832854334622633},
	{0.90411725637047485668, 0.10693932599531843096},
	{0.98156063424671925069, 0.047175336386511827195},
}

// integralOfInverseLog integrates 1/ln x from p to q <= 2p. The nearest
// singularity is at 1, about 3 half widths from the middle; therefore the error
// of 12 nodes is near (3+√8)^-24 = 4e-19 of the integral.
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

// tabled is of how many places a table keeps the discounts.
const tabled = 1 << 12

// Table has the discounts of the first places at hand, and their sums. The zero
// Table is ready to use. It is not safe for concurrent use.
type Table struct {
	single, sums []float64 // of the first places, as far as they were asked for
	last         struct {
		places int
		sum    float64
	}
}

// First is the sum of the discounts of the first n places.
func (t *Table) First(n int) float64 {
	if n < len(t.sums) { // inlined, as nearly always so
		return t.sums[n]
	}
	return t.first(n)
}

func (t *Table) first(n int) float64 {
	if n > tabled {
		if t.last.places != n { // mostly the same number of places
			t.last.places, t.last.sum = n, t.First(tabled)+Sum(tabled, int64(n))
		}
		return t.last.sum
	}
	t.extend(n)
	return t.sums[n]
}

// Between is the sum of the discounts of the places from+1 to to.
func (t *Table) Between(from, to int) float64 {
	switch {
	case to > tabled && to-from < to/2: // a difference of sums would be too coarse
		return Sum(int64(from), int64(to))
	case to == from+1:
		t.extend(to)
		return t.single[to]
	default:
		return t.First(to) - t.First(from)
	}
}

// extend extends the table to place n.
func (t *Table) extend(n int) {
	for i := len(t.sums); i <= n; i++ {
		if i == 0 {
			t.single, t.sums = append(t.single, 0), append(t.sums, 0)
			continue
		}
		d := 1 / elementary.Log2(float64(i+1))
		t.single, t.sums = append(t.single, d), append(t.sums, t.sums[i-1]+d)
	}
}

// DCG is the discounted cumulative gain of one ranking of rows, best score
// first, of which positives gain 1 and negatives nothing; the row in place i
// counts 1/log2(i+1) of its gain (Järvelin and Kekäläinen 2002). Rows with equal
// scores share the mean discount of their places (McSherry and Najork 2008), as
// in scikit-learn's ndcg_score with ignore_ties=False. Weights do not matter:
// places count rows. The zero DCG is empty and ready to use.
type DCG struct{ gain exact.Sum }

// Add adds the rows of one score, positives of which are positive, below the
// rows with higher scores.
func (g *DCG) Add(above, rows, positives int64) {
	if above < 0 || rows <= 0 || positives == 0 || above+rows < above {
		return // no rows, or no number of rows
	}
	if rows == 1 { // as nearly always
		g.gain.Add(1 / elementary.Log2(float64(above+2)))
		return
	}
	g.gain.AddProduct(float64(positives), Sum(above, above+rows)/float64(rows))
}

// Merge adds the rows of from, which it leaves as they are.
func (g *DCG) Merge(from *DCG) { g.gain.Merge(&from.gain) }

// Append appends the canonical encoding.
func (g *DCG) Append(dst []byte) []byte { return g.gain.Append(dst) }

// Decode replaces g by what Append wrote.
func (g *DCG) Decode(d *wire.Decoder) { g.gain.Decode(d) }

// NDCG is the gain as a share of that of the best ranking, with all positives,
// of which there are so many, first: within (0, 1].
func (g *DCG) NDCG(positives int64) float64 {
	return min(max(g.gain.Float64()/Sum(0, positives), 0), 1) // rounding alone can take it out
}
