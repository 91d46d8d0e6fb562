package curves

import (
	"iter"
	"math/bits"
)

// binKeys are the keys of the bins of a histogram: increasing numbers, whose places are 0, 1, 2 … They come in
// blocks of 64 consecutive numbers, each of which has a bit. As most keys are close to each other, there are few
// blocks: they take little memory, and a key is found in the cache.
type binKeys struct {
	n      int
	blocks []keyBlock
	index  []int32 // a hash table of the blocks, with open addressing, at most half full: places + 1, or 0
	shift  int     // takes a hash to a slot of the index
}

// keyBlock has the keys 64*number + i for each bit i that is set.
type keyBlock struct {
	number, keys uint64
	first        int32 // place of the first key
}

// keysPerBlock is how many keys a block has room for.
const keysPerBlock = 64

// add adds a key, unless it is the largest there is; none is larger. build is to be called after all.
func (k *binKeys) add(key uint64) {
	number, bit := key/keysPerBlock, uint64(1)<<(key%keysPerBlock)
	if n := len(k.blocks); n == 0 || k.blocks[n-1].number != number {
		k.blocks = append(k.blocks, keyBlock{number: number, first: int32(k.n)})
	}
	if b := &k.blocks[len(k.blocks)-1]; b.keys&bit == 0 {
		b.keys |= bit
		k.n++
	}
}

// all yields places and keys.
func (k *binKeys) all() iter.Seq2[int, uint64] {
	return func(yield func(int, uint64) bool) {
		for _, b := range k.blocks {
			place := int(b.first)
			for keys := b.keys; keys != 0; keys &= keys - 1 {
				if !yield(place, b.number*keysPerBlock+uint64(bits.TrailingZeros64(keys))) {
					return
				}
				place++
			}
		}
	}
}

// with yields places and keys together with other keys, whose place is -1, in order: what of says of others, which do
// not decrease. Of equal keys that with a place is the first.
func (k *binKeys) with(others []uint64, of func(uint64) uint64) iter.Seq2[int, uint64] {
	return func(yield func(int, uint64) bool) {
		rest := others
		for place, key := range k.all() {
			for ; len(rest) > 0; rest = rest[1:] {
				other := of(rest[0])
				if other >= key {
					break
				}
				if !yield(-1, other) {
					return
				}
			}
			if !yield(place, key) {
				return
			}
		}
		for _, other := range rest {
			if !yield(-1, of(other)) {
				return
			}
		}
	}
}

// find returns the place of a key, or -1.
func (k *binKeys) find(key uint64) int {
	if k.n == 0 {
		return -1
	}
	number := key / keysPerBlock
	for slot := k.slot(number); ; slot = k.after(slot) {
		i := k.index[slot]
		if i == 0 {
			return -1
		}
		if b := &k.blocks[i-1]; b.number == number {
			bit := uint64(1) << (key % keysPerBlock)
			if b.keys&bit == 0 {
				return -1
			}
			return int(b.first) + bits.OnesCount64(b.keys&(bit-1))
		}
	}
}

// build builds the index, so that find can be called.
func (k *binKeys) build() {
	width := bits.Len(uint(2*len(k.blocks) + 1))
	k.index, k.shift = make([]int32, 1<<width), 64-width
	for i := range k.blocks {
		slot := k.slot(k.blocks[i].number)
		for k.index[slot] != 0 {
			slot = k.after(slot)
		}
		k.index[slot] = int32(i + 1)
	}
}

// slot returns where to start looking for a block (Knuth's multiplicative hash).
func (k *binKeys) slot(number uint64) int { return int(number * 0x9e3779b97f4a7c15 >> k.shift) }

func (k *binKeys) after(slot int) int { return (slot + 1) & (len(k.index) - 1) }
