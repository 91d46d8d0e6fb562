package batches

import "github.com/beameval/beameval/transforms/internal/groupby"

// Pairs numbers pairs of numbers from 0, in order of their first occurrence.
type Pairs struct {
	small   [smallPair * smallPair]int32 // pairs of small numbers: number + 1, or 0 if the pair has not occurred
	numbers groupby.Keys
	pairs   []uint64 // by number
}

// smallPair is the bound below which numbers are looked up in a table.
const smallPair = 64

// Number returns the number of a pair.
func (p *Pairs) Number(a, b int32) int32 {
	if uint32(a|b) < smallPair && p.small[a*smallPair+b] > 0 {
		return p.small[a*smallPair+b] - 1
	}
	return p.number(a, b)
}

func (p *Pairs) number(a, b int32) int32 {
	pair := uint64(uint32(a))<<32 | uint64(uint32(b))
	n := p.numbers.Number(pair)
	if int(n) == len(p.pairs) {
		p.pairs = append(p.pairs, pair)
	}
	if uint32(a|b) < smallPair {
		p.small[a*smallPair+b] = n + 1
	}
	return n
}

// Pair returns the pair with a number.
func (p *Pairs) Pair(n int32) (a, b int32) {
	pair := p.pairs[n]
	return int32(pair >> 32), int32(uint32(pair))
}
