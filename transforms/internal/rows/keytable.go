package rows

// keyTable numbers keys from 0 on, in order of first appearance: a hash table with
// linear probing, at most half full.
type keyTable struct {
	groups    int
	used      int    // slots
	slots     []slot // a power of two
	spare     []slot // memory for the next slots
	nullGroup int32  // plus one; 0: none yet
}

type slot struct {
	key   uint64
	group int32 // plus one; 0: free
}

const leastSlots = 64

func (t *keyTable) reset() {
	t.slots = resize(t.slots, leastSlots)
	clear(t.slots)
	t.groups, t.used, t.nullGroup = 0, 0, 0
}

// null returns the number of the key that is null.
func (t *keyTable) null() int32 {
	if t.nullGroup == 0 {
		t.groups++
		t.nullGroup = int32(t.groups)
	}
	return t.nullGroup - 1
}

// group returns the number of a key.
func (t *keyTable) group(key uint64) int32 {
	s := t.find(key)
	if s.group == 0 {
		if 2*t.used >= len(t.slots) {
			t.grow()
			s = t.find(key)
		}
		t.groups++
		t.used++
		*s = slot{key, int32(t.groups)}
	}
	return s.group - 1
}

// find returns the slot of a key, or the free one where it belongs.
func (t *keyTable) find(key uint64) *slot {
	mask := uint64(len(t.slots) - 1)
	for i := mix(key) & mask; ; i = (i + 1) & mask {
		if s := &t.slots[i]; s.group == 0 || s.key == key {
			return s
		}
	}
}

func (t *keyTable) grow() {
	old := t.slots
	t.slots = resize(t.spare, 2*len(old))
	clear(t.slots)
	for _, s := range old {
		if s.group != 0 {
			*t.find(s.key) = s
		}
	}
	t.spare = old
}
