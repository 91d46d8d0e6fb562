package curves

import (
	"math"
	"slices"

	"github.com/beameval/beameval/internal/wire"
)

// Append appends the canonical encoding: histograms of the same examples have
// equal bytes.
func (h *Histogram) Append(dst []byte) []byte {
	h.tidy()
	dst = wire.AppendUint(dst, uint64(h.bound))
	dst = wire.AppendUint(dst, uint64(h.dropped))
	dst = wire.AppendUint(dst, uint64(len(h.bins)))
	if h.others == nil {
		dst = append(dst, 0)
	} else {
		dst = append(dst, 1)
	}
	before := uint64(0)
	for i, b := range h.bins {
		dst = wire.AppendUint(dst, b.key-before)
		before = b.key
		if h.others == nil {
			dst = wire.AppendUint(wire.AppendUint(dst, uint64(b.ones[0])), uint64(b.ones[1]))
			continue
		}
		var all otherRows
		h.addTo(&all, i)
		dst = all[1].Append(all[0].Append(dst))
	}
	return dst
}

// Decode replaces h by what Append wrote.
func (h *Histogram) Decode(d *wire.Decoder) {
	*h = Histogram{bound: d.Count(maxBins), dropped: d.Count(64)}
	n := d.Elements()
	weighted := d.Count(1) == 1
	if n > h.bound || h.bound == 0 && h.dropped > 0 {
		d.Fail("histogram: %d of %d bins, %d bits dropped", n, h.bound, h.dropped)
	}
	if d.Err() != nil {
		return
	}
	h.bins = make([]bin, 0, n)
	if weighted {
		h.others = make([]otherRows, 0, n)
	}
	before := uint64(0)
	for i := range n {
		key := before + d.Uint()
		if i > 0 && key <= before || key<<h.dropped>>h.dropped != key && h.dropped < 64 || h.dropped == 64 && key != 0 {
			d.Fail("histogram: keys do not increase, or are too large")
		}
		h.decodeBin(d, key, weighted)
		if d.Err() != nil {
			h.bins, h.others = nil, nil
			return
		}
		before = key
	}
	if weighted && !slices.ContainsFunc(h.others, func(o otherRows) bool { return !o[0].Ones() || !o[1].Ones() }) {
		d.Fail("histogram: no weight but 1 where there should be others") // merging would lose the mark
	}
}

// decodeBin appends a bin. Tallies of other weights may count examples of weight 1, too.
func (h *Histogram) decodeBin(d *wire.Decoder, key uint64, weighted bool) {
	b := bin{key: key}
	if weighted {
		var all otherRows
		all[0].Decode(d)
		all[1].Decode(d)
		h.others = append(h.others, all)
	} else {
		b.ones = [2]int64{int64(d.Count(math.MaxInt64)), int64(d.Count(math.MaxInt64))}
	}
	h.bins = append(h.bins, b)
}
