package synthetic

import (
	"github.com/parquet-go/parquet-go"
)

// tries is the model of task grade: each example has a chance that an attempt at it passes, and all chances are equally frequent. So
// half of the attempts pass, and of k attempts at an example, at least one in k/(k+1) of the examples.
type tries struct {
	chance, luck stream
}

func (m *tries) fill(b *batch) {
	for i, row := range b.rows {
		b.truth.positive[i] = m.luck.uniform(row) < m.chance.uniform(b.example(i))
	}
}

// passed is the column of the grades.
var passed = perRow("passed", parquet.Leaf(parquet.BooleanType), func(b *batch, i int) parquet.Value {
	return parquet.BooleanValue(b.truth.positive[i])
})
