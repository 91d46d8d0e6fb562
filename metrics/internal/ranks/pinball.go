package ranks

import (
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
