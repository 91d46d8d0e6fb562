package curves

import "math/bits"

// index finds keys in a list: a hash table of their positions, with open
// addressing and at most a quarter full.
type index struct {
	slots []int32 // position + 1, or 0
	shift int     // takes a hash to a slot
}

func (x *index) build(keys []uint64) {
	width := bits.Len(uint(4 * len(keys)))
	x.shift = 64 - width
	if size := 1 << width; size <= cap(x.slots) {
		x.slots = x.slots[:size]
		clear(x.slots)
	} else {
		x.slots = make([]int32, size)
	}
	for i, key := range keys {
		slot := x.slot(key)
		for x.slots[slot] != 0 {
			slot = x.after(slot)
		}
		x.slots[slot] = int32(i + 1)
	}
}

// slot is where to start looking for a key (Knuth's multiplicative hash).
func (x *index) slot(key uint64) int { return int(key * 0x9e3779b97f4a7c15 >> x.shift) }

func (x *index) after(slot int) int { return (slot + 1) & (len(x.slots) - 1) }

// find returns the position of a key, or -1.
func (x *index) find(key uint64, keys []uint64) int {
	if len(x.slots) == 0 {
		return -1
	}
	for slot := x.slot(key); ; slot = x.after(slot) {
		i := int(x.slots[slot]) - 1
		if i < 0 || keys[i] == key {
			return i
		}
	}
}
