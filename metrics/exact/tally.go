package exact

import (
	"math/big"

	"github.com/beameval/beameval/internal/wire"
)

// Tally counts rows and totals their weights exactly. A row of weight 1 costs one integer addition,
// so unweighted data need no sums. The zero Tally is empty and ready to use.
type Tally struct {
	rows    int64
	weights *Weights // nil if all rows weigh 1: most tallies are small, and there are many
}

// weighted returns the weights, and allocates them if there are none.
func (t *Tally) weighted() *Weights {
	if t.weights == nil {
		t.weights = new(Weights)
	}
	return t.weights
}

// TallyOf returns the tally of ones rows of weight 1 and of others. The tally shares others: adding
// to it may change them.
func TallyOf(ones int64, others *Weights) Tally { return Tally{ones + others.rows, others} }

// Add counts a row of weight w.
func (t *Tally) Add(w float64) {
	t.rows++
	if w != 1 {
		t.addOther(w)
	}
}

func (t *Tally) addOther(w float64) { t.weighted().Add(w) }

// AddOnes counts n rows of weight 1.
func (t *Tally) AddOnes(n int64) { t.rows += n }

// AddAll counts one row for each weight.
func (t *Tally) AddAll(weights []float64) {
	t.rows += int64(len(weights))
	ones := 0
	for _, w := range weights {
		if w == 1 {
			ones++
		}
	}
	if ones == len(weights) {
		return
	}
	others := t.weighted()
	others.rows += int64(len(weights) - ones)
	others.total.AddAll(weights)
	others.total.Add(-float64(ones)) // sums are exact: no trace of the ones remains
}

// AddRows counts n rows of weight w each. n must be from 0 to 2^53. If w*n exceeds float64, so does
// the total.
func (t *Tally) AddRows(w float64, n int64) {
	t.rows += n
	if w != 1 {
		t.addOthers(w, n)
	}
}

// AddTotal counts ones rows of weight 1 and others rows of other weights. The parts add up to the
// weight of all of these rows.
func (t *Tally) AddTotal(ones, others int64, parts ...float64) {
	t.rows += ones + others
	if others == 0 {
		return
	}
	weights := t.weighted()
	weights.rows += others
	for _, part := range parts {
		weights.total.Add(part)
	}
	weights.total.Add(-float64(ones))
}

func (t *Tally) addOthers(w float64, n int64) { t.weighted().AddRows(w, n) }

// Merge adds the rows of from and leaves from unchanged.
func (t *Tally) Merge(from *Tally) {
	t.rows += from.rows
	if from.weights != nil {
		t.weighted().Merge(from.weights)
	}
}

// MergeTimes adds the rows of from n times. If n is negative, it removes what was added -n times.
func (t *Tally) MergeTimes(from *Tally, n int64) {
	t.rows += n * from.rows
	if from.weights != nil {
		t.weighted().MergeTimes(from.weights, n)
	}
}

// Subtract removes the rows of from, which must have been added before.
func (t *Tally) Subtract(from *Tally) {
	t.rows -= from.rows
	if from.weights != nil {
		t.weighted().Subtract(from.weights)
	}
}

// Remove removes the rows of from, which must have been added before, and reports whether it has; see Sum.Remove.
func (t *Tally) Remove(from *Tally) bool {
	if from.weights != nil && from.weights.total.special() != 0 {
		return false
	}
	t.Subtract(from)
	return true
}

// Empty reports whether no row was counted.
func (t *Tally) Empty() bool { return t.rows == 0 }

// Rows returns the number of rows.
func (t *Tally) Rows() int64 { return t.rows }

// Weight returns the total weight, rounded once.
func (t *Tally) Weight() float64 {
	if !t.hasWeights() {
		return float64(t.rows)
	}
	return t.weights.total.plus(t.rows - t.weights.rows)
}

// Sum returns the total weight as an exact sum, which does not share memory with t.
func (t *Tally) Sum() Sum {
	var s Sum
	if !t.hasWeights() {
		s.Add(float64(t.rows))
		return s
	}
	s.Add(float64(t.rows - t.weights.rows))
	s.Merge(&t.weights.total)
	return s
}

// hasWeights reports whether there are rows whose weight is not 1.
func (t *Tally) hasWeights() bool { return t.weights != nil && t.weights.rows != 0 }

// Big returns the exact total weight. It is 0 if a weight is not finite.
func (t *Tally) Big() *big.Float {
	if !t.hasWeights() {
		return new(big.Float).SetInt64(t.rows)
	}
	total := t.Sum()
	v, _ := total.Big()
	return v
}

// Reset empties the tally.
func (t *Tally) Reset() {
	t.rows = 0
	if t.weights != nil { // keep its memory
		t.weights.rows = 0
		t.weights.total.Reset()
	}
}

// Append appends the canonical encoding.
func (t *Tally) Append(dst []byte) []byte {
	dst = wire.AppendUint(dst, uint64(t.rows))
	if !t.hasWeights() {
		return wire.AppendUint(dst, 0)
	}
	return t.weights.Append(dst)
}

// Decode replaces t with the tally that Append encoded.
func (t *Tally) Decode(d *wire.Decoder) {
	*t = Tally{rows: int64(d.Uint())}
	others := int64(d.Uint())
	if t.rows < 0 || others < 0 || others > t.rows {
		d.Fail("tally: %d of %d rows", others, t.rows)
		*t = Tally{}
		return
	}
	if others != 0 {
		t.weights = &Weights{rows: others}
		t.weights.total.Decode(d)
	}
}

// Ones reports whether all rows weigh 1.
func (t *Tally) Ones() bool { return !t.hasWeights() }

// Others returns the number of rows whose weight is not 1.
func (t *Tally) Others() int64 {
	if t.weights == nil {
		return 0
	}
	return t.weights.rows
}
