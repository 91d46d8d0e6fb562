package sliceline

import (
	"math/rand/v2"
	"strconv"
	"testing"
)

// BenchmarkCounts counts ten columns of ten values: an operation is a row.
func BenchmarkCounts(b *testing.B) {
	const rows, columns, values = 1 << 15, 10, 10
	rng := rand.New(rand.NewPCG(1, 2))
	c := NewCounts(columns, 50)
	e := &Examples{Numbers: make([][]int32, columns)}
	for r := range int32(rows) {
		e.Rows, e.Errors = append(e.Rows, r), append(e.Errors, rng.ExpFloat64())
		for k := range columns {
			n, _ := c.Number(k, strconv.Itoa(rng.IntN(values)))
			e.Numbers[k] = append(e.Numbers[k], n)
		}
	}
	for n := 0; n < b.N; n += rows {
		c.Add(e)
	}
}
