package multiprecision

import (
	"math"

	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/fields"
)

// Moments of numbers with weights. The zero Moments are empty and ready to use.
type Moments struct {
	weight  exact.Tally
	sum     exact.Sum
	squares Products
}

// Add adds a number.
func (m *Moments) Add(w, x float64) {
	m.weight.Add(w)
	m.sum.AddProduct(w, x)
	m.squares.Add(w, x, x)
}

// Weight returns the weight of all numbers.
func (m *Moments) Weight() *exact.Tally { return &m.weight }

// Fields lists the fields.
func (m *Moments) Fields(v *fields.Visitor, from *Moments) {
	fields.Visit(v, &m.weight, &from.weight)
	fields.Visit(v, &m.sum, &from.sum)
	m.squares.Fields(v, &from.squares)
}

// Variance estimates the variance in the population that two or more numbers are from. It is NaN
// where numbers are too large.
func (m *Moments) Variance() float64 {
	n := float64(m.weight.Rows())
	sum, finite := m.sum.Big()
	squares := m.squares.Big()
	if !finite || squares == nil {
		return math.NaN()
	}
	w := m.weight.Big()
	scatter := Difference(Product(w, squares), Product(sum, sum))
	if variance := Over(scatter, Product(w, w)) * n / (n - 1); floats.Finite(variance) {
		return variance
	}
	return math.NaN()
}
