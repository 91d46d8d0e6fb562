package metrics

import (
	"math"
	"math/big"

	"github.com/beameval/beameval/metrics/exact"
)

// Value is what a metric came to. Where it is undefined, Undefined says why
// and Number is NaN, or the value that the zero_division option or the metric's
// convention put in its place.
type Value struct {
	Number    float64
	Undefined string
	// Bounded says that Number is an estimate, and that the exact value is
	// certainly within Low and High.
	Bounded   bool
	Low, High float64
	// zeroDivision marks an undefined ratio whose value the zero_division
	// option supplies.
	zeroDivision bool
}

// defined is a value like any other.
func defined(x float64) Value { return Value{Number: x} }

// undefined is no value, for a reason.
func undefined(reason string) Value { return Value{Number: math.NaN(), Undefined: reason} }

// ratio is num/den; over nothing, it is what zero_division says.
func ratio(num, den float64, reason string) Value {
	if den == 0 {
		return Value{Number: math.NaN(), Undefined: reason, zeroDivision: true}
	}
	return Value{Number: num / den}
}

// quotient is num/den, undefined over nothing.
func quotient(num, den float64, reason string) Value {
	if den == 0 {
		return undefined(reason)
	}
	return Value{Number: num / den}
}

// notANumber is the reason for results that only overflow can explain.
const notANumber = "weights or values are too large"

// withZeroDivision puts the option's value in the place of an undefined ratio.
func (v Value) withZeroDivision(x float64) Value {
	if v.zeroDivision {
		v.Number = x
	}
	return v
}

// then applies f to a value that is defined.
func (v Value) then(f func(float64) float64) Value {
	if v.Undefined == "" {
		v.Number = f(v.Number)
	}
	return v
}

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
