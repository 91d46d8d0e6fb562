// Package elementary computes elementary functions whose results have the same bits on every
// processor. The results of package math may differ: some of its functions are written in assembly
// for some processors, and compilers fuse a product and a sum into one operation, which rounds
// once, where the processor has it. In this package, [math.FMA] marks what has to round once, and a
// conversion to float64 what has to round twice.
//
// Results are off by less than 0.52 units in the last place; Tanh, Atanh and Hypot by less than 2.
// Special cases are as in package math.
//
// The method is from Tang, Table-driven implementation of the exponential and the logarithm
// function in IEEE floating-point arithmetic (1989, 1990): a table reduces the argument to one so
// small that a few terms of the Taylor series suffice. A logarithm is the sum of two float64s,
// because powers amplify its errors.
package elementary

import (
	"math"
	"strconv"
	"strings"
)

// sum is an unevaluated sum in which low is small relative to high.
type sum struct{ high, low float64 }

// add adds two numbers exactly (Knuth 1969).
func add(a, b float64) sum {
	s := a + b
	t := s - a
	return sum{s, (a - (s - t)) + (b - t)}
}

// addSmaller is add for |b| <= |a|, or a = 0 (Dekker 1971).
func addSmaller(a, b float64) sum {
	s := a + b
	return sum{s, b - (s - a)}
}

// product multiplies two numbers exactly, unless they are tiny.
func product(a, b float64) sum {
	p := float64(a * b)
	return sum{p, math.FMA(a, b, -p)}
}

// Tanh returns the hyperbolic tangent.
func Tanh(x float64) float64 {
	if math.Abs(x) > 20 {
		return math.Copysign(1, x)
	}
	e := Expm1(float64(2 * x))
	return e / (e + 2)
}

// Atanh returns the inverse hyperbolic tangent.
func Atanh(x float64) float64 {
	a := math.Abs(x)
	if !(a < 1) {
		return math.Atanh(x) // special cases
	}
	return math.Copysign(0.5*Log1p(2*a/(1-a)), x)
}

// Hypot returns the square root of x² + y², even if a square is infinite or 0. It is off by less
// than 2 units in the last place.
func Hypot(x, y float64) float64 {
	x, y = math.Abs(x), math.Abs(y)
	high, low := max(x, y), min(x, y)
	if high == 0 || !(high <= math.MaxFloat64) {
		return math.Hypot(x, y) // special cases
	}
	low /= high
	return high * math.Sqrt(1+float64(low*low))
}

// Exponent10 returns the whole number e with 10^e <= |x| < 10^(e+1), where x is first rounded to 12
// digits, so that a number that only a rounding error separates from 10^e counts as 10^e. x must be
// neither 0 nor infinite.
func Exponent10(x float64) int {
	digits := strconv.FormatFloat(x, 'e', 11, 64)
	e, _ := strconv.Atoi(digits[strings.IndexByte(digits, 'e')+1:])
	return e
}
