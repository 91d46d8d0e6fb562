package synthetic

import "slices"

// batch is a run of rows before they are encoded.
type batch struct {
	first int64 // number of the first row
	rows  int
	width int // scores in a row

	truth, predicted outcome
	scores           []float64 // rows × width
}

// outcome holds what is true, or what was predicted, in the form that suits the task.
type outcome struct {
	positive []bool    // binary, multilabel: rows × width
	class    []int32   // multiclass: one a row
	number   []float64 // regression: one a row
}

// model draws the rows of a batch.
type model interface {
	fill(b *batch)
}

// reset makes room for rows from number first on; what the slices hold is undefined.
func (b *batch) reset(first int64, rows int) {
	b.first, b.rows = first, rows
	cells := rows * b.width
	b.scores = resize(b.scores, cells)
	for _, o := range []*outcome{&b.truth, &b.predicted} {
		o.positive = resize(o.positive, cells)
		o.class = resize(o.class, rows)
		o.number = resize(o.number, rows)
	}
}

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
