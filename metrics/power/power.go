// Package power says how large a difference an experiment can show, and how many examples it takes to
// show a given one.
//
// A test shows a difference d with standard error s if |d|/s exceeds the quantile t of Student's
// distribution beyond which it falls by chance with probability alpha = 1 - level. Where the true
// difference is an effect δ, d varies around δ:
//
//	0 ──────────── t·s ──────────── δ
//	               │◄─ t_power·s ─►│
//	               └ shown from here on: with probability power, d is beyond
//
// So the smallest effect that is shown with that probability is δ = (t₁₋α/₂ + t_power)·s. Since s falls
// with the square root of the number n of examples, an effect δ takes n·((t₁₋α/₂ + t_power)·s/δ)².
//
// The effect is on the scale of the metric, as a test of a difference is. It is not divided by a
// standard deviation, as Cohen's d is.
package power

import (
	"math"

	"github.com/beameval/beameval/internal/elementary"
	"github.com/beameval/beameval/metrics/confidence"
)

// Usual is the power that experiments usually are planned for (Cohen 1988).
const Usual = 0.8

// Test is a two-sided test whether a difference is 0.
type Test struct {
	Level float64 // 1 - alpha
	// DOF are the degrees of freedom of the standard error, as the jackknife estimates them. They
	// are infinite if it is known.
	DOF float64
}

// Effect returns the smallest effect that the test shows with a probability of power (the minimum
// detectable effect, Bloom 1995), where stdError is the standard error of the difference.
func (t Test) Effect(stdError, power float64) float64 {
	return float64(t.distance(power) * stdError)
}

// Examples returns the number of examples with which the test shows an effect with a probability of
// power, where stdError is the standard error of the difference between values of n examples. It is
// not rounded. The number of folds, and so DOF, stays the same.
func (t Test) Examples(n, stdError, effect, power float64) float64 {
	x := t.Effect(stdError, power) / effect
	return n * float64(x*x)
}

// Power returns the probability with which the test shows an effect in the right direction.
func (t Test) Power(effect, stdError float64) float64 {
	return t.below(math.Abs(effect)/stdError - t.critical())
}

// distance returns how many standard errors an effect is from 0 that is shown with probability power.
func (t Test) distance(power float64) float64 { return t.critical() + t.quantile(power) }

// critical returns from how many standard errors on a difference is shown.
func (t Test) critical() float64 { return t.twoSided(t.Level) }

// quantile returns the number below which a variable is with probability p.
func (t Test) quantile(p float64) float64 {
	if p < 0.5 {
		return -t.twoSided(1 - float64(2*p))
	}
	return t.twoSided(float64(2*p) - 1)
}

// twoSided returns the number that the absolute value of a variable exceeds with probability 1 - level.
func (t Test) twoSided(level float64) float64 {
	if math.IsInf(t.DOF, 1) {
		return confidence.NormalQuantile(level)
	}
	return confidence.TQuantile(level, t.DOF)
}

// below returns the probability that a variable is below x.
func (t Test) below(x float64) float64 {
	if math.IsInf(t.DOF, 1) {
		return confidence.NormalProbability(x)
	}
	tail := float64(confidence.PValue(math.Abs(x), t.DOF) / 2)
	if x < 0 {
		return tail
	}
	return 1 - tail
}

// NoneSeen returns the greatest rate of events at which none is seen in n independent examples with a
// probability of 1 - level: about 3/n at a level of 0.95, the rule of three (Hanley & Lippman-Hand
// 1983). A value at its bound, such as an accuracy of 1, has no standard error, but this limit.
func NoneSeen(n, level float64) float64 { return -elementary.Expm1(elementary.Log(1-level) / n) }

// ExamplesWithNone returns in how many independent examples an event of the given rate is not seen with
// a probability of 1 - level. It is the inverse of [NoneSeen].
func ExamplesWithNone(rate, level float64) float64 {
	return elementary.Log(1-level) / elementary.Log1p(-rate)
}

// DesignEffect returns how many times as large the variance of a proportion p of n examples is as if
// they were independent (Kish 1965). So n examples say as much as n divided by it.
func DesignEffect(p, n, stdError float64) float64 {
	return n * float64(stdError*stdError) / (p * (1 - p))
}
