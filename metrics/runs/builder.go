package runs

import (
	"cmp"
	"math/bits"
	"slices"
)

// Builder makes runs of examples. The zero Builder is empty and ready to use.
type Builder struct {
	keys     []key
	weights  []float64
	weighted bool // some weight is not 1
	spare    []key
}

// Add adds an example. Its score is not NaN and its weight is finite. Fewer than 2^32
// examples can wait for AppendRun.
func (b *Builder) Add(score float64, tag uint32, weight float64) {
	b.keys = append(b.keys, key{^Image(score), tag, uint32(len(b.weights))})
	b.weights = append(b.weights, weight+0) // -0 + 0 is 0
	if weight != 1 {
		b.weighted = true
	}
}

// Len returns how many examples wait for AppendRun.
func (b *Builder) Len() int { return len(b.keys) }

// AppendRun appends the run of the examples that wait, and empties the builder, which keeps
// its memory. Entries are sorted by image, descending, then by tag and weight, ascending.
// Examples that agree in all three are one entry. Therefore the bytes do not depend on the
// order in which examples were added.
func (b *Builder) AppendRun(dst []byte) []byte {
	b.sort()
	block := make([]Entry, 0, blockSize)
	for i, k := range b.keys {
		weight := 1.0
		if b.weighted {
			weight = b.weights[k.at]
		}
		if n := len(block); n > 0 && i > 0 && k.order == b.keys[i-1].order && k.tag == block[n-1].Tag && weight == block[n-1].Weight {
			block[n-1].Count++
			continue
		}
		if len(block) == blockSize {
			dst = appendBlock(dst, block)
			block = block[:0]
		}
		block = append(block, Entry{^k.order, weight, k.tag, 1})
	}
	if len(block) > 0 {
		dst = appendBlock(dst, block)
	}
	b.keys, b.weights, b.weighted = b.keys[:0], b.weights[:0], false
	return dst
}

// sort sorts the keys.
func (b *Builder) sort() {
	if len(b.spare) < len(b.keys) {
		b.spare = make([]key, cap(b.keys))
	}
	sortByOrder(b.keys, b.spare)
	weights := b.weights
	if !b.weighted {
		weights = nil
	}
	for rest := b.keys; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].order == rest[0].order {
			n++
		}
		if n > 1 {
			sortTies(rest[:n], b.spare, weights)
		}
		rest = rest[n:]
	}
}

// key is what an example is sorted by.
type key struct {
	order uint64 // sorted first, ascending
	tag   uint32
	at    uint32 // which row
}

const (
	digitBits = 11
	// sortedBits is how many of the bits that differ radix sort looks at. Few keys agree
	// in so many bits, unless they are equal.
	sortedBits = 3 * digitBits
	// Fewer keys are sorted by comparing them.
	fewKeys = 200
)

// sortByOrder sorts keys by their order alone. spare is room for as many keys, and is
// overwritten.
func sortByOrder(keys, spare []key) {
	if len(keys) < fewKeys {
		sortFew(keys)
		return
	}
	var differ uint64
	for i := range keys {
		differ |= keys[i].order ^ keys[0].order
	}
	high, low := bits.Len64(differ), bits.TrailingZeros64(differ)
	exact := high-low <= sortedBits
	if !exact {
		low = high - sortedBits
	}
	from, to := keys, spare[:len(keys)]
	for shift := low; shift < high; shift += digitBits {
		scatter(to, from, shift)
		from, to = to, from
	}
	if &from[0] != &keys[0] {
		copy(keys, from)
	}
	if exact {
		return
	}
	for len(keys) > 0 {
		n := 1
		for n < len(keys) && keys[n].order>>low == keys[0].order>>low {
			n++
		}
		if n > 1 {
			sortByOrder(keys[:n], spare)
		}
		keys = keys[n:]
	}
}

// scatter sorts by one digit, keeping the order of keys that agree in it.
func scatter(to, from []key, shift int) {
	var places [1 << digitBits]uint32
	for i := range from {
		places[from[i].order>>shift%(1<<digitBits)]++
	}
	next := uint32(0)
	for i, n := range places {
		places[i] = next
		next += n
	}
	for i := range from {
		place := &places[from[i].order>>shift%(1<<digitBits)]
		to[*place] = from[i]
		*place++
	}
}

// sortFew sorts few keys by their order.
func sortFew(keys []key) {
	if len(keys) > 12 {
		slices.SortFunc(keys, func(a, b key) int { return cmp.Compare(a.order, b.order) })
		return
	}
	for i := 1; i < len(keys); i++ {
		k := keys[i]
		j := i
		for ; j > 0 && keys[j-1].order > k.order; j-- {
			keys[j] = keys[j-1]
		}
		keys[j] = k
	}
}

// sortTies sorts keys of the same order by tag and then by weight. If weights is nil, all
// weights are 1.
func sortTies(keys, spare []key, weights []float64) {
	order := keys[0].order
	for i := range keys {
		keys[i].order = uint64(keys[i].tag)
	}
	sortByOrder(keys, spare)
	if weights != nil {
		for rest := keys; len(rest) > 0; {
			n := 1
			for n < len(rest) && rest[n].tag == rest[0].tag {
				n++
			}
			if n > 1 {
				sortByWeight(rest[:n], spare, weights)
			}
			rest = rest[n:]
		}
	}
	for i := range keys {
		keys[i].order = order
	}
}

func sortByWeight(keys, spare []key, weights []float64) {
	for i := range keys {
		keys[i].order = Image(weights[keys[i].at])
	}
	sortByOrder(keys, spare)
}
