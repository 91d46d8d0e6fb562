package curves

import (
	"iter"
	"math/bits"
	"slices"
)

// binKeys is the set of the keys of a histogram's bins. It quickly finds the place of a key, which
// is its index in increasing order and the index of its bin. (The places of scores are something
// else: see bins.Place.) After pack, the set never changes. There are two forms. A few keys, or keys
// that are far from each other, are a list. Otherwise they are blocks of 64 consecutive numbers,
// with one bit for each number:
//
//	keys    640  642  643     704
//	blocks  {number: 10, keys: …1101, first: 0}  {number: 11, keys: …0001, first: 3}
//
// Keys are usually close together, so there are few blocks: they take little memory, and a look-up
// stays in the cache.
type binKeys struct {
	n      int
	list   []uint64   // the keys; nil if there are blocks
	blocks []keyBlock // nil if there is a list
	index  []int32    // see build; nil before the first find
	shift  int        // maps a hash to a slot of the index
}

// keyBlock holds the keys 64*number + i, one for each bit i of keys that is set.
type keyBlock struct {
	number, keys uint64
	first        int32 // the place of its first key
}

// keysPerBlock is the number of keys that a block has bits for.
const keysPerBlock = 64

// makeBinKeys returns an empty set with capacity for n keys.
func makeBinKeys(n int) binKeys { return binKeys{list: make([]uint64, 0, n)} }

// add appends a key, which must be larger than all before. Call pack after the last one.
func (k *binKeys) add(key uint64) {
	k.list = append(k.list, key)
	k.n++
}

// pack converts the list to blocks if they take less memory.
func (k *binKeys) pack() {
	n := 0
	for i, key := range k.list {
		if i == 0 || key/keysPerBlock != k.list[i-1]/keysPerBlock {
			n++
		}
	}
	if 4*n > k.n { // a block takes as much memory as three keys, and as much of the index as one
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

// all yields the places and the keys, in order.
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

// trailingZeros returns the number of lowest bits that are zero in all keys, or 0 if there is no
// key other than 0.
func (k *binKeys) trailingZeros() int {
	all := uint64(0)
	for _, key := range k.all() {
		all |= key
	}
	return bits.TrailingZeros64(all) & 63
}

// slice returns the keys, possibly in shared memory: the caller must not modify them.
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

// with yields the places and the keys, merged in order with of(x) for each x of others, for which
// the place is -1. The values of(x) must not decrease. If keys are equal, the one with a place
// comes first.
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

// hasAll reports whether blocks have all keys of other blocks.
func (k *binKeys) hasAll(others *binKeys) bool {
	if k.blocks == nil || others.blocks == nil {
		return false
	}
	i := 0
	for _, b := range others.blocks {
		for i < len(k.blocks) && k.blocks[i].number < b.number {
			i++
		}
		if i == len(k.blocks) || k.blocks[i].number != b.number || b.keys&^k.blocks[i].keys != 0 {
			return false
		}
	}
	return true
}

// placesOf yields the places of the keys of other blocks, all of which k has, and their places there.
func (k *binKeys) placesOf(others *binKeys) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		i := 0
		for _, b := range others.blocks {
			for k.blocks[i].number != b.number {
				i++
			}
			all, place := &k.blocks[i], int(b.first)
			for keys := b.keys; keys != 0; keys &= keys - 1 {
				below := keys&-keys - 1
				if !yield(int(all.first)+bits.OnesCount64(all.keys&below), place) {
					return
				}
				place++
			}
		}
	}
}

// find returns the place of a key, or -1. It is called for every example of bounded curves, so the
// common case of blocks with an index comes first.
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

// findSlowly is find for a list, and for blocks whose index is not built yet.
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

// build builds the index: a hash table of the list or of the blocks, with open addressing, at most
// half full. An entry is a position in the list or the blocks plus one, or 0 if it is free.
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

// slot returns the slot at which the search for a number starts (Knuth's multiplicative hash).
func (k *binKeys) slot(number uint64) int { return int(number * 0x9e3779b97f4a7c15 >> k.shift) }

func (k *binKeys) after(slot int) int { return (slot + 1) & (len(k.index) - 1) }
