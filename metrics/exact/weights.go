package exact

import "github.com/beameval/beameval/internal/wire"

// Weights counts rows whose weight is not 1, and totals their weights exactly. It is the part of a
// Tally that not every tally needs. The zero Weights is empty and ready to use.
type Weights struct {
	rows  int64
	total Sum
}

// Add counts a row of weight x.
func (w *Weights) Add(x float64) {
	w.rows++
	w.total.Add(x)
}

// AddRows counts n rows of weight x each; see Tally.AddRows.
func (w *Weights) AddRows(x float64, n int64) {
	w.rows += n
	if n == 1 {
		w.total.Add(x)
		return
	}
	w.total.AddProduct(x, float64(n)) // exact, as n is whole: no error underflows
}

// Merge adds the rows of from and leaves from unchanged.
func (w *Weights) Merge(from *Weights) {
	w.rows += from.rows
	w.total.Merge(&from.total)
}

// MergeTimes adds the rows of from n times. If n is negative, it removes what was added -n times.
func (w *Weights) MergeTimes(from *Weights, n int64) {
	w.rows += n * from.rows
	w.total.MergeTimes(&from.total, n)
}

// Subtract removes the rows of from, which must have been added before.
func (w *Weights) Subtract(from *Weights) {
	w.rows -= from.rows
	w.total.Subtract(&from.total)
}

// Empty reports whether no row was counted.
func (w *Weights) Empty() bool { return w.rows == 0 }

// Single returns the weight of the only row. ok is false if there is not exactly one.
func (w *Weights) Single() (weight float64, ok bool) {
	if w.rows != 1 {
		return 0, false
	}
	return w.total.Float64(), true
}

// Append appends the canonical encoding.
func (w *Weights) Append(dst []byte) []byte {
	dst = wire.AppendUint(dst, uint64(w.rows))
	if w.rows == 0 {
		return dst
	}
	return w.total.Append(dst)
}

// Decode replaces w with the weights that Append encoded.
func (w *Weights) Decode(d *wire.Decoder) {
	*w = Weights{rows: int64(d.Uint())}
	switch {
	case w.rows < 0:
		d.Fail("weights of %d rows", w.rows)
	case w.rows > 0:
		w.total.Decode(d)
	}
}
