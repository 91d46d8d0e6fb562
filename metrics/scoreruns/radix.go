package scoreruns

import (
	"cmp"
	"math/bits"
	"slices"
)

const (
	// digitBits is the largest number of bits of a digit: small enough for the table of its places
	// to fit in the fastest cache, which two workers may share.
	digitBits = 11
	// sortedBits is the number of differing bits that the radix sort uses. Few keys agree in so
	// many bits unless they are equal.
	sortedBits = 36
	// fewKeys is the number of keys below which comparing them is faster.
	fewKeys = 200
)

// sortByOrder sorts keys by their order alone. It overwrites spare, which must have room for as
// many keys.
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
	digits := (high - low + digitBits - 1) / digitBits
	width := (high - low + digits - 1) / max(digits, 1)
	from, to := keys, spare[:len(keys)]
	for shift := low; shift < high; shift += width {
		scatter(to, from, shift, width)
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

// scatter sorts by one digit. Keys that agree in it keep their order.
func scatter(to, from []key, shift, width int) {
	var places [1 << digitBits]uint32
	mask := uint64(1)<<width - 1
	for i := range from {
		places[from[i].order>>(shift%64)&mask%(1<<digitBits)]++
	}
	next := uint32(0)
	for i, n := range places[:mask+1] {
		places[i] = next
		next += n
	}
	for i := range from {
		place := &places[from[i].order>>(shift%64)&mask%(1<<digitBits)]
		to[*place] = from[i]
		*place++
	}
}

// sortFew sorts a few keys by their order.
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
