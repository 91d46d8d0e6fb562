package curves

import (
	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/exact"
)

// Pairs counts, for the scores of one class, the pairs of an example of that
// class and one of another in which the former has the higher score; ties count
// one half, and a pair weighs the product of its weights. It counts separately
// for each other class. The zero Pairs is empty and ready to use.
type Pairs struct {
	won []exact.Sum // twice the pairs, by the other class
}

// maxClasses bounds what a wrong class can take of memory.
const maxClasses = 1 << 24

// Add adds the examples of another class that have some score: their weight,
// and the weight of the examples of the class itself with higher scores, and
// with that score or higher ones.
func (p *Pairs) Add(other int, weight, above, atOrAbove float64) {
	if other < 0 || other >= maxClasses {
		return
	}
	p.grow(other + 1)
	p.won[other].AddProduct(weight, above)
	p.won[other].AddProduct(weight, atOrAbove)
}

func (p *Pairs) grow(classes int) {
	if missing := classes - len(p.won); missing > 0 {
		p.won = append(p.won, make([]exact.Sum, missing)...)
	}
}

// Merge adds the pairs of from, which it leaves as they are.
func (p *Pairs) Merge(from *Pairs) {
	p.grow(len(from.won))
	for i := range from.won {
		p.won[i].Merge(&from.won[i])
	}
}

// Append appends the canonical encoding.
func (p *Pairs) Append(dst []byte) []byte {
	n := len(p.won)
	for n > 0 && p.won[n-1].Empty() {
		n--
	}
	dst = wire.AppendUint(dst, uint64(n))
	for i := range n {
		dst = p.won[i].Append(dst)
	}
	return dst
}

// Decode replaces p by what Append wrote.
func (p *Pairs) Decode(d *wire.Decoder) {
	*p = Pairs{won: make([]exact.Sum, d.Elements())}
	for i := range p.won {
		p.won[i].Decode(d)
	}
}

// Won returns the weight of the pairs with another class.
func (p *Pairs) Won(other int) float64 {
	if other < 0 || other >= len(p.won) {
		return 0
	}
	return p.won[other].Float64() / 2
}
