package multiplecomparisons

import (
	"math"

	"github.com/beameval/beameval/internal/elementary"
	"github.com/beameval/beameval/metrics/confidence"
)

// StudentizedRange returns the probability that the studentized range of k values is at most q: the
// range of k independent normal variables, divided by an independent estimate of their standard
// deviation with dof degrees of freedom, which may be infinite (Tukey 1949). It is the function
// ptukey of R, for one range, and has absolute errors below 1e-10.
//
// The range of normal variables is at most w with probability k ∫ φ(z) (Φ(z) − Φ(z−w))ᵏ⁻¹ dz. The
// estimate s of the standard deviation has density proportional to s^(dof−1) exp(−dof s²/2); it is
// integrated over x = log s. Both integrands vanish smoothly at both ends, so the trapezoidal rule
// is accurate.
func StudentizedRange(q float64, k int, dof float64) float64 {
	switch {
	case math.IsNaN(q) || k < 2 || !(dof > 0):
		return math.NaN()
	case q <= 0:
		return 0
	}
	normal := newNormalRange(k)
	if math.IsInf(dof, 1) {
		return normal.below(q)
	}
	step := min(0.1, 1/(2*math.Sqrt(2*dof)))
	sum, total := 0.0, 0.0
	for _, direction := range []float64{-step, step} {
		for i := 0.0; ; i++ {
			if i == 0 && direction > 0 {
				continue // it is the first point of the other direction
			}
			x := float64(i * direction)
			weight := elementary.Exp(dof * (x - float64(elementary.Expm1(float64(2*x))/2)))
			if weight < 1e-18 {
				break
			}
			total += weight
			sum += float64(weight * normal.below(float64(q*elementary.Exp(x))))
		}
	}
	return sum / total
}

// StudentizedRangeQuantile returns the q of [StudentizedRange] for a probability: the function
// qtukey of R. It is NaN unless 0 < p < 1.
func StudentizedRangeQuantile(p float64, k int, dof float64) float64 {
	if !(p > 0 && p < 1) || k < 2 || !(dof > 0) {
		return math.NaN()
	}
	beyond := func(q float64) float64 { return StudentizedRange(q, k, dof) - p }
	low, high := 0.0, 4.0
	atLow, atHigh := -p, beyond(high)
	for atHigh < 0 {
		low, atLow = high, atHigh
		high *= 2
		atHigh = beyond(high)
	}
	// Regula falsi, with the modification of Illinois: an end that stays twice counts half.
	for last := 0.0; ; {
		q := low + float64((high-low)*(atLow/(atLow-atHigh)))
		if !(low < q && q < high) || high-low < 1e-13*high {
			break
		}
		at := beyond(q)
		twice := float64(at*last) > 0
		last = at
		switch {
		case at < 0:
			low, atLow = q, at
			if twice {
				atHigh /= 2
			}
		default:
			high, atHigh = q, at
			if twice {
				atLow /= 2
			}
		}
	}
	return high
}

// far is the number of standard deviations beyond which normal variables are not integrated.
const far = 8

// normalRange is the distribution of the range of normal variables, with its points of integration.
type normalRange struct {
	k       int
	points  []float64
	weights []float64 // k φ(z) dz
	below0  []float64 // Φ(z)
}

func newNormalRange(k int) *normalRange {
	const step, end = 1. / 8, far
	r := &normalRange{k: k}
	for z := -float64(end); z <= end; z += step {
		density := elementary.Exp(-float64(z*z)/2) / math.Sqrt(2*math.Pi)
		r.points, r.weights = append(r.points, z), append(r.weights, float64(k)*density*step)
		r.below0 = append(r.below0, confidence.NormalProbability(z))
	}
	return r
}

// below returns the probability that the range is at most w.
func (r *normalRange) below(w float64) float64 {
	sum := 0.0
	for i, z := range r.points {
		between := r.below0[i]
		if z-w > -far {
			between -= confidence.NormalProbability(z - w)
		}
		power := 1.0
		for range r.k - 1 {
			power *= between
		}
		sum += float64(r.weights[i] * power)
	}
	return min(sum, 1)
}
