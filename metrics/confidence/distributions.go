package confidence

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// TQuantile returns the t that a variable with Student's distribution exceeds, in absolute value,
// with a probability of 1-level.
func TQuantile(level, dof float64) float64 {
	x := mathext.InvRegIncBeta(dof/2, 0.5, 1-level) // dof / (dof + t²)
	return math.Sqrt(dof * (1 - x) / x)
}

// PValue returns the probability with which a variable with Student's distribution exceeds t in
// absolute value.
func PValue(t, dof float64) float64 {
	return mathext.RegIncBeta(dof/2, 0.5, dof/(dof+float64(t*t)))
}

// normalQuantile returns what a variable with the standard normal distribution exceeds, in
// absolute value, with a probability of 1-level.
func normalQuantile(level float64) float64 { return -mathext.NormalQuantile((1 - level) / 2) }
