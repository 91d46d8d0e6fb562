package exact

import (
	"math/big"

	"github.com/beameval/beameval/metrics/internal/wire"
)

// Tally counts rows and totals their weights, exactly. Rows of weight 1 cost an
// integer addition, so that unweighted data need no sums. The zero Tally is
// empty and ready to use.
type Tally struct {
	rows   int64
	others int64 // rows whose weight is not 1
	rest   Sum   // total weight of those
}

// Add counts a row of weight w.
func (t *Tally) Add(w float64) {
	t.rows++
	if w != 1 {
		t.addOther(w)
	}
}

func (t *Tally) addOther(w float64) {
	t.others++
	t.rest.Add(w)
}

// AddOnes counts n rows of weight 1.
func (t *Tally) AddOnes(n int64) { t.rows += n }

// AddRows counts n rows of weight w each, where n is from 0 to 2^53. If w*n is
// beyond float64, so is the total.
func (t *Tally) AddRows(w float64, n int64) {
	t.rows += n
	if w != 1 {
		t.addOthers(w, n)
	}
}

func (t *Tally) addOthers(w float64, n int64) {
	t.others += n
	if n == 1 {
		t.rest.Add(w)
		return
	}
	t.rest.AddProduct(w, float64(n)) // exact, as n is whole: no error underflows
}

// Merge adds the rows of from, which it leaves as they are.
func (t *Tally) Merge(from *Tally) {
	t.rows += from.rows
	t.others += from.others
	t.rest.Merge(&from.rest)
}

// Subtract takes away the rows of from, which are a part of t.
func (t *Tally) Subtract(from *Tally) {
	t.rows -= from.rows
	t.others -= from.others
	t.rest.Subtract(&from.rest)
}

// Empty says whether no row was counted.
func (t *Tally) Empty() bool { return t.rows == 0 }

// Rows returns the number of rows.
func (t *Tally) Rows() int64 { return t.rows }

// Weight returns the total weight, rounded once.
func (t *Tally) Weight() float64 {
	if t.others == 0 {
		return float64(t.rows)
	}
	return t.rest.plus(t.rows - t.others)
}

// Sum returns the total weight as an exact sum of its own.
func (t *Tally) Sum() Sum {
	var s Sum
	s.Add(float64(t.rows - t.others))
	s.Merge(&t.rest)
	return s
}

// Big returns the total weight, exactly. Weights are finite; if not, it is 0.
func (t *Tally) Big() *big.Float {
	if t.others == 0 {
		return new(big.Float).SetInt64(t.rows)
	}
	total := t.Sum()
	v, _ := total.Big()
	return v
}

// Reset empties the tally.
func (t *Tally) Reset() { *t = Tally{} }

// Append appends the canonical encoding.
func (t *Tally) Append(dst []byte) []byte {
	dst = wire.AppendUint(dst, uint64(t.rows))
	dst = wire.AppendUint(dst, uint64(t.others))
	if t.others != 0 {
		dst = t.rest.Append(dst)
	}
	return dst
}

// Decode replaces t by what Append wrote.
func (t *Tally) Decode(d *wire.Decoder) {
	*t = Tally{rows: int64(d.Uint()), others: int64(d.Uint())}
	if t.rows < 0 || t.others < 0 || t.others > t.rows {
		d.Fail("tally: %d of %d rows", t.others, t.rows)
		*t = Tally{}
	}
	if t.others != 0 {
		t.rest.Decode(d)
	}
}
