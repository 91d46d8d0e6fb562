package rows

import "github.com/beameval/beameval/internal/hash"

// Keys numbers distinct keys, see Key, as they are met, from 0 on. The zero value is ready
// for use.
type Keys struct {
	table []keyNumber // open addressing; the length is a power of 2
	count int32
}

// keyNumber is a key and one more than its number; 0: there is none.
type keyNumber struct {
	key    uint64
	number int32
}

// Len returns how many keys were met.
func (k *Keys) Len() int { return int(k.count) }

// Reset forgets all keys. It takes time in proportion to their number.
func (k *Keys) Reset() {
	if len(k.table) > 8*int(k.count)+leastKeys {
		k.table = nil
	}
	clear(k.table)
	k.count = 0
}

// Number returns the number of a key, which is the number of keys before if it is new.
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

// place returns the place of a key in the table, free if the table has not got the key. It
// goes by the low bits of a hash: keys may have been chosen by the high ones.
func (k *Keys) place(key uint64) *keyNumber {
	mask := uint64(len(k.table) - 1)
	i := hash.Mix(key) & mask
	for k.table[i].number != 0 && k.table[i].key != key {
		i = (i + 1) & mask
	}
	return &k.table[i]
}

// leastKeys is the least length of a table.
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
