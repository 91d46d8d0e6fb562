package fields

import (
	"iter"
	"slices"
)

// denseKeys is the number of keys that are indices of a slice. The values of larger keys are in a
// map, so that memory grows with the keys that occur and not with the number of labels.
const denseKeys = 1024

// Monoid is the part of a statistic that belongs to one key, which is also a commutative monoid. It
// is empty until something is added or merged.
type Monoid[T any] interface {
	Record[T]
	Empty() bool
}

// Keyed maps integers (a label, a pair of classes, a bin) to monoids. Most statistics consist of
// one, and use it to merge and encode.
type Keyed[T any, P Monoid[T]] struct {
	dense  []T
	sparse map[uint64]P
	spare  []T // allocated in advance for further keys, instead of millions of times one by one
}

// Value returns the value of a key, which it adds if necessary. The pointer is valid until the next
// call.
func (c *Keyed[T, P]) Value(key uint64) P {
	if key < uint64(len(c.dense)) {
		return &c.dense[key]
	}
	return c.make(key)
}

func (c *Keyed[T, P]) make(key uint64) P {
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

// Cover makes room for all keys below n, which are about to be added: growing for one after the other would
// take more time and memory.
func (c *Keyed[T, P]) Cover(n uint64) {
	if n = min(n, denseKeys); n > uint64(len(c.dense)) {
		c.make(n - 1)
	}
}

// Lookup returns the value of a key, or nil if there is none.
func (c *Keyed[T, P]) Lookup(key uint64) P {
	if key < uint64(len(c.dense)) {
		return &c.dense[key]
	}
	return c.sparse[key]
}

// keys returns the keys of the nonempty values, in order.
func (c *Keyed[T, P]) keys() []uint64 {
	keys := make([]uint64, 0, len(c.dense)+len(c.sparse))
	for key := range c.dense {
		if !P(&c.dense[key]).Empty() {
			keys = append(keys, uint64(key))
		}
	}
	dense := len(keys)
	for key, p := range c.sparse {
		if !p.Empty() {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys[dense:])
	return keys
}

// All yields the nonempty values, by increasing key.
func (c *Keyed[T, P]) All() iter.Seq2[uint64, P] {
	return func(yield func(uint64, P) bool) {
		for _, key := range c.keys() {
			if !yield(key, c.Lookup(key)) {
				return
			}
		}
	}
}

// Size returns the number of nonempty values.
func (c *Keyed[T, P]) Size() int { return len(c.keys()) }

// Below reports whether all keys are less than limit.
func (c *Keyed[T, P]) Below(limit uint64) bool {
	for key := range c.sparse {
		if key >= limit {
			return false
		}
	}
	return uint64(len(c.dense)) <= limit
}

// Fields visits the values and, if they are encoded, their keys.
func (c *Keyed[T, P]) Fields(v *Visitor, from *Keyed[T, P]) {
	switch {
	case v.merging, v.removing:
		c.merge(v, from)
	case v.Coder != nil:
		c.code(v)
	default:
		clear(c.dense)
		clear(c.sparse)
	}
}

// Rekeyed returns a copy whose keys are what of returns for them. They may be in another order, and must not be fewer.
func (c *Keyed[T, P]) Rekeyed(of func(key uint64) uint64) (to Keyed[T, P]) {
	v := Merging()
	for key, p := range c.All() {
		to.Value(of(key)).Fields(v, (*T)(p))
	}
	return to
}

// merge merges or removes the values, in any order, because both are exact.
func (c *Keyed[T, P]) merge(v *Visitor, from *Keyed[T, P]) {
	if n := len(from.dense); n > 0 {
		c.Value(uint64(n - 1))
	}
	for key := range from.dense {
		if p := P(&from.dense[key]); !p.Empty() {
			P(&c.dense[key]).Fields(v, (*T)(p))
		}
	}
	for key, p := range from.sparse {
		if !p.Empty() {
			c.Value(key).Fields(v, (*T)(p))
		}
	}
}

// code encodes or decodes the keys and the values.
func (c *Keyed[T, P]) code(v *Visitor) {
	if v.Reading() {
		*c = Keyed[T, P]{}
	}
	v.Keys(c.keys(), func(key uint64) (empty bool) {
		p := c.Value(key)
		p.Fields(v, (*T)(p))
		return p.Empty()
	})
}

// Keys encodes keys, or decodes others, each followed by what value visits for it. Keys must increase,
// and no value may be empty.
func (v *Visitor) Keys(keys []uint64, value func(key uint64) (empty bool)) {
	n, last := v.Length(len(keys)), uint64(0)
	for i := 0; i < n && !v.Failed(); i++ {
		var step uint64
		if !v.Reading() {
			step = keys[i] - last
		}
		v.Uint(&step)
		key := last + step
		if i > 0 && key <= last {
			v.Fail("keys do not increase")
		}
		if value(key) {
			v.Fail("nothing has key %d", key)
		}
		last = key
	}
}
