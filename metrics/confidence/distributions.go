package confidence

import (
	"math"

	"github.com/beameval/beameval/internal/elementary"
)

// sqrtPi is the square root of π.
const sqrtPi = 1.77245385090551602729816748334114518279754945612238712821380779

// TQuantile returns the t that a variable with Student's distribution exceeds in absolute value
// with probability 1-level.
func TQuantile(level, dof float64) float64 {
	constant := risen(float64(dof/2)) / (sqrtPi * math.Sqrt(dof)) // of the density
	return root(NormalQuantile(level), 1-level, func(t float64) (tails, density float64) {
		return PValue(t, dof), float64(constant * elementary.Exp(-(dof+1)/2*elementary.Log1p(float64(t*t)/dof)))
	})
}

// PValue returns the probability with which a variable with Student's distribution exceeds t in
// absolute value: an incomplete beta function.
func PValue(t, dof float64) float64 {
	a, u := float64(dof/2), float64(t*t)/dof
	x, y := 1/(1+u), u/(1+u)
	if u > 1e300 {
		x, y = 1/u, 1
	}
	front := elementary.Exp(-a*elementary.Log1p(u)) * math.Sqrt(y) * risen(a) / sqrtPi
	if x < (a+1)/(a+2.5) {
		return front * betaFraction(a, 0.5, x) / a
	}
	return 1 - 2*float64(front*betaFraction(0.5, a, y))
}

// NormalQuantile returns the number that a standard normal variable exceeds in absolute value with
// probability 1-level.
func NormalQuantile(level float64) float64 {
	return root(0, 1-float64(level), func(z float64) (tails, density float64) { // level may be a product
		density = elementary.Exp(-float64(z*z)/2) / (math.Sqrt2 * sqrtPi)
		return normalTails(z, density), density
	})
}

// NormalProbability returns the probability that a standard normal variable is below z.
func NormalProbability(z float64) float64 {
	far := math.Abs(z)
	tail := float64(normalTails(far, elementary.Exp(-float64(far*far)/2)/(math.Sqrt2*sqrtPi)) / 2)
	if z > 0 {
		return 1 - tail
	}
	return tail
}

// root returns the point at which both tails of a symmetric distribution have probability p, by
// Newton's method. The tails are convex, so the iterates approach the root from below, until
// rounding stops them.
func root(from, p float64, at func(float64) (tails, density float64)) float64 {
	for range 1000 {
		tails, density := at(from)
		next := from + (tails-p)/(2*density)
		if !(next > from) {
			break
		}
		from = next
	}
	return from
}

// normalTails returns the probability of both tails of the standard normal distribution beyond z,
// where its density is given. It uses a series or, far out, Laplace's continued fraction
// (Abramowitz & Stegun 26.2.10 and 26.2.14).
func normalTails(z, density float64) float64 {
	if z < 3 {
		term, sum := z, z
		for n := 3.0; term > 1e-18*sum; n += 2 {
			term = float64(term * (float64(z*z) / n))
			sum += term
		}
		return 1 - float64(2*density*sum)
	}
	below := z
	for n := 200.0; n > 0; n-- {
		below = z + n/below
	}
	return 2 * density / below
}

// risen returns Γ(a+1/2) / Γ(a), by an asymptotic series for large a (Tricomi & Erdélyi 1951), to
// which small a are reduced.
func risen(a float64) float64 {
	product := 1.0
	for ; a < 20; a++ {
		product *= a / (a + 0.5)
	}
	u := 1 / float64(a*a)
	series := -1./8 + float64(u*(1./192+float64(u*(-1./640+float64(u*(17./14336-float64(u*(31./18432))))))))
	return product * math.Sqrt(a) * elementary.Exp(series/a)
}

// betaFraction returns the continued fraction of the incomplete beta function, times a, by Lentz's
// method (Press et al., Numerical Recipes, 6.4). It needs few terms for x < (a+1)/(a+b+2).
func betaFraction(a, b, x float64) float64 {
	c := 1.0
	d := 1 / (1 - (a+b)*x/(a+1))
	h := d
	for m := 1.0; m < 100_000; m++ {
		twice := float64(2 * m)
		even := m * (b - m) * x / ((a - 1 + twice) * (a + twice))
		d, c = 1/(1+float64(even*d)), 1+even/c
		h *= float64(d * c)
		odd := -(a + m) * (a + b + m) * x / ((a + twice) * (a + 1 + twice))
		d, c = 1/(1+float64(odd*d)), 1+odd/c
		h *= float64(d * c)
		if math.Abs(float64(d*c)-1) <= 0x1p-53 {
			break
		}
	}
	return h
}
