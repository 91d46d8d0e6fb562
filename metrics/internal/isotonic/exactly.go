package isotonic

import (
	"math"
	"math/big"

	"github.com/beameval/beameval/internal/elementary"
	"github.com/beameval/beameval/metrics/curves"
)

// rises reports whether b is a vertex between a and c: the share of positives is higher from a to b
// than from b to c. The answer is exact, because only exact answers make the vertices independent
// of how points were divided.
func rises(a, b, c *curves.Point) bool {
	tp, fp, nextTP, nextFP := b.TP-a.TP, b.FP-a.FP, c.TP-b.TP, c.FP-b.FP
	left, right := float64(tp*nextFP), float64(nextTP*fp)
	// Three roundings, each by at most 2^-53 of its result, if there is no underflow.
	if far := (left + right) * 0x1p-50; far > 0x1p-900 && math.Abs(left-right) > far {
		return left > right
	}
	if rest(b.TP, a.TP) == 0 && rest(b.FP, a.FP) == 0 && rest(c.TP, b.TP) == 0 && rest(c.FP, b.FP) == 0 &&
		whole(tp, nextFP) && whole(nextTP, fp) {
		return left > right // counts are often equal
	}
	return exactly(a, b, c)
}

// rest returns the rounding error of x - y (Knuth).
func rest(x, y float64) float64 {
	d := x - y
	part := x - d
	return (x - (d + part)) + (part - y)
}

// whole reports whether the product of x and y is surely not rounded.
func whole(x, y float64) bool {
	p := float64(x * y)
	return p == 0 && (x == 0 || y == 0) || p > 0x1p-900 && math.FMA(x, y, -p) == 0
}

// bits are enough for any difference of floats, and for any product of two of these.
const bits = 2 * (1024 + 1074 + 53)

func exactly(a, b, c *curves.Point) bool {
	left := product(difference(b.TP, a.TP), difference(c.FP, b.FP))
	return left.Cmp(product(difference(c.TP, b.TP), difference(b.FP, a.FP))) > 0
}

func number(x float64) *big.Float { return new(big.Float).SetPrec(bits).SetFloat64(x) }

func difference(x, y float64) *big.Float { return number(x).Sub(number(x), number(y)) }

func product(x, y *big.Float) *big.Float { return number(0).Mul(x, y) }

// part returns which of limit equal parts of [0, 1] the share of positives from a to b is in. It is exact.
func (f *Fit) part(a, b *curves.Point) int {
	positives, negatives := b.TP-a.TP, b.FP-a.FP
	place := float64(float64(f.limit) * (positives / (positives + negatives)))
	nearest := math.Round(place)
	if place < 0.5 || math.Abs(place-nearest) > place*0x1p-48 {
		return int(place)
	}
	// place · (positives + negatives) ≤ limit · positives, without rounding
	tp, fp := difference(b.TP, a.TP), difference(b.FP, a.FP)
	all := number(0).Add(tp, fp)
	if product(number(nearest), all).Cmp(product(number(float64(f.limit)), tp)) <= 0 {
		return int(nearest)
	}
	return int(nearest) - 1
}

// logLoss returns the log loss of a part of a block that is predicted with its share, and 0 for no part.
func logLoss(part, all float64) float64 {
	if part == 0 {
		return 0
	}
	return float64(part * -elementary.Log(part/all))
}

func finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }
