package drift

import (
	"errors"
	"fmt"
	"math"

	"github.com/beameval/beameval/internal/collections"
)

// leastSingularValue is the smallest singular value of a confusion matrix that can be inverted
// without magnifying noise a thousandfold.
const leastSingularValue = 1e-3

// LabelShift returns how much more frequent each class is now than in the reference, estimated from
// the predicted classes alone (Lipton, Wang & Smola 2018, black box shift estimation): weights w
// with Cw = q, where C is the confusion matrix of the reference as shares of its examples,
// confusion[i][j] being the share with true class j and predicted class i, and q the shares of the
// predicted classes now. It assumes that examples of each class look as they did in the reference.
// Weights below 0 are noise, and become 0.
//
// It returns an error if a matrix is not square or has no weight, or if its smallest singular value
// is below 1e-3: then the predictions of some class hardly differ from the predictions of others.
func LabelShift(confusion [][]float64, predicted []float64) (weights []float64, err error) {
	n := len(predicted)
	if len(confusion) != n || n == 0 {
		return nil, fmt.Errorf("the confusion matrix has %d rows for %d predicted classes", len(confusion), n)
	}
	var all []float64
	for _, row := range confusion {
		if len(row) != n {
			return nil, fmt.Errorf("a row of the confusion matrix has %d columns for %d predicted classes", len(row), n)
		}
		all = append(all, row...)
	}
	of, weight := shares(all)
	q, now := shares(predicted)
	if math.IsNaN(weight + now) {
		return nil, errors.New("there are no examples")
	}
	c := make([][]float64, n)
	for i := range c {
		c[i] = of[i*n : (i+1)*n]
	}
	if least := smallestSingularValue(c); !(least >= leastSingularValue) {
		return nil, fmt.Errorf("the predictions do not tell the classes apart: the smallest singular value of the confusion matrix is %.2g, below %v", least, leastSingularValue)
	}
	for _, w := range solve(c, q) {
		weights = append(weights, max(0, w))
	}
	return weights, nil
}

// smallestSingularValue returns the smallest singular value of a square matrix, by one-sided Jacobi
// rotations of its columns (Hestenes 1958).
func smallestSingularValue(matrix [][]float64) float64 {
	n := len(matrix)
	columns := make([][]float64, n)
	for j := range columns {
		for i := range n {
			columns[j] = append(columns[j], matrix[i][j])
		}
	}
	for range 60 {
		rotated := false
		for i := range n {
			for j := range i {
				rotated = rotate(columns[i], columns[j]) || rotated
			}
		}
		if !rotated {
			break
		}
	}
	least := math.Inf(1)
	for _, column := range columns {
		least = min(least, math.Sqrt(collections.Dot(column, column)))
	}
	return least
}

// rotate makes two columns orthogonal. It returns false if they are.
func rotate(x, y []float64) bool {
	a, b, c := collections.Dot(x, x), collections.Dot(y, y), collections.Dot(x, y)
	if math.Abs(c) <= float64(1e-15*math.Sqrt(float64(a*b))) {
		return false
	}
	zeta := (b - a) / (2 * c)
	t := 1 / (math.Abs(zeta) + math.Sqrt(1+float64(zeta*zeta)))
	if zeta < 0 {
		t = -t
	}
	cos := 1 / math.Sqrt(1+float64(t*t))
	sin := cos * t
	for i := range x {
		x[i], y[i] = float64(cos*x[i])-float64(sin*y[i]), float64(sin*x[i])+float64(cos*y[i])
	}
	return true
}

// solve returns the solution of a regular system of linear equations, by Gaussian elimination with
// partial pivoting.
func solve(matrix [][]float64, right []float64) []float64 {
	n := len(right)
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = append(append([]float64{}, matrix[i]...), right[i])
	}
	for i := range rows {
		pivot := i
		for k := i + 1; k < n; k++ {
			if math.Abs(rows[k][i]) > math.Abs(rows[pivot][i]) {
				pivot = k
			}
		}
		rows[i], rows[pivot] = rows[pivot], rows[i]
		for k := i + 1; k < n; k++ {
			factor := rows[k][i] / rows[i][i]
			for j := i; j <= n; j++ {
				rows[k][j] -= float64(factor * rows[i][j])
			}
		}
	}
	solution := make([]float64, n)
	for i := n - 1; i >= 0; i-- {
		solution[i] = (rows[i][n] - collections.Dot(rows[i][i+1:n], solution[i+1:])) / rows[i][i]
	}
	return solution
}
