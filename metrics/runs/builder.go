package runs

import (
	"iter"
	"math"
	"math/bits"
)

// Builder makes runs of examples. The zero Builder is empty and ready to use.
type Builder struct {
	entries
	slots []uint32 // room for join
}

// entries are entries in any order.
type entries struct {
	list    []entry
	weights []float64 // none if all are 1
	counts  []uint32  // none if all are 1
}

// entry is what every entry has.
type entry struct {
	image      uint64
	label, tag uint32
}

// Add adds an example. Its score is not NaN and its weight is finite. Fewer than 2^32
// examples can wait for AppendRun.
func (b *Builder) Add(image uint64, label, tag uint32, weight float64) {
	if weight != 1 || len(b.weights) > 0 {
		b.weights = append(onesTo(b.weights, len(b.list)), weight+0) // -0 + 0 is 0
	}
	b.list = append(b.list, entry{image, label, tag})
}

// Waiting returns the examples that wait for AppendRun.
func (b *Builder) Waiting() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for i, e := range b.list {
			weight := 1.0
			if len(b.weights) > 0 {
				weight = b.weights[i]
			}
			if !yield(Entry{Image: e.image, Weight: weight, Label: e.label, Tag: e.tag, Count: 1}) {
				return
			}
		}
	}
}

// Len returns how many examples wait for AppendRun.
func (b *Builder) Len() int { return len(b.list) }

// AppendRun appends the run of the examples that wait, and empties the builder, which keeps
// its memory. Examples that agree in everything are one entry, if there are many of them.
func (b *Builder) AppendRun(dst []byte) []byte {
	if b.repetitive() {
		b.join()
	}
	for from := 0; from < len(b.list); from += blockSize {
		dst = appendBlock(dst, b.slice(from, min(from+blockSize, len(b.list))))
	}
	b.list, b.weights, b.counts = b.list[:0], b.weights[:0], b.counts[:0]
	return dst
}

func (e *entries) slice(from, to int) entries {
	part := entries{list: e.list[from:to]}
	if len(e.weights) > 0 {
		part.weights = e.weights[from:to]
	}
	if len(e.counts) > 0 {
		part.counts = e.counts[from:to]
	}
	return part
}

// repetitive says whether there are, by a sample, at least twice as many examples as entries:
// among s examples of D equally frequent kinds, about s²/2D repeat an earlier one. s is 4√n, so
// that 16 of them decide.
func (b *Builder) repetitive() bool {
	n := len(b.list)
	step := max(int(math.Sqrt(float64(n))/4), 1)
	repeated := 0
	table := b.table((n + step - 1) / step)
	for i := 0; i < n; i += step {
		if _, met := table.place(&b.entries, i); met {
			repeated++
		}
	}
	s := (n + step - 1) / step
	return repeated*n > s*s
}

// join makes one entry of the examples that agree in everything.
func (b *Builder) join() {
	table := b.table(len(b.list))
	n := 0
	for i := range b.list { // entries up to n are done
		if b.list[n] = b.list[i]; len(b.weights) > 0 {
			b.weights[n] = b.weights[i]
		}
		if at, met := table.place(&b.entries, n); met {
			b.counts[at]++
			continue
		}
		b.counts = append(b.counts, 1)
		n++
	}
	b.list, b.weights = b.list[:n], b.weights[:min(n, len(b.weights))]
}

// places is a hash table of the places of entries, from 1 on, with open addressing. It is at
// most half full.
type places struct {
	slots []uint32
	shift int
}

// table returns an empty table for n entries.
func (b *Builder) table(n int) places {
	width := bits.Len(uint(2*n - 1))
	if cap(b.slots) < 1<<width {
		b.slots = make([]uint32, 1<<width)
	}
	b.slots = b.slots[:1<<width]
	clear(b.slots)
	return places{b.slots, 64 - width}
}

// place returns the place of an entry like entry i, which is i if it was not met before.
func (p *places) place(e *entries, i int) (at int, met bool) {
	slot := e.hash(i) >> p.shift
	for {
		other := p.slots[slot]
		if other == 0 {
			p.slots[slot] = uint32(i + 1)
			return i, false
		}
		if e.agree(int(other-1), i) {
			return int(other - 1), true
		}
		slot = (slot + 1) % uint64(len(p.slots))
	}
}

// hash is the multiplicative hash of entry i.
func (e *entries) hash(i int) uint64 {
	of := &e.list[i]
	h := of.image ^ uint64(of.tag)<<32 ^ uint64(of.label)
	if len(e.weights) > 0 {
		h = h*0x9e3779b97f4a7c15 ^ math.Float64bits(e.weights[i])
	}
	h *= 0x9e3779b97f4a7c15
	return (h ^ h>>32) * 0xd6e8feb86659fd93
}

// agree says whether two entries agree in everything but the number of examples.
func (e *entries) agree(i, k int) bool {
	return e.list[i] == e.list[k] && (len(e.weights) == 0 || e.weights[i] == e.weights[k])
}
