package allocation

import (
	"math"

	"github.com/beameval/beameval/metrics/exact"
)

// Moments are the sums of the grades that a judge gives to some rows. They do not depend on the order of the rows. The
// zero value is ready.
type Moments struct {
	rows         int64
	sum, squares exact.Sum
}

// Add adds a grade, as its distance from a number that is near all grades of the stratum.
func (m *Moments) Add(distance float64) {
	m.rows++
	m.sum.Add(distance)
	m.squares.AddProduct(distance, distance)
}

// Merge adds other rows, with distances from the same number.
func (m *Moments) Merge(from *Moments) {
	m.rows += from.rows
	m.sum.Merge(&from.sum)
	m.squares.Merge(&from.squares)
}

// Grades returns what the moments say of the grades, whose distances are from a number.
func (m *Moments) Grades(from float64) Grades {
	n, sum := float64(m.rows), m.sum.Float64()
	return Grades{m.rows, from + sum/n, max(m.squares.Float64()-float64(sum/n*sum), 0)}
}

// Grades are what a judge says of the rows of a stratum.
type Grades struct {
	Rows int64
	Mean float64
	// Squares is the sum of the squares of distances from the mean.
	Squares float64
}

// Plus returns the grades of two strata together.
func (g Grades) Plus(h Grades) Grades {
	n, m := float64(g.Rows), float64(h.Rows)
	apart, share := h.Mean-g.Mean, m/(n+m)
	return Grades{g.Rows + h.Rows, g.Mean + float64(apart*share), g.Squares + h.Squares + float64(apart*apart*n*share)}
}

// Accuracy returns the standard deviation of whether rows are right, if the mean grade is the probability that they are.
func (g Grades) Accuracy() float64 {
	p := min(max(g.Mean, 0), 1)
	return math.Sqrt(p * (1 - p))
}

// Deviation returns the standard deviation of the grades.
func (g Grades) Deviation() float64 { return math.Sqrt(g.Squares / float64(g.Rows)) }
