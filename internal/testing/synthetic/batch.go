package synthetic

import (
	"github.com/beameval/beameval/internal/collections"
)

// batch is a run of rows before they are encoded.
type batch struct {
	rows  []int64 // numbers of the rows
	width int     // number of scores in a row
	span  int64   // number of rows of an example
	float int     // bits of a score

	truth, predicted outcome
	scores           []float64 // rows × width
}

// outcome holds the truth or the predictions, in the form that suits the task.
type outcome struct {
	positive []bool    // binary, multilabel: rows × width; grade: one for each row
	class    []int32   // multiclass, preference: one for each row
	grade    []int32   // ranking: rows × width
	number   []float64 // regression: one for each row
}

// reset makes room for a number of rows. The contents of the slices are undefined.
func (b *batch) reset(rows int) {
	b.rows = collections.Resize(b.rows, rows)
	cells := rows * b.width
	b.scores = collections.Resize(b.scores, cells)
	for _, o := range []*outcome{&b.truth, &b.predicted} {
		o.positive = collections.Resize(o.positive, cells)
		o.class = collections.Resize(o.class, rows)
		o.grade = collections.Resize(o.grade, cells)
		o.number = collections.Resize(o.number, rows)
	}
}

// example returns the number of the example, or of the query, to which row i belongs.
func (b *batch) example(i int) int64 { return b.rows[i] / b.span }

// round rounds numbers to the precision in which they will be written, so that decisions are based
// on the values that readers see.
func (b *batch) round(numbers []float64) {
	if b.float == 64 {
		return
	}
	for i, x := range numbers {
		numbers[i] = float64(float32(x))
	}
}
