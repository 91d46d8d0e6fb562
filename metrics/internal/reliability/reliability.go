// Package reliability has the bins of reliability diagrams, which compare probabilities with
// frequencies.
package reliability

import (
	"math"

	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/fields"
)

// Bin counts the negatives and positives of a bin, and totals their probabilities.
type Bin struct {
	Negative, Positive exact.Tally
	Prediction         exact.Sum
}

// Empty reports whether the bin has no examples.
func (b *Bin) Empty() bool { return b.Negative.Empty() && b.Positive.Empty() }

// Fields lists the fields.
func (b *Bin) Fields(v *fields.Visitor, from *Bin) {
	fields.Visit(v, &b.Negative, &from.Negative)
	fields.Visit(v, &b.Positive, &from.Positive)
	fields.Visit(v, &b.Prediction, &from.Prediction)
}

// All returns the negatives and positives of the bin together.
func (b *Bin) All() exact.Tally {
	var all exact.Tally
	all.Merge(&b.Positive)
	all.Merge(&b.Negative)
	return all
}

// Gap returns |Σ w p - Σ w y| of the bin, and its weight.
func (b *Bin) Gap() (gap, weight float64) {
	var difference exact.Sum
	difference.Merge(&b.Prediction)
	positive := b.Positive.Sum()
	difference.Subtract(&positive)
	all := b.All()
	return math.Abs(difference.Float64()), all.Weight()
}

// Excess returns how much the mean of |X| exceeds gap, where X is normal with mean gap and with the
// standard deviation of the positives among as many examples as the bin weighs. It is 0 if all
// examples have the same label.
func (b *Bin) Excess(gap float64) float64 {
	all := b.All()
	deviation := math.Sqrt(b.Positive.Weight() * (b.Negative.Weight() / all.Weight()))
	return confidence.FoldedExcess(gap, deviation)
}

// Gaps returns the gaps of bins of equal width, whose examples weigh 1, with their errors. The bins fill
// [0, 1] by rising probability.
//
// The sum over a bin of p - y has the variance m Var(p - y) + g² (1/m - 1/n), if m of n examples with a sum
// of g are in the bin, because m varies, too. Var(p - y) is at most Var y + Var p if labels do not fall while
// probabilities rise. Var y is computed from the share of positives with two examples of either
// label added: otherwise it would be 0 where a few examples have the same label (Agresti & Coull
// 1998). Var p is at most the product of the distances from the mean to both edges (Bhatia & Davis
// 2000).
func Gaps(bins []Bin) *confidence.Gaps {
	n := 0.0
	for i := range bins {
		n += bins[i].Positive.Weight() + bins[i].Negative.Weight()
	}
	gaps := &confidence.Gaps{Examples: n}
	for i := range bins {
		b := &bins[i]
		gap, m := b.Gap()
		if m == 0 {
			continue
		}
		from, to := float64(i)/float64(len(bins)), float64(i+1)/float64(len(bins))
		share, mean := (b.Positive.Weight()+2)/(m+4), b.Prediction.Float64()/m
		variance := float64(share*(1-share)) + max(float64((mean-from)*(to-mean)), 0)
		root := math.Sqrt(float64(m*variance) + float64(gap*gap*(1/m-1/n)))
		gaps.List = append(gaps.List, confidence.Gap{Size: gap / n, StdError: root / n})
	}
	return gaps
}

// Overall returns all bins merged into one.
func Overall(bins []Bin) *Bin {
	var sum Bin
	for i := range bins {
		fields.Merge(&sum, &bins[i])
	}
	return &sum
}
