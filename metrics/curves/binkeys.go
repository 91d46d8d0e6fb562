package curves

import (
	"iter"
	"math/bits"
	"slices"
)

// binKeys are the keys of the bins of a histogram: increasing numbers, whose places are 0, 1, 2 … Those of few bins, or of bins
// far from each other, are a list. Otherwise they come in blocks of 64 consecutive numbers, each of which has a bit: as most
// keys are close to each other, there are few blocks. They take little memory, and a key is found in the cache.
type binKeys struct {
	n      int
	list   []uint64   // the keys, unless there are blocks
	blocks []keyBlock // nil if there is a list
	index  []int32    // a hash table of the list or of the blocks, with open addressing, at most half full: places + 1, or 0. nil before find
	shift  int        // takes a hash to a slot of the index
}

// keyBlock has the keys 64*number + i for each bit i that is set.
type keyBlock struct {
	number, keys uint64
	first        int32 // place of the first key
}

// keysPerBlock is how many keys a block has room for.
const keysPerBlock = 64

// makeBinKeys returns no keys, with room for n.
func makeBinKeys(n int) binKeys { return binKeys{list: make([]uint64, 0, n)} }

// add adds a key that is larger than all there are. pack is to be called after all.
func (k *binKeys) add(key uint64) {
	k.list = append(k.list, key)
	k.n++
}

// pack turns the list into blocks if they take less memory.
func (k *binKeys) pack() {
	n := 0
	for i, key := range k.list {
		if i == 0 || key/keysPerBlock != k.list[i-1]/keysPerBlock {
			n++
		}
	}
	if 4*n > k.n { // a block takes as much as three keys, and as much of the index as one
		return
	}
	k.blocks = make([]keyBlock, 0, n)
	for place, key := range k.list {
		number := key / keysPerBlock
		if n := len(k.blocks); n == 0 || k.blocks[n-1].number != number {
			k.blocks = append(k.blocks, keyBlock{number: number, first: int32(place)})
		}
		k.blocks[len(k.blocks)-1].keys |= 1 << (key % keysPerBlock)
	}
	k.list = nil
}

// all yields places and keys.
func (k *binKeys) all() iter.Seq2[int, uint64] {
	if k.blocks == nil {
		return slices.All(k.list)
	}
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

// trailingZeros returns how many of the lowest bits are zero in all keys; 0 if there is none but 0.
func (k *binKeys) trailingZeros() int {
	all := uint64(0)
	for _, key := range k.all() {
		all |= key
	}
	return bits.TrailingZeros64(all) & 63
}

// slice returns the keys, in memory that may be shared.
func (k *binKeys) slice() []uint64 {
	if k.blocks == nil {
		return k.list
	}
	list := make([]uint64, 0, k.n)
	for _, key := range k.all() {
		list = append(list, key)
	}
	return list
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

// find returns the place of a key, or -1. It is called for every example of bounded curves: blocks with an index
// take the short way.
func (k *binKeys) find(key uint64) int {
	if k.blocks == nil || k.index == nil {
		return k.findSlowly(key)
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

// findSlowly is find for a list, and for keys without an index.
func (k *binKeys) findSlowly(key uint64) int {
	switch {
	case k.n == 0:
		return -1
	case k.index == nil:
		k.build()
		return k.find(key)
	}
	for slot := k.slot(key); ; slot = k.after(slot) {
		if i := k.index[slot] - 1; i < 0 || k.list[i] == key {
			return int(i)
		}
	}
}

// build builds the index.
func (k *binKeys) build() {
	n := len(k.list) + len(k.blocks)
	width := bits.Len(uint(2*n + 1))
	k.index, k.shift = make([]int32, 1<<width), 64-width
	for i := range n {
		var number uint64
		if k.blocks == nil {
			number = k.list[i]
		} else {
			number = k.blocks[i].number
		}
		slot := k.slot(number)
		for k.index[slot] != 0 {
			slot = k.after(slot)
		}
		k.index[slot] = int32(i + 1)
	}
}

// slot returns where to start looking for a number (Knuth's multiplicative hash).
func (k *binKeys) slot(number uint64) int { return int(number * 0x9e3779b97f4a7c15 >> k.shift) }

func (k *binKeys) after(slot int) int { return (slot + 1) & (len(k.index) - 1) }
