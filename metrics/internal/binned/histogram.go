package binned

import (
	"iter"
	"math/bits"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/fields"
)

// Histogram counts examples in the bins of a bins.Scale. The zero Histogram is empty.
type Histogram struct {
	met     uint64 // a bit for each bin that has examples
	tallies Tallies
}

// Add counts an example of weight w in a bin.
func (h *Histogram) Add(bin int, w float64) {
	bit := uint64(1) << (bin & 63)
	if h.met&bit == 0 {
		h.cover(bit)
	}
	i := h.place(bin)
	switch t := &h.tallies; { // nearly always without another call
	case t.weighted:
		t.rows[i]++
		t.weights[i].Add(w)
	case w == 1:
		t.rows[i]++
	default:
		t.Add(i, w)
	}
}

// place returns the number of the tally of a bin.
func (h *Histogram) place(bin int) int { return bits.OnesCount64(h.met & (1<<(bin&63) - 1)) }

// cover makes an empty tally for each of more bins that has none.
func (h *Histogram) cover(more uint64) {
	met, to := h.met|more, bits.OnesCount64(h.met|more)-1
	if met == h.met {
		return
	}
	from := h.tallies.extend(to+1) - 1
	for rest := met; to != from; to-- { // from the last; those before the first new one stay
		bin := 63 - bits.LeadingZeros64(rest)
		rest &^= 1 << bin
		if h.met&(1<<bin) != 0 {
			h.tallies.move(to, from)
			from--
		} else {
			h.tallies.empty(to)
		}
	}
	h.met = met
}

// AddOnes counts an example of weight 1 for each of bins, which are less than 64.
func (h *Histogram) AddOnes(bins []uint8) {
	var counts [64]int64
	more := uint64(0)
	for _, bin := range bins {
		counts[bin&63]++
		more |= 1 << (bin & 63)
	}
	h.cover(more)
	for bin := range each(more) {
		h.tallies.addOnes(h.place(bin), counts[bin&63])
	}
}

// AddAll counts an example for each of bins, which are less than 64, with as many weights.
func (h *Histogram) AddAll(bins []uint8, weights []float64) {
	for i, bin := range bins {
		h.Add(int(bin), weights[i])
	}
}

// AddTally adds the examples of a tally to a bin.
func (h *Histogram) AddTally(bin int, t *exact.Tally) {
	if !t.Empty() {
		h.cover(1 << (bin & 63))
		h.tallies.addTally(h.place(bin), t)
	}
}

// Empty reports whether there are no examples.
func (h *Histogram) Empty() bool { return h.met == 0 }

// All yields the bins that have examples, in order, and the number of the tally of each.
func (h *Histogram) All() iter.Seq2[int, int] { return each(h.met) }

// each yields the numbers of the bits of a word that are set, and the index of each among them.
func each(word uint64) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for i := 0; word != 0; i++ {
			if !yield(bits.TrailingZeros64(word), i) {
				return
			}
			word &= word - 1
		}
	}
}

// Tallies returns the tallies of the bins that have examples.
func (h *Histogram) Tallies() *Tallies { return &h.tallies }

// Weight returns the total weight of a bin.
func (h *Histogram) Weight(bin int) float64 {
	bit := uint64(1) << (bin & 63)
	if h.met&bit == 0 {
		return 0
	}
	return h.tallies.Weight(h.place(bin))
}

// Fields encodes or decodes the histogram, empties it, or merges from into it.
func (h *Histogram) Fields(v *fields.Visitor, from *Histogram) { fields.Visit(v, h, from) }

// Merge adds the examples of from and leaves from unchanged.
func (h *Histogram) Merge(from *Histogram) {
	h.cover(from.met)
	for bin, i := range each(from.met) {
		h.tallies.MergeAt(h.place(bin), &from.tallies, i)
	}
}

// Append appends the canonical encoding.
func (h *Histogram) Append(dst []byte) []byte {
	return h.tallies.Append(wire.AppendUint(dst, h.met))
}

// Decode replaces h with the histogram that Append encoded.
func (h *Histogram) Decode(d *wire.Decoder) {
	h.met = d.Uint()
	if h.tallies.Decode(d, bits.OnesCount64(h.met)); d.Err() != nil {
		h.Reset()
	}
}

// Reset empties h but keeps its memory.
func (h *Histogram) Reset() {
	h.met = 0
	h.tallies.Reset()
}
