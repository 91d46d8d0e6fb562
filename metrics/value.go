package metrics

import "math"

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
