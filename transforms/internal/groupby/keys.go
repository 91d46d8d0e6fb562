package groupby

import "github.com/beameval/beameval/internal/hash"

// Keys numbers distinct keys (see Key) from 0 in order of their first occurrence. The zero value is
// ready to use.
type Keys struct {
	table []keyNumber // open addressing; the length is a power of 2
	count int32
}

// keyNumber is a key and its number plus one; 0 marks a free entry.
type keyNumber struct {
	key    uint64
	number int32
}

// Len returns the number of distinct keys.
func (k *Keys) Len() int { return int(k.count) }

// Reset removes all keys. It takes time in proportion to their number.
func (k *Keys) Reset() {
	if len(k.table) > 8*int(k.count)+leastKeys {
		k.table = nil
	}
	clear(k.table)
	k.count = 0
}

// Number returns the number of a key. It adds the key if it is new.
func (k *Keys) Number(key uint64) int32 {
	if 2*int(k.count) >= len(k.table) {
		k.grow()
	}
	at := k.place(key)
	if at.number == 0 {
		k.count++
		*at = keyNumber{key, k.count}
	}
	return at.number - 1
}

// place returns the table entry of a key, which is free if the key is not in the table. It uses the
// low bits of a hash, because the keys may have been selected by the high bits.
func (k *Keys) place(key uint64) *keyNumber {
	mask := uint64(len(k.table) - 1)
	i := hash.Mix(key) & mask
	for k.table[i].number != 0 && k.table[i].key != key {
		i = (i + 1) & mask
	}
	return &k.table[i]
}

// leastKeys is the smallest length of a table.
const leastKeys = 64

func (k *Keys) grow() {
	old := k.table
	k.table = make([]keyNumber, max(2*len(old), leastKeys))
	for _, n := range old {
		if n.number != 0 {
			*k.place(n.key) = n
		}
	}
}
