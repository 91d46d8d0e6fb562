package logistic

import (
	"math"

	"github.com/beameval/beameval/internal/elementary"
	"github.com/beameval/beameval/metrics/exact"
)

// Line is a fit: the probability of a positive is logistic(Intercept + Slope · number).
type Line struct{ Intercept, Slope float64 }

// The reasons for which there is no fit.
const (
	Infinite  = "a probability of 0 or 1 has no finite logit"
	OneClass  = "labels are all positive or all negative"
	Same      = "all scores are equal"
	Separated = "a threshold separates positives from negatives: the slope has no limit"
	Steep     = "scores are too close to each other for so steep a slope"
)

// tolerated is the largest relative error of the sums over bins, estimated by the first term that their
// series leave out.
const tolerated = 1e-9

// Fit returns the fit of the greatest likelihood, or why there is none. Both numbers are NaN if weights or
// numbers are too large.
func (t *Table) Fit() (fit Line, undefined string) {
	switch {
	case !t.infinite.Empty():
		return fit, Infinite
	case !t.negatives.some || !t.positives.some:
		return fit, OneClass
	}
	all := t.negatives
	all.merge(&t.positives)
	switch {
	case all.least == all.great:
		return fit, Same
	case t.negatives.great <= t.positives.least, t.positives.great <= t.negatives.least:
		return fit, Separated // Albert & Anderson 1984
	}
	s := t.series()
	fit, found := s.maximum()
	if !found || s.rest(fit) > tolerated {
		return fit, Steep
	}
	return fit, ""
}

// series is a table whose sums are rounded, relative to the weight of all examples.
type series struct {
	positive, product float64
	bins              []moments
}

type moments struct {
	middle, half float64
	of           [order]float64
}

func (t *Table) series() *series {
	var total exact.Sum
	for _, b := range t.bins.All() {
		total.Merge(&b.moments[0])
	}
	all := total.Float64()
	s := &series{positive: t.weight.Float64() / all, product: t.product.Float64() / all}
	for key, b := range t.bins.All() {
		var m moments
		m.middle, m.half = place(key)
		for k := range b.moments {
			m.of[k] = b.moments[k].Float64() / all
		}
		s.bins = append(s.bins, m)
	}
	return s
}

// likelihood is the mean log likelihood at a line, its gradient and its negated second derivatives.
type likelihood struct {
	value, a, b, aa, ab, bb float64
}

// at computes the likelihood of a line from the Taylor series of the softplus function and of its
// derivatives in each bin. Sums are exact, and bins are in order, so the result has the same bits
// everywhere.
func (s *series) at(line Line) likelihood {
	var value, a, b, aa, ab, bb exact.Sum
	value.Add(float64(line.Intercept * s.positive))
	value.Add(float64(line.Slope * s.product))
	a.Add(s.positive)
	b.Add(s.product)
	for i := range s.bins {
		m := &s.bins[i]
		d := derivatives(line.Intercept + float64(line.Slope*m.middle))
		step := line.Slope * m.half
		value.Add(-m.sum(d[0:], step, 0))
		mean, moment := m.sum(d[1:], step, 0), m.sum(d[1:], step, 1)
		a.Add(-mean)
		b.Add(-float64(m.middle * mean))
		b.Add(-float64(m.half * moment))
		w0, w1, w2 := m.sum(d[2:], step, 0), m.sum(d[2:], step, 1), m.sum(d[2:], step, 2)
		aa.Add(w0)
		ab.Add(float64(m.middle * w0))
		ab.Add(float64(m.half * w1))
		bb.Add(float64(m.middle * m.middle * w0))
		bb.Add(float64(2 * m.middle * m.half * w1))
		bb.Add(float64(m.half * m.half * w2))
	}
	return likelihood{value.Float64(), a.Float64(), b.Float64(), aa.Float64(), ab.Float64(), bb.Float64()}
}

// sum returns the sum of w u^power f(z + step u) over the examples of the bin, where d has the value and the
// derivatives of f at z.
func (m *moments) sum(d []float64, step float64, power int) (sum float64) {
	factor := 1.0
	for k := 0; k < len(d) && power+k < order; k++ {
		sum += float64(float64(d[k]*factor) * m.of[power+k])
		factor *= step / float64(k+1)
	}
	return sum
}

// derivatives returns the softplus function log(1 + e^z) and its derivatives; the first derivative
// is the logistic function.
func derivatives(z float64) (d [order + 1]float64) {
	e := elementary.Exp(-math.Abs(z))
	q := e / float64((1+e)*(1+e))
	odd := (1 - e) / (1 + e) // 1 - 2 logistic(|z|) with the other sign
	d[0], d[1] = max(z, 0)+elementary.Log1p(e), 1/(1+e)
	if z < 0 {
		d[1], odd = e/(1+e), -odd
	}
	d[2] = q
	d[3] = -float64(q * odd)
	d[4] = float64(q * (1 - float64(6*q)))
	d[5] = -float64(float64(q*odd) * (1 - float64(12*q)))
	d[6] = float64(q * (1 - float64(30*q) + float64(120*float64(q*q))))
	return d
}

// rest estimates the relative error of the second derivatives at a line.
func (s *series) rest(line Line) float64 {
	var weight, error exact.Sum
	for i := range s.bins {
		m := &s.bins[i]
		w := float64(m.of[0] * derivatives(line.Intercept + float64(line.Slope*m.middle))[2])
		step := line.Slope * m.half
		cube := float64(step * float64(step*step))
		weight.Add(w)
		error.Add(float64(w*float64(cube*cube)) * (5. / 720)) // no derivative is more than 5 q
	}
	return error.Float64() / weight.Float64()
}

const (
	mostSteps = 100 // far more than Newton's method needs
	// Each step squares the error. So after a relative step of this size, only rounding errors are left.
	settled = 1e-9
	// A step of less than this changes the likelihood by no more than its rounding error.
	noticed = 1e-6
)

// maximum maximizes the likelihood by Newton's method, which halves steps that do not increase it. It starts
// where all examples have the same probability. It returns false if it does not come to a maximum: the
// series are wrong for steep slopes.
func (s *series) maximum() (Line, bool) {
	line := Line{Intercept: elementary.Log(s.positive) - elementary.Log1p(-s.positive)}
	at := s.at(line)
	for range mostSteps {
		det := float64(at.aa*at.bb) - float64(at.ab*at.ab)
		da := (float64(at.bb*at.a) - float64(at.ab*at.b)) / det
		db := (float64(at.aa*at.b) - float64(at.ab*at.a)) / det
		typical := math.Sqrt(at.bb / at.aa) // of the numbers
		size := math.Abs(da) + float64(math.Abs(db)*typical)
		relative := size / (1 + math.Abs(line.Intercept) + float64(math.Abs(line.Slope)*typical))
		switch {
		case det <= 0:
			return line, false
		case !(relative < math.Inf(1)):
			return Line{math.NaN(), math.NaN()}, true
		case relative <= settled:
			return Line{line.Intercept + da, line.Slope + db}, true
		}
		next := Line{line.Intercept + da, line.Slope + db}
		then := s.at(next)
		for halvings := 0; !(then.value >= at.value) && relative > noticed; halvings++ {
			if halvings == mostSteps {
				return line, false
			}
			da, db = float64(da/2), float64(db/2)
			next = Line{line.Intercept + da, line.Slope + db}
			then = s.at(next)
		}
		line, at = next, then
	}
	return line, false
}
