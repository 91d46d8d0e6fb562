package shuffle

import (
	"math"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/exact"
)

// blockRows is the number of rows of a table that are encoded together, in columns, where each number
// takes as many bits as the largest.
const blockRows = 128

// Table codes a list of rows, possibly millions, whose numbers are small. columns codes a block of rows
// with IntColumn and TallyColumn.
func Table[T any](c *wire.Coder, list *[]T, columns func(block []T)) {
	n := len(*list)
	if wire.Int(c, &n); n < 0 {
		c.Fail("%d rows", n)
	}
	if c.Reading() {
		*list = nil
	}
	for from := 0; from < n && !c.Failed(); from += blockRows {
		to := min(from+blockRows, n)
		if c.Reading() {
			*list = append(*list, make([]T, to-from)...)
		}
		columns((*list)[from:to])
	}
}

// IntColumn codes an integer of each row of a block, which may be negative.
func IntColumn[T any, I ~int | ~int32](c *wire.Coder, block []T, field func(*T) *I) {
	var room [blockRows]uint64
	values := room[:len(block)]
	for i := range block {
		values[i] = uint64(int64(*field(&block[i])) - math.MinInt32)
	}
	c.Column(values)
	for i := range block {
		*field(&block[i]) = I(int64(values[i]) + math.MinInt32)
	}
}

// TallyColumn codes a tally of each row of a block. The column holds the number of examples + 1 if all
// weigh 1, and otherwise 0; these tallies follow it.
func TallyColumn[T any](c *wire.Coder, block []T, field func(*T) *exact.Tally) {
	var room [blockRows]uint64
	counts := room[:len(block)]
	for i := range block {
		if t := field(&block[i]); t.Ones() {
			counts[i] = uint64(t.Rows()) + 1
		}
	}
	c.Column(counts)
	for i := range block {
		t := field(&block[i])
		switch {
		case counts[i] == 0:
			c.Value(t)
		case c.Reading():
			if *t = (exact.Tally{}); counts[i] > math.MaxInt64 {
				c.Fail("a tally of %d examples", counts[i]-1)
			} else {
				t.AddOnes(int64(counts[i] - 1))
			}
		}
	}
}
