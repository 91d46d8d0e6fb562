package synthetic

import (
	"slices"
)

// batch is a run of rows before they are encoded.
type batch struct {
	rows  []int64 // their numbers
	width int     // scores in a row
	span  int64   // rows of an example

	truth, predicted outcome
	scores           []float64 // rows × width
}

// outcome holds what is true, or what was predicted, in the form that suits the task.
type outcome struct {
	positive []bool    // binary, multilabel: rows × width
	class    []int32   // multiclass: one a row
	grade    []int32   // ranking: rows × width
	number   []float64 // regression: one a row
}

// model draws the rows of a batch.
type model interface {
	fill(b *batch)
}

// reset makes room for so many rows; what the slices hold is undefined.
func (b *batch) reset(rows int) {
	b.rows = resize(b.rows, rows)
	cells := rows * b.width
	b.scores = resize(b.scores, cells)
	for _, o := range []*outcome{&b.truth, &b.predicted} {
		o.positive = resize(o.positive, cells)
		o.class = resize(o.class, rows)
		o.grade = resize(o.grade, cells)
		o.number = resize(o.number, rows)
	}
}

// example returns the number of the example, or of the query, that row i belongs to.
func (b *batch) example(i int) int64 { return b.rows[i] / b.span }

func resize[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }

// roundTo gives numbers the precision in which they will be written, so that decisions
// are made on the values that readers see.
func roundTo(float int, numbers []float64) {
	if float == 64 {
		return
	}
	for i, x := range numbers {
		numbers[i] = float64(float32(x))
	}
}
