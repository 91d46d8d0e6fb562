package curves

import "github.com/beameval/beameval/internal/wire"

// Append appends the canonical encoding: histograms of the same examples have
// equal bytes.
func (h *Histogram) Append(dst []byte) []byte {
	h.tidy()
	dst = wire.AppendUint(dst, uint64(h.bound))
	dst = wire.AppendUint(dst, uint64(h.dropped))
	dst = wire.AppendUint(dst, uint64(len(h.keys)))
	before := uint64(0)
	for i, key := range h.keys {
		dst = wire.AppendUint(dst, key-before)
		dst = h.bins[i].positive.Append(dst)
		dst = h.bins[i].negative.Append(dst)
		before = key
	}
	return dst
}

// Decode replaces h by what Append wrote.
func (h *Histogram) Decode(d *wire.Decoder) {
	*h = Histogram{bound: d.Count(maxBins), dropped: d.Count(64)}
	n := d.Elements()
	if n > h.bound || h.bound == 0 && h.dropped > 0 {
		d.Fail("histogram: %d of %d bins, %d bits dropped", n, h.bound, h.dropped)
	}
	before := uint64(0)
	for i := range n {
		key := before + d.Uint()
		var b bin
		b.positive.Decode(d)
		b.negative.Decode(d)
		if i > 0 && key <= before || key<<h.dropped>>h.dropped != key && h.dropped < 64 || h.dropped == 64 && key != 0 {
			d.Fail("histogram: keys do not increase, or are too large")
		}
		if d.Err() != nil {
			h.keys, h.bins = nil, nil
			return
		}
		h.keys, h.bins = append(h.keys, key), append(h.bins, b)
		before = key
	}
	h.index.build(h.keys)
}
