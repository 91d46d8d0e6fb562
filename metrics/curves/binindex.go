package curves

import "math/bits"

// index finds bins by their keys. It is a hash table of their places, with open addressing,
// and at most half full. It is empty until it is needed.
type index struct {
	slots []int32 // place + 1, or 0
	shift int     // takes a hash to a slot
}

// forget empties the index, as the bins have new places.
func (x *index) forget() { x.slots = x.slots[:0] }

func (x *index) build(bins []bin) {
	width := bits.Len(uint(2 * len(bins)))
	x.shift = 64 - width
	if size := 1 << width; size <= cap(x.slots) {
		x.slots = x.slots[:size]
		clear(x.slots)
	} else {
		x.slots = make([]int32, size)
	}
	for i := range bins {
		slot := x.slot(bins[i].key)
		for x.slots[slot] != 0 {
			slot = x.after(slot)
		}
		x.slots[slot] = int32(i + 1)
	}
}

// slot returns where to start looking for a key (Knuth's multiplicative hash).
func (x *index) slot(key uint64) int { return int(key * 0x9e3779b97f4a7c15 >> x.shift) }

func (x *index) after(slot int) int { return (slot + 1) & (len(x.slots) - 1) }

// find returns the place of the bin with a key, or -1.
func (x *index) find(key uint64, bins []bin) int {
	if len(x.slots) == 0 {
		x.build(bins)
	}
	for slot := x.slot(key); ; slot = x.after(slot) {
		i := int(x.slots[slot]) - 1
		if i < 0 || bins[i].key == key {
			return i
		}
	}
}
