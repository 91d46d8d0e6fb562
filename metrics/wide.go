package metrics

import (
	"math"
	"math/big"

	"github.com/beameval/beameval/metrics/exact"
)

// wide is a precision, in bits, that holds sums of products of two exact sums
// without rounding: differences of such products, as variances and agreement
// by chance are, lose nothing to cancellation.
const wide = 4608

// zero is a total to add exact values to.
func zero() *big.Float { return new(big.Float).SetPrec(wide) }

// product is x·y, exactly.
func product(x, y *big.Float) *big.Float { return zero().Mul(x, y) }

// difference is x - y, exactly.
func difference(x, y *big.Float) *big.Float { return zero().Sub(x, y) }

// over is x/y; over nothing, NaN.
func over(x, y *big.Float) float64 {
	if y.Sign() == 0 {
		return math.NaN()
	}
	v, _ := new(big.Float).SetPrec(128).Quo(x, y).Float64()
	return v
}

// correlation is xy/√(xx·yy), in [-1, 1]; undefined, for a reason, where one
// side does not vary.
func correlation(xy, xx, yy *big.Float, reason string) Value {
	if xx.Sign() <= 0 || yy.Sign() <= 0 {
		return undefined(reason)
	}
	den := new(big.Float).SetPrec(128).Mul(xx, yy)
	return defined(min(max(over(xy, den.Sqrt(den)), -1), 1))
}

// average is total/weight, even where a sum is beyond float64 and their
// quotient is not.
func average(total *exact.Sum, weight *exact.Tally) Value {
	t, w := total.Float64(), weight.Weight()
	if w == 0 {
		return undefined(noExamples)
	}
	if math.IsInf(t, 0) || math.IsInf(w, 0) {
		if sum, finite := total.Big(); finite {
			return defined(over(sum, weight.Big()))
		}
	}
	return defined(t / w)
}
