package ranks

import (
	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/forecast"
)

// Pinball returns the sums, over the weighted examples, of the pinball loss of level q of the
// estimates, and of the constant that has the lowest, the q-quantile of the targets.
func (p Pairs) Pinball(q float64) (ofEstimates, ofConstant float64) {
	w, total := p.weights()
	constant := p.quantile(q, w, total)
	var a, b exact.Sum
	for i, c := range p {
		a.AddProduct(w[i], forecast.Pinball(c.target, c.estimate, q))
		b.AddProduct(w[i], forecast.Pinball(c.target, constant, q))
	}
	return a.Float64(), b.Float64()
}

// quantile returns the least target up to which the targets have at least the share q of the weight.
// Where this is just the share, every number up to the next target has the same loss.
func (p Pairs) quantile(q float64, w []float64, total float64) (x float64) {
	var sum exact.Sum
	found := false
	for i, c := range p {
		if sum.Add(w[i]); !found {
			x, found = c.target, sum.Float64() >= float64(q*total)
		}
	}
	return x
}

// Quantile returns the least target up to which the targets have more than the share q of the weight. Where they have just that
// share up to a target, it is the mean of it and the next. There must be a target.
func (p Pairs) Quantile(q float64) float64 {
	w, total := p.weights()
	var sum exact.Sum
	at := float64(q * total)
	for i, c := range p[:len(p)-1] {
		sum.Add(w[i])
		switch upTo := sum.Float64(); {
		case upTo > at:
			return c.target
		case upTo == at:
			next := p[i+1].target
			if middle := float64((c.target + next) / 2); floats.Finite(middle) {
				return middle
			}
			return float64(c.target/2) + float64(next/2)
		}
	}
	return p[len(p)-1].target
}
