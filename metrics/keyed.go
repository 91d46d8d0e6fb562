package metrics

import (
	"iter"
	"maps"
	"slices"

	"github.com/beameval/beameval/internal/wire"
)

// denseKeys is how many keys are indices of a slice. The values of larger keys are in a
// map, so that memory grows with the keys that occur and not with the number of labels.
const denseKeys = 1024

// monoid is what a statistic keeps for one key: a commutative monoid, too.
type monoid[T any] interface {
	*T
	Empty() bool
	Merge(*T)
	Append([]byte) []byte
	Decode(*wire.Decoder)
}

// keyed maps integers (a label, a pair of classes, a bin) to monoids. Most statistics are
// made of it, and are merged and encoded by it.
type keyed[T any, P monoid[T]] struct {
	dense  []T
	sparse map[uint64]P
	spare  []T // allocated for later keys, so that millions are not allocated one by one
}

// value returns the value of a key, which it adds if there is none. The pointer is valid
// until the next call.
func (c *keyed[T, P]) value(key uint64) P {
	if key < uint64(len(c.dense)) {
		return &c.dense[key]
	}
	return c.make(key)
}

func (c *keyed[T, P]) make(key uint64) P {
	if key < denseKeys {
		c.dense = slices.Grow(c.dense, int(key)+1-len(c.dense))[:key+1]
		return &c.dense[key]
	}
	p := c.sparse[key]
	if p == nil {
		if c.sparse == nil {
			c.sparse = make(map[uint64]P)
		}
		if len(c.spare) == 0 {
			c.spare = make([]T, min(max(len(c.sparse), 1), denseKeys))
		}
		p, c.spare = &c.spare[0], c.spare[1:]
		c.sparse[key] = p
	}
	return p
}

// lookup returns the value of a key, or nil.
func (c *keyed[T, P]) lookup(key uint64) P {
	if key < uint64(len(c.dense)) {
		return &c.dense[key]
	}
	return c.sparse[key]
}

// all yields the values that are not empty, by increasing key.
func (c *keyed[T, P]) all() iter.Seq2[uint64, P] {
	return c.with(func(yield func(uint64, P) bool) {
		for _, key := range slices.Sorted(maps.Keys(c.sparse)) {
			if !yield(key, c.sparse[key]) {
				return
			}
		}
	})
}

// unordered is all, in any order: for sums, which are exact, the keys need not be sorted.
func (c *keyed[T, P]) unordered() iter.Seq2[uint64, P] { return c.with(maps.All(c.sparse)) }

// with yields the values that are not empty: those of dense, then those that sparse yields.
func (c *keyed[T, P]) with(sparse iter.Seq2[uint64, P]) iter.Seq2[uint64, P] {
	return func(yield func(uint64, P) bool) {
		for key := range c.dense {
			if p := P(&c.dense[key]); !p.Empty() && !yield(uint64(key), p) {
				return
			}
		}
		for key, p := range sparse {
			if !p.Empty() && !yield(key, p) {
				return
			}
		}
	}
}

// size returns how many values are not empty.
func (c *keyed[T, P]) size() int {
	n := 0
	for range c.unordered() {
		n++
	}
	return n
}

// below reports whether all keys are less than limit.
func (c *keyed[T, P]) below(limit uint64) bool {
	for key := range c.sparse {
		if key >= limit {
			return false
		}
	}
	return uint64(len(c.dense)) <= limit
}

func (c *keyed[T, P]) mergeKeyed(from *keyed[T, P]) {
	for key, p := range from.unordered() { // merging is exact
		c.value(key).Merge((*T)(p))
	}
}

func (c *keyed[T, P]) Append(dst []byte) []byte {
	dst = wire.AppendUint(dst, uint64(c.size()))
	last := uint64(0)
	for key, p := range c.all() {
		dst = wire.AppendUint(dst, key-last)
		dst = p.Append(dst)
		last = key
	}
	return dst
}

func (c *keyed[T, P]) Decode(d *wire.Decoder) {
	*c = keyed[T, P]{}
	last := uint64(0)
	for i := range d.Elements() {
		key := last + d.Uint()
		if i > 0 && key <= last {
			d.Fail("keys do not increase")
		}
		if d.Err() != nil {
			return
		}
		c.value(key).Decode(d)
		last = key
	}
}

func (c *keyed[T, P]) Reset() {
	clear(c.dense)
	clear(c.sparse)
}
