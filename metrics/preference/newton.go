package preference

import (
	"math"

	"github.com/beameval/beameval/internal/elementary"
)

// fit maximizes the likelihood of systems that are connected.
type fit struct {
	systems int
	pairs   []Pair
	base    int       // the system whose strength stays 0
	ties    bool      // whether the logarithm of ν is estimated, too, as the last parameter
	at      []float64 // the parameters
	inverse [][]float64
}

// Newton's method has converged if no parameter changes by more than this, relative to the largest:
// as it converges quadratically, the next step would be lost in rounding.
const smallStep = 1e-9

// mostSteps is the largest number of steps. Ten are usual.
const mostSteps = 200

// slack is how much of the likelihood rounding may lose.
const slack = 1e-13

// maximize finds the parameters and the inverse of the information, and reports whether there are any.
func (f *fit) maximize() bool {
	n := f.systems
	if f.ties {
		n++
	}
	f.at = make([]float64, n)
	likelihood := f.likelihood(f.at)
	next := make([]float64, n)
	for range mostSteps {
		gradient, information := f.derivatives()
		lower, ok := decompose(information)
		if !ok {
			return false
		}
		step := solve(lower, gradient)
		largest, size := 0.0, 1.0
		for i, x := range step {
			largest, size = max(largest, math.Abs(x)), max(size, math.Abs(f.at[i]))
		}
		if !(largest < math.Inf(1)) {
			return false
		}
		for scale := 1.0; ; scale /= 2 {
			for i, x := range step {
				next[i] = f.at[i] + float64(scale*x)
			}
			if l := f.likelihood(next); l >= likelihood-float64(slack*math.Abs(likelihood)) {
				likelihood = l
				break
			}
			if scale < 0x1p-40 {
				return false
			}
		}
		f.at, next = next, f.at
		if largest <= smallStep*size {
			f.invert()
			return f.inverse != nil
		}
	}
	return false
}

// invert inverts the information at the maximum.
func (f *fit) invert() {
	_, information := f.derivatives()
	lower, ok := decompose(information)
	if !ok {
		return
	}
	for i := range f.at {
		unit := make([]float64, len(f.at))
		unit[i] = 1
		f.inverse = append(f.inverse, solve(lower, unit))
	}
	for i := range f.at { // the base does not vary
		f.inverse[i][f.base], f.inverse[f.base][i] = 0, 0
	}
}

// estimate returns the strength of a system and its standard error: relative to the base or, if
// centered, to the mean of all.
func (f *fit) estimate(i int, centered bool) (strength, stdError float64) {
	if !centered {
		return f.at[i], math.Sqrt(max(f.inverse[i][i], 0))
	}
	n := float64(f.systems)
	sum, own, all := 0.0, 0.0, 0.0
	for j := range f.systems {
		sum += f.at[j]
		own += f.inverse[i][j]
		for k := range f.systems {
			all += f.inverse[j][k]
		}
	}
	variance := f.inverse[i][i] - 2*own/n + all/n/n
	return f.at[i] - sum/n, math.Sqrt(max(variance, 0))
}

// outcomes are the probabilities of the outcomes of a comparison, and the logarithm by which all
// were divided.
type outcomes struct{ winA, winB, tie, log float64 }

// outcomes returns the probabilities of a pair.
func (f *fit) outcomes(at []float64, p *Pair) outcomes {
	a, b := at[p.A], at[p.B]
	top, tie := max(a, b), 0.0
	if f.ties {
		tie = at[f.systems] + float64((a+b)/2)
		top = max(top, tie)
		tie = elementary.Exp(tie - top)
	}
	a, b = elementary.Exp(a-top), elementary.Exp(b-top)
	sum := a + b + tie
	return outcomes{a / sum, b / sum, tie / sum, top + elementary.Log(sum)}
}

// likelihood returns the logarithm of the likelihood.
func (f *fit) likelihood(at []float64) float64 {
	total := 0.0
	for i := range f.pairs {
		p := &f.pairs[i]
		o := f.outcomes(at, p)
		total += float64((p.WinsA + float64(p.Tie/2)) * at[p.A])
		total += float64((p.WinsB + float64(p.Tie/2)) * at[p.B])
		if f.ties {
			total += float64(p.Tie * at[f.systems])
		}
		total -= float64((p.WinsA + p.WinsB + p.Tie) * o.log)
	}
	return total
}

// derivatives returns the gradient of the likelihood and the negative of its second derivatives, with
// the base held.
func (f *fit) derivatives() (gradient []float64, information [][]float64) {
	n := len(f.at)
	gradient, information = make([]float64, n), square(n)
	for i := range f.pairs {
		p := &f.pairs[i]
		o := f.outcomes(f.at, p)
		count := p.WinsA + p.WinsB + p.Tie
		half := float64(o.tie / 2)
		share := o.winA + half // the expected share of A
		rest := o.winB + half
		gain := p.WinsA + float64(p.Tie/2) - float64(count*share)
		gradient[p.A] += gain
		gradient[p.B] -= gain
		// share * rest, less what ties take from the variance
		variance := float64(count * (float64(share*rest) - float64(o.tie/4)))
		information[p.A][p.A] += variance
		information[p.B][p.B] += variance
		information[p.A][p.B] -= variance
		information[p.B][p.A] -= variance
		if f.ties {
			last := f.systems
			gradient[last] += p.Tie - float64(count*o.tie)
			information[last][last] += float64(count * float64(o.tie*(1-o.tie)))
			both := float64(count * float64(o.tie*float64((o.winB-o.winA)/2)))
			information[p.A][last] += both
			information[last][p.A] += both
			information[p.B][last] -= both
			information[last][p.B] -= both
		}
	}
	gradient[f.base] = 0
	for j := range n {
		information[f.base][j], information[j][f.base] = 0, 0
	}
	information[f.base][f.base] = 1
	return gradient, information
}

// square returns a matrix of zeros.
func square(n int) [][]float64 {
	all, rows := make([]float64, n*n), make([][]float64, n)
	for i := range rows {
		rows[i] = all[i*n:][:n]
	}
	return rows
}

// decompose returns Cholesky's lower triangle of a symmetric matrix, in its memory, and whether the
// matrix is positive definite.
func decompose(m [][]float64) (lower [][]float64, ok bool) {
	for j := range m {
		for i := j; i < len(m); i++ {
			x := m[i][j]
			for k := range j {
				x -= float64(m[i][k] * m[j][k])
			}
			switch {
			case i > j:
				m[i][j] = x / m[j][j]
			case x > 0 && !math.IsInf(x, 1):
				m[i][i] = math.Sqrt(x)
			default:
				return nil, false
			}
		}
	}
	return m, true
}

// solve returns x with L Lᵀ x = y.
func solve(lower [][]float64, y []float64) []float64 {
	x := append([]float64(nil), y...)
	for i := range x {
		for k := range i {
			x[i] -= float64(lower[i][k] * x[k])
		}
		x[i] /= lower[i][i]
	}
	for i := len(x) - 1; i >= 0; i-- {
		for k := i + 1; k < len(x); k++ {
			x[i] -= float64(lower[k][i] * x[k])
		}
		x[i] /= lower[i][i]
	}
	return x
}
