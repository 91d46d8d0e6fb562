package curves

import (
	"math"
	"math/bits"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/scoreruns"
)

// append appends the encoding, except for the totals. It includes the ends of the ranges that were
// merged, which drawings omit: if a curve was cut in two ways, the encodings may differ.
//
// Outlines are most of what travels between workers, so each point is encoded as the difference
// from its predecessor. Scores that were float32 are multiples of a power of two: the bits that are
// 0 in all differences are left out.
func (o *Outline) append(dst []byte) []byte {
	o.tidy()
	dst = wire.AppendUint(dst, uint64(o.lines))
	dst = wire.AppendUint(dst, uint64(len(o.kept)))
	if len(o.kept) == 0 {
		return dst
	}
	image := scoreruns.Image(o.kept[0].Score)
	shift, counts := o.shift(), o.counts()
	dst = append(wire.AppendUint(dst, image), byte(shift), counts)
	var before Point
	for _, p := range o.kept {
		next := scoreruns.Image(p.Score)
		dst = wire.AppendUint(dst, (image-next)>>shift)
		if counts == 1 {
			dst = wire.AppendUint(wire.AppendUint(dst, uint64(p.TP-before.TP)), uint64(p.FP-before.FP))
		} else {
			dst = wire.AppendFloat(wire.AppendFloat(dst, p.TP), p.FP)
		}
		image, before = next, p
	}
	return dst
}

// shift returns the number of lowest bits that are 0 in all differences of images of scores.
func (o *Outline) shift() int {
	all := uint64(1 << 63)
	for i := 1; i < len(o.kept); i++ {
		all |= scoreruns.Image(o.kept[i-1].Score) - scoreruns.Image(o.kept[i].Score)
	}
	return bits.TrailingZeros64(all)
}

// most is the largest count: all integers up to it are float64s.
const most = 1 << 53

// counts returns 1 if the weights of all points are counts that never decrease, and 0 otherwise.
func (o *Outline) counts() byte {
	var before Point
	for _, p := range o.kept {
		if !(p.TP >= before.TP && p.FP >= before.FP && p.TP <= most && p.FP <= most && p.TP == math.Trunc(p.TP) && p.FP == math.Trunc(p.FP)) {
			return 0
		}
		before = p
	}
	return 1
}

// decode replaces o with the outline that append encoded, on a curve with the same totals.
func (o *Outline) decode(d *wire.Decoder) {
	*o = Outline{totals: o.totals, lines: d.Count(math.MaxInt32)}
	if o.lines == 0 && o.totals != (Totals{}) {
		d.Fail("the outline of a curve on a grid without lines")
	}
	n := d.Elements()
	if n == 0 {
		return
	}
	image, shift, counts := d.Uint(), d.Count(63), d.Count(1) == 1
	var p Point
	for range n {
		step := d.Uint()
		if step > image>>shift {
			d.Fail("scores of an outline that no image has")
		}
		image -= step << shift
		p.Score = scoreruns.Score(image)
		if counts {
			p.TP, p.FP = p.TP+float64(d.Count(most)), p.FP+float64(d.Count(most))
		} else {
			p.TP, p.FP = d.Float(), d.Float()
		}
		if p != p || o.lines == 0 {
			d.Fail("a point that is NaN, or of no curve")
		}
		if d.Err() != nil {
			return
		}
		o.kept = append(o.kept, p)
	}
	o.tidy()
}
