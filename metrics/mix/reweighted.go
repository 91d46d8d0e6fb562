package mix

import (
	"math"
	"math/bits"

	"github.com/beameval/beameval/metrics"
)

// Examples are All without Left, which may be nil and is a part of All.
type Examples struct{ All, Left *metrics.Partial }

// Weight returns the total weight.
func (e *Examples) Weight() float64 {
	if e.Left == nil {
		return e.All.Weight()
	}
	return e.All.Weight() - e.Left.Weight()
}

// mostCopies is the largest number of copies of an example, so shares are met to about 1e-9. All examples with all their
// copies are fewer than most.
const (
	mostCopies = 1 << 32
	most       = 1 << 62
)

// Reweighted returns the statistics of the examples of all parts if the parts had other shares of their total weight. Each
// example is copied as often as the share of its part asks for. So what a metric computes from the statistics is its
// value under these shares, unless the metric depends on the number of examples as well. A part of share 0, which may be
// empty, does not count; all others must have weight.
func Reweighted(parts []Examples, shares []float64) *metrics.Partial {
	ratios, largest, examples := make([]float64, len(parts)), 0.0, int64(1)
	for i := range parts {
		if shares[i] > 0 {
			ratios[i] = shares[i] / parts[i].Weight()
			largest, examples = max(largest, ratios[i]), examples+parts[i].All.Examples()
		}
	}
	limit, same := float64(min(mostCopies, most>>bits.Len64(uint64(examples)))), true
	for _, ratio := range ratios {
		same = same && (ratio == 0 || near(ratio, largest))
	}
	sum := new(metrics.Partial)
	for i, ratio := range ratios {
		copies := int64(math.Round(float64(ratio / largest * limit)))
		if same {
			copies = min(copies, 1)
		}
		if copies > 0 {
			sum.MergeTimes(parts[i].All, copies)
		}
		if copies > 0 && parts[i].Left != nil {
			sum.MergeTimes(parts[i].Left, -copies)
		}
	}
	return sum
}

// near reports whether two ratios differ by rounding alone.
func near(x, y float64) bool { return math.Abs(x-y) <= 1e-13*y }
