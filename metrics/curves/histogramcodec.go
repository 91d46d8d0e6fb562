package curves

import (
	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/exact"
)

// Append appends the canonical encoding: histograms of the same examples have equal bytes. Two
// things keep it short: a bin with a single example of weight 1, as most are, takes one byte beside
// its key; and bits that are zero in all keys, as scores mostly have a short fraction, are left
// out.
//
//	histogram  bound<<1 | even, bits dropped, number of bins, zero bits, bins
//	bin        (key - key of the bin before) >> zero bits, rows
func (h *Histogram) Append(dst []byte) []byte {
	h.tidy()
	kind := uint64(h.bound) << 1
	if h.even {
		kind |= 1
	}
	dst = wire.AppendUint(dst, kind)
	dst = wire.AppendUint(dst, uint64(h.dropped))
	dst = wire.AppendUint(dst, uint64(h.keys.n))
	if h.keys.n == 0 {
		return dst
	}
	zeros := h.keys.trailingZeros()
	dst = wire.AppendUint(dst, uint64(zeros))
	before := uint64(0)
	for bin, key := range h.keys.all() {
		dst = wire.AppendUint(dst, (key-before)>>zeros)
		before = key
		dst = appendRows(dst, h.ones[bin], h.rowsOf(bin))
	}
	return dst
}

// The encoding of the rows of a bin begins with a number v:
//
//	v < 2       one example of class v, of weight 1
//	v = 2, 3    one example of class v-2; its weight follows
//	v >= 4      v-4 encodes the negatives, and another number follows for the positives
//
// In the last case, the number of a class has the lowest bit hasOthers if there are weights other
// than 1, which then follow it; its other bits are the number of examples of weight 1.
const (
	singleOther = 2
	moreRows    = 4
	hasOthers   = 1
)

// appendRows appends the examples of a bin.
func appendRows(dst []byte, ones [2]int64, others *otherRows) []byte {
	if class, weight, ok := single(ones, others); ok {
		if weight == 1 {
			return wire.AppendUint(dst, class)
		}
		return wire.AppendFloat(wire.AppendUint(dst, singleOther+class), weight)
	}
	more := uint64(moreRows)
	for class, n := range ones {
		if others[class].Empty() {
			dst = wire.AppendUint(dst, more+uint64(n)<<1)
		} else {
			dst = wire.AppendUint(dst, more+(uint64(n)<<1|hasOthers))
			dst = others[class].Append(dst)
		}
		more = 0
	}
	return dst
}

// single returns the class and the weight of the only example of a bin. ok is false if there are
// more.
func single(ones [2]int64, others *otherRows) (class uint64, weight float64, ok bool) {
	if n := ones[0] + ones[1]; n > 1 || (n == 1) != others.empty() {
		return 0, 0, false
	}
	for class := range others {
		if ones[class] == 1 {
			return uint64(class), 1, true
		}
		if weight, ok := others[class].Single(); ok && others[1-class].Empty() {
			return uint64(class), weight, true
		}
	}
	return 0, 0, false
}

// Decode replaces h with the histogram that Append encoded.
func (h *Histogram) Decode(d *wire.Decoder) {
	kind := d.Count(maxBins<<1 | 1)
	*h = Histogram{bound: kind >> 1, even: kind&1 == 1}
	h.dropped = d.Count(mostDropped(h.even))
	n := d.Elements()
	if n > h.bound || h.bound == 0 && (h.even || h.dropped > 0) {
		d.Fail("histogram: %d of %d bins, %d bits dropped", n, h.bound, h.dropped)
	}
	if d.Err() != nil || n == 0 {
		return
	}
	h.decodeBins(d, n)
	if d.Err() != nil {
		*h = Histogram{}
		return
	}
	if h.few() {
		bins := *h
		*h = Histogram{bound: h.bound, even: h.even}
		h.await(&bins)
	} else {
		h.keys.pack()
	}
}

// decodeBins decodes n bins.
func (h *Histogram) decodeBins(d *wire.Decoder, n int) {
	h.keys, h.ones = makeBinKeys(n), make([][2]int64, n)
	zeros, before := d.Count(63), uint64(0)
	highest, largest := ^uint64(0)>>h.shift(), ^uint64(0)>>zeros
	var others otherRows
	for bin := range n {
		step := d.Uint()
		key := before + step<<zeros
		if step > largest || bin > 0 && key <= before || key > highest {
			d.Fail("histogram: keys do not increase, or are too large")
		}
		h.keys.add(key)
		if h.ones[bin] = decodeRows(d, &others); !others.empty() {
			h.weighted()[bin], others = others, otherRows{}
		}
		if d.Err() != nil {
			return
		}
		before = key
	}
}

// decodeRows decodes the examples of a bin. A bin without examples is an error. Examples with a
// weight other than 1 are added to others, which must be empty.
func decodeRows(d *wire.Decoder, others *otherRows) (ones [2]int64) {
	switch v := d.Uint(); {
	case v < singleOther:
		ones[v] = 1
	case v < moreRows:
		others[v-singleOther].Add(d.Float())
	default:
		ones[0] = decodeClass(d, v-moreRows, &others[0])
		ones[1] = decodeClass(d, d.Uint(), &others[1])
		if ones == [2]int64{} && others.empty() {
			d.Fail("a bin without examples")
		}
	}
	return ones
}

// decodeClass decodes the examples of one class of a bin; v is the number of the class.
func decodeClass(d *wire.Decoder, v uint64, others *exact.Weights) (ones int64) {
	if v&hasOthers != 0 {
		if others.Decode(d); others.Empty() {
			d.Fail("a bin has no weight but 1 where there should be others")
		}
	}
	return int64(v >> 1)
}
