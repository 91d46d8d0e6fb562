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
// The variance of a night is the variance of its error plus the variance between nights, which is
// estimated from all nights so far. If the standard error of a night is 0 or unknown, the variance
// of the values stands for the sum.
//
// Robbins' normal mixture (Howard, Ramdas, McAuliffe & Sekhon 2021, proposition 5), with the
// estimated variance (Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas 2024).
func Mean(nights []Measured, burnIn, from int, alpha float64) []Interval {
	found := make([]Interval, len(nights))
	var past history
	sum, errors := 0.0, 0.0 // since night from
	for i, night := range nights {
		nan := math.NaN()
		found[i] = Interval{nan, nan, nan, nan, nan}
		if past.add(night); i < from {
			continue
		}
		sum += night.Value - nights[from].Value // the sum of equal values is exact
		errors += float64(night.StdError * night.StdError)
		if i+1 < max(burnIn, 2) {
			continue
		}
		n := float64(i + 1 - from)
		between, total := past.between()
		v := float64(n * between)
		if !total {
			v += errors
		}
		mean, vOpt := nights[from].Value+sum/n, v/n*tightest
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

// history sums up the nights so far, to estimate their variance.
type history struct {
	values   moments // each night counts once
	weighted moments // by the inverse squares of errors, as long as all are known, in units of the first
	unit     float64 // that error
	unknown  bool    // an error is unknown or 0
}

func (h *history) add(n Measured) {
	h.values.add(n.Value, 1)
	if h.unknown = h.unknown || !(n.StdError > 0); h.unknown {
		return
	}
	if h.values.nights == 1 {
		h.unit = n.StdError
	}
	s := n.StdError / h.unit
	h.weighted.add(n.Value/h.unit, 1/float64(s*s))
}

// between estimates the variance of the true values between nights (DerSimonian & Laird 1986) or,
// if total, the variance of the values, which includes their errors.
func (h *history) between() (variance float64, total bool) {
	variance = h.values.squares / (h.values.nights - 1)
	if h.unknown {
		return variance, true
	}
	w := &h.weighted
	t := (w.squares - (w.nights - 1)) / (w.weights - w.weights2/w.weights)
	if !(math.Abs(t) <= math.MaxFloat64) { // standard errors differ so much, or are so small, that sums overflow
		return variance, false
	}
	return float64(max(t, 0)*h.unit) * h.unit, false
}

// moments has the sums of the weights, of their squares, and of the weighted squares of the
// distances from the mean, by the method of Welford (1962) and West (1979).
type moments struct{ nights, weights, weights2, mean, squares float64 }

func (m *moments) add(value, weight float64) {
	m.nights++
	m.weights += weight
	m.weights2 += float64(weight * weight)
	d := value - m.mean
	m.mean += float64(d * (weight / m.weights))
	m.squares += float64(float64(weight*d) * (value - m.mean))
}
