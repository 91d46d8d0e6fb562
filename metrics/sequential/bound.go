package sequential

import (
	"math"

	"github.com/beameval/beameval/internal/elementary"
	"github.com/beameval/beameval/metrics/confidence"
)

// Measured is the value of a night with its standard error, which is NaN if unknown.
type Measured struct{ Value, StdError float64 }

// Interval is an interval of a mean. Least and Most are nearer to the mean than Low and High, and
// each holds alone: the mean is at least Least, or at most Most.
type Interval struct{ Mean, Low, High, Least, Most float64 }

// Mean returns, for each night, the mean of the true values of the nights since night from, with an
// interval. All intervals together hold those means with a probability of about 1-alpha: a
// confidence sequence. So do all Least, and all Most. They are NaN before night from, and for the first nights, fewer than burnIn.
//
// The variance of a night is that of its error, plus that between nights, which is estimated from
// all nights so far. If any of them has no standard error, or 0, the variance of the values is taken
// for both.
//
// Robbins' normal mixture (Howard, Ramdas, McAuliffe & Sekhon 2021, proposition 5), with the
// estimated variance (Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas 2024).
func Mean(nights []Measured, burnIn, from int, alpha float64) []Interval {
	found := make([]Interval, len(nights))
	for i := range nights {
		nan := math.NaN()
		found[i] = Interval{nan, nan, nan, nan, nan}
		if i < from || i+1 < max(burnIn, 2) {
			continue
		}
		variances := variances(nights[:i+1])
		n, v := float64(i+1-from), 0.0
		for j := from; j <= i; j++ {
			v += variances[j]
		}
		mean, vOpt := meanOf(nights[from:i+1]), v/n*tightest
		radius, oneSided := NormalMixture(v, vOpt, alpha)/n, OneSidedNormalMixture(v, vOpt, alpha)/n
		found[i] = Interval{mean, mean - radius, mean + radius, mean - oneSided, mean + oneSided}
	}
	return found
}

// tightest is the number of nights after which the intervals are the tightest possible.
const tightest = 30

// NormalMixture returns the bound that the absolute value of a sum of independent errors, or of a
// martingale, ever exceeds with a probability of at most alpha, where v is the variance of the sum
// so far. The bound is nearly the tightest possible where v is vOpt.
func NormalMixture(v, vOpt, alpha float64) float64 {
	if v == 0 {
		return 0
	}
	rho := BestRho(vOpt, alpha)
	return math.Sqrt((v + rho) * (elementary.Log1p(v/rho) - float64(2*elementary.Log(alpha))))
}

// BestRho returns the ρ with which the bound of [NormalMixture] is nearly the tightest where v is
// vOpt: 1/ρ is the variance of the mixed normal distribution.
func BestRho(vOpt, alpha float64) float64 {
	c := float64(-2 * elementary.Log(alpha))
	return vOpt / (c + elementary.Log1p(c))
}

// OneSidedNormalMixture is like NormalMixture for the sum itself instead of its absolute value, so
// the bound is lower. It mixes over positive means only: it is the s at which
//
//	√(4ρ/(v+ρ)) exp(s²/2(v+ρ)) Φ(s/√(v+ρ)) = 1/α.
func OneSidedNormalMixture(v, vOpt, alpha float64) float64 {
	if v == 0 {
		return 0
	}
	rho := BestRho(vOpt, 2*alpha)
	scale := math.Sqrt(v + rho)
	target := -elementary.Log(alpha) - float64(elementary.Log(4*(rho/(v+rho)))/2)
	// Newton's method: the logarithm of the mixture, in terms of z = s/√(v+ρ), is convex, so z falls to
	// the root until rounding stops it.
	z := math.Sqrt(2 * max(0, target+math.Ln2))
	for {
		density := elementary.Exp(-float64(z*z)/2) / math.Sqrt(2*math.Pi)
		below := confidence.NormalProbability(z)
		next := z - (float64(float64(z*z)/2)+elementary.Log(below)-target)/(z+density/below)
		if !(next < z) {
			return z * scale
		}
		z = next
	}
}

// variances returns the variance of each night.
func variances(nights []Measured) []float64 {
	all := make([]float64, len(nights))
	within := true
	for _, n := range nights {
		within = within && n.StdError > 0
	}
	if !within {
		each := variance(nights)
		for i := range all {
			all[i] = each
		}
		return all
	}
	between := between(nights)
	for i, n := range nights {
		all[i] = float64(n.StdError*n.StdError) + between
	}
	return all
}

// meanOf returns the mean of the values. That of equal values is exact.
func meanOf(nights []Measured) float64 {
	first, sum := nights[0].Value, 0.0
	for _, n := range nights {
		sum += n.Value - first
	}
	return first + sum/float64(len(nights))
}

// variance returns the variance of the values, without regard to their standard errors.
func variance(nights []Measured) float64 {
	mean, squares := meanOf(nights), 0.0
	for _, n := range nights {
		d := n.Value - mean
		squares += float64(d * d)
	}
	return squares / float64(len(nights)-1)
}

// between estimates the variance of the true values between nights (DerSimonian & Laird 1986), in
// units of the mean variance of errors, so that no weight overflows.
func between(nights []Measured) float64 {
	unit := 0.0
	for _, n := range nights {
		unit += n.StdError / float64(len(nights))
	}
	weights, squares, sum, q := 0.0, 0.0, 0.0, 0.0
	weight := func(n Measured) float64 { s := n.StdError / unit; return 1 / float64(s*s) }
	for _, n := range nights {
		w := weight(n)
		weights += w
		squares += float64(w * w)
		sum += float64(w * n.Value)
	}
	for _, n := range nights {
		d := (n.Value - sum/weights) / unit
		q += float64(weight(n) * float64(d*d))
	}
	t := (q - float64(len(nights)-1)) / (weights - squares/weights)
	if !(math.Abs(t) <= math.MaxFloat64) { // standard errors differ so much, or are so small, that sums overflow
		return variance(nights)
	}
	return float64(max(t, 0)*unit) * unit
}
