package curves

import (
	"github.com/beameval/beameval/internal/wire"
)

// Append appends the canonical encoding.
func (b *Bins) Append(dst []byte) []byte {
	dst = wire.AppendUint(dst, uint64(len(b.numbers)))
	before := uint16(0)
	for i, number := range b.numbers {
		dst = wire.AppendUint(dst, uint64(number-before))
		dst = appendRows(dst, b.ones[i], b.rowsOf(i))
		before = number
	}
	dst = wire.AppendUint(dst, uint64(len(b.scores)))
	before = 0
	for _, s := range b.scores {
		dst = wire.AppendUint(dst, uint64(s.number-before))
		dst = wire.AppendFloat(wire.AppendFloat(dst, s.lowest), s.highest)
		before = s.number
	}
	return dst
}

// Decode replaces b with the Bins that Append encoded.
func (b *Bins) Decode(d *wire.Decoder) {
	*b = Bins{}
	eachNumber(d, func(i int, number uint16) {
		var others otherRows
		b.numbers, b.ones = append(b.numbers, number), append(b.ones, decodeRows(d, &others))
		if b.others != nil {
			b.others = append(b.others, others)
		} else if !others.empty() {
			b.weighted()[i] = others
		}
	})
	eachNumber(d, func(_ int, number uint16) {
		s := scoresOfBin{number, d.Float(), d.Float()}
		if !(s.lowest <= s.highest) {
			d.Fail("a bin from %v to %v", s.lowest, s.highest)
		}
		b.scores = append(b.scores, s)
	})
	if d.Err() != nil {
		*b = Bins{}
	}
}

// eachNumber decodes a list of bins with increasing numbers. each decodes what follows the number
// of a bin.
func eachNumber(d *wire.Decoder, each func(i int, number uint16)) {
	number := 0
	for i := range d.Elements() {
		step := d.Count(mostBins)
		if number += step; number >= mostBins || i > 0 && step == 0 {
			d.Fail("the numbers of bins do not increase, or are too large")
		}
		if d.Err() != nil {
			return
		}
		each(i, uint16(number))
	}
}
