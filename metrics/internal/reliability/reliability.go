// Package reliability has the bins of reliability diagrams, which compare probabilities with
// frequencies.
package reliability

import (
	"math"

	"github.com/beameval/beameval/internal/elementary"
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
	z := gap / deviation
	if !(z < math.Inf(1)) { // no deviation or no examples
		return 0
	}
	density := math.Sqrt2 / math.Sqrt(math.Pi) * elementary.Exp(-float64(z*z)/2)
	return float64(deviation*density) - float64(gap*(2*confidence.NormalProbability(-z)))
}

// Overall returns all bins merged into one.
func Overall(bins []Bin) *Bin {
	var sum Bin
	for i := range bins {
		fields.Merge(&sum, &bins[i])
	}
	return &sum
}
