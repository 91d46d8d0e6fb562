package metrics

import (
	"math"
	"math/big"

	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/multiprecision"
)

// Value is the value of a metric. If the metric is undefined, Undefined says why, and Number is NaN
// or a replacement: Options.ZeroDivision, or the convention of the metric.
type Value struct {
	Number    float64
	Undefined string
	// Bounded says that Number is an estimate, and that the exact value certainly lies between Low
	// and High.
	Bounded   bool
	Low, High float64
	// Trials is the number of trials if Number is the share of successes, or 0. Scales of
	// proportions use it.
	Trials float64
	// StdError is the standard error of Number if examples are independent and their number suffices for
	// errors to be about normal. It is 0, or NaN, if it is unknown.
	StdError float64
	// Gaps, if not nil, are what Number estimates the sum of, in size, if examples are independent and
	// weigh 1. Metrics of the scale confidence.Projection use it.
	Gaps *confidence.Gaps
	// HeavyTails says that Number depends on so few examples that an interval around it would
	// contain the true value far less often than it should.
	HeavyTails bool

	zeroDivision bool // Options.ZeroDivision replaces the undefined value
}

// Estimate returns Number as an estimate for the population from which the examples are a sample.
// It is NaN if Options.ZeroDivision replaces the value.
func (v Value) Estimate() float64 {
	if v.zeroDivision {
		return math.NaN()
	}
	return v.Number
}

// defined returns a defined value.
func defined(x float64) Value { return Value{Number: x} }

// Undefined returns an undefined value with the reason.
func Undefined(reason string) Value { return Value{Number: math.NaN(), Undefined: reason} }

// Ratio returns num/den. If den is 0, the ratio is undefined for the given reason, and
// Options.ZeroDivision replaces it.
func Ratio(num, den float64, reason string) Value {
	if den == 0 {
		return Value{Number: math.NaN(), Undefined: reason, zeroDivision: true}
	}
	return Value{Number: num / den, Trials: den}
}

// quotient returns num/den. If den is 0, it is undefined.
func quotient(num, den float64, reason string) Value {
	if den == 0 {
		return Undefined(reason)
	}
	return Value{Number: num / den, Trials: den}
}

// The reasons for which results are undefined: weights whose sums or products may exceed float64,
// and NaN that only an overflow can explain.
const (
	weightsTooLarge = "weights are too large"
	notANumber      = "weights or values are too large"
)

// withZeroDivision replaces an undefined ratio by x.
func (v Value) withZeroDivision(x float64) Value {
	if v.zeroDivision {
		v.Number = x
	}
	return v
}

// then applies f to the value if it is defined.
func (v Value) then(f func(float64) float64) Value {
	if v.Undefined == "" {
		v.Number = f(v.Number)
	}
	return v
}

// correlation returns xy/√(xx·yy), in [-1, 1]. If a side does not vary, it is undefined
// for the given reason.
func correlation(xy, xx, yy *big.Float, reason string) Value {
	if xx.Sign() <= 0 || yy.Sign() <= 0 {
		return Undefined(reason)
	}
	den := new(big.Float).SetPrec(128).Mul(xx, yy)
	return defined(min(max(multiprecision.Over(xy, den.Sqrt(den)), -1), 1))
}

// average returns total/weight, even if one of them exceeds float64 but the quotient does not.
func average(total *exact.Sum, weight *exact.Tally) Value {
	t, w := total.Float64(), weight.Weight()
	if w == 0 {
		return Undefined(noExamples)
	}
	if math.IsInf(t, 0) || math.IsInf(w, 0) {
		if sum, finite := total.Big(); finite {
			return defined(multiprecision.Over(sum, weight.Big()))
		}
	}
	return Value{Number: t / w, Trials: w}
}
