// Package binned counts examples in the bins of histograms: in the fixed bins of package bins, or in
// cells of a line (see package grid). There are millions of these histograms, by slice, label and
// fold, so they take memory only for bins that have examples.
package binned

import (
	"math"
	"slices"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/exact"
)

// Tallies is a list of tallies (see exact.Tally). If all rows weigh 1, each takes 8 bytes.
type Tallies struct {
	rows     []int64
	weights  []exact.Sum // the weight of all rows; only if weighted
	weighted bool        // whether any row has another weight than 1
}

// Insert makes an empty tally number i.
func (t *Tallies) Insert(i int) {
	t.rows = slices.Insert(t.rows, i, 0)
	if t.weighted {
		t.weights = slices.Insert(t.weights, i, exact.Sum{})
	}
}

// extend makes room for n tallies, and returns how many there were.
func (t *Tallies) extend(n int) (before int) {
	before = len(t.rows)
	if t.rows = grown(t.rows, n); t.weighted {
		t.weights = grown(t.weights, n)
	}
	return before
}

// grown returns a list with room for n values. Room for a few, some or all bins is made at once,
// because growing would take more time than adding.
func grown[T any](list []T, n int) []T {
	room := cap(list)
	if n <= room {
		return list[:n]
	}
	for room = max(room, 1); room < n; {
		room *= 4
	}
	more := make([]T, n, room)
	copy(more, list)
	return more
}

// move sets tally number to to the one at from.
func (t *Tallies) move(to, from int) {
	if t.rows[to] = t.rows[from]; t.weighted {
		t.weights[to] = t.weights[from]
	}
}

// empty empties tally number i.
func (t *Tallies) empty(i int) {
	if t.rows[i] = 0; t.weighted {
		t.weights[i] = exact.Sum{}
	}
}

// Delete removes tally number i.
func (t *Tallies) Delete(i int) {
	t.rows = slices.Delete(t.rows, i, i+1)
	if t.weighted {
		t.weights = slices.Delete(t.weights, i, i+1)
	}
}

// Add counts a row of weight w in tally number i.
func (t *Tallies) Add(i int, w float64) {
	if w != 1 && !t.weighted {
		t.weigh()
	}
	t.rows[i]++
	if t.weighted {
		t.weights[i].Add(w)
	}
}

// addOnes counts n rows of weight 1 in tally number i.
func (t *Tallies) addOnes(i int, n int64) {
	if t.rows[i] += n; t.weighted {
		t.weights[i].Add(float64(n))
	}
}

// weigh adds up the weights of the rows so far, which all weigh 1.
func (t *Tallies) weigh() {
	t.weighted, t.weights = true, slices.Grow(t.weights[:0], len(t.rows))
	for _, n := range t.rows {
		var total exact.Sum
		total.Add(float64(n))
		t.weights = append(t.weights, total)
	}
}

// addTally adds the rows of an exact.Tally to tally number i.
func (t *Tallies) addTally(i int, from *exact.Tally) {
	if !from.Ones() && !t.weighted {
		t.weigh()
	}
	t.rows[i] += from.Rows()
	if t.weighted {
		total := from.Sum()
		t.weights[i].Merge(&total)
	}
}

// MergeAt adds tally number j of from to tally number i. from may be t, if i and j differ.
func (t *Tallies) MergeAt(i int, from *Tallies, j int) {
	if from.weighted && !t.weighted {
		t.weigh()
	}
	t.rows[i] += from.rows[j]
	switch {
	case from.weighted:
		t.weights[i].Merge(&from.weights[j])
	case t.weighted:
		t.weights[i].Add(float64(from.rows[j]))
	}
}

// Rows returns the number of rows of tally number i.
func (t *Tallies) Rows(i int) int64 { return t.rows[i] }

// Weight returns the total weight of tally number i, rounded once.
func (t *Tallies) Weight(i int) float64 {
	if t.weighted {
		return t.weights[i].Float64()
	}
	return float64(t.rows[i])
}

// Reset removes all tallies, but keeps their memory.
func (t *Tallies) Reset() { t.rows, t.weights, t.weighted = t.rows[:0], t.weights[:0], false }

// Append appends the canonical encoding, without the number of tallies. None may be empty.
func (t *Tallies) Append(dst []byte) []byte {
	weighted := uint64(0)
	if t.weighted {
		weighted = 1
	}
	dst = wire.AppendUint(dst, weighted)
	for i, n := range t.rows {
		if dst = wire.AppendUint(dst, uint64(n)); t.weighted {
			dst = t.weights[i].Append(dst)
		}
	}
	return dst
}

// Decode replaces t with the n tallies that Append encoded. n must be bounded.
func (t *Tallies) Decode(d *wire.Decoder, n int) {
	*t = Tallies{rows: make([]int64, 0, n), weighted: d.Count(1) == 1}
	if t.weighted {
		t.weights = make([]exact.Sum, 0, n)
	}
	for range n {
		rows := d.Uint()
		if d.Err() == nil && (rows == 0 || rows > math.MaxInt64) {
			d.Fail("a bin of %d rows", rows)
		}
		if d.Err() != nil {
			t.Reset()
			return
		}
		if t.rows = append(t.rows, int64(rows)); t.weighted {
			var total exact.Sum
			total.Decode(d)
			t.weights = append(t.weights, total)
		}
	}
}
