package curves

import "github.com/beameval/beameval/internal/wire"

// Append appends the canonical encoding: histograms of the same examples have
// equal bytes.
func (h *Histogram) Append(dst []byte) []byte {
	h.tidy()
	kind := uint64(h.bound) << 1
	if h.even {
		kind |= 1
	}
	dst = wire.AppendUint(dst, kind)
	dst = wire.AppendUint(dst, uint64(h.dropped))
	dst = wire.AppendUint(dst, uint64(h.keys.n))
	before := uint64(0)
	for bin, key := range h.keys.all() {
		dst = wire.AppendUint(dst, key-before)
		before = key
		for class, ones := range h.ones[bin] {
			if h.others == nil || h.others[bin][class].Empty() {
				dst = wire.AppendUint(dst, uint64(ones)<<1)
				continue
			}
			dst = wire.AppendUint(dst, uint64(ones)<<1|hasOthers)
			dst = h.others[bin][class].Append(dst)
		}
	}
	return dst
}

// hasOthers is the lowest bit of what is encoded of a class of a bin, if there are weights that are not 1. The
// other bits are how many examples weigh 1.
const hasOthers = 1

// Decode replaces h by what Append wrote.
func (h *Histogram) Decode(d *wire.Decoder) {
	kind := d.Count(maxBins<<1 | 1)
	*h = Histogram{bound: kind >> 1, even: kind&1 == 1}
	h.dropped = d.Count(mostDropped(h.even))
	n := d.Elements()
	if n > h.bound || h.bound == 0 && (h.even || h.dropped > 0) {
		d.Fail("histogram: %d of %d bins, %d bits dropped", n, h.bound, h.dropped)
	}
	if d.Err() != nil {
		return
	}
	h.ones = make([][2]int64, n)
	before := uint64(0)
	for bin := range n {
		key := before + d.Uint()
		if bin > 0 && key <= before || key > ^uint64(0)>>h.shift() {
			d.Fail("histogram: keys do not increase, or are too large")
		}
		h.keys.add(key)
		h.decodeBin(d, bin)
		if d.Err() != nil {
			*h = Histogram{}
			return
		}
		before = key
	}
	h.keys.build()
}

// decodeBin decodes the examples of a bin.
func (h *Histogram) decodeBin(d *wire.Decoder, bin int) {
	for class := range h.ones[bin] {
		v := d.Uint()
		h.ones[bin][class] = int64(v >> 1)
		if v&hasOthers == 0 {
			continue
		}
		if h.others == nil {
			h.others = make([]otherRows, len(h.ones))
		}
		o := &h.others[bin][class]
		if o.Decode(d); o.Empty() {
			d.Fail("histogram: no weight but 1 where there should be others")
		}
	}
}
