package scoreruns

import "iter"

// Builder collects examples and encodes them as runs. The zero Builder is empty and ready to use.
type Builder struct {
	entries
	joiner joiner[entry]
}

type entries = columns[entry]

// entry is the part that all entries have: weights and counts are often all 1.
type entry struct {
	image      uint64
	label, tag uint32
}

// Add adds an example. Its score must not be NaN, and its weight must be finite. Fewer than 2^32
// examples may wait for AppendRun.
func (b *Builder) Add(image uint64, label, tag uint32, weight float64) {
	if weight != 1 || len(b.weights) > 0 {
		b.weights = append(onesTo(b.weights, len(b.list)), weight+0) // -0 + 0 is 0
	}
	b.list = append(b.list, entry{image, label, tag})
}

// Waiting yields the examples that wait for AppendRun.
func (b *Builder) Waiting() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for i, e := range b.list {
			if !yield(Entry{Image: e.image, Weight: b.weight(i), Label: e.label, Tag: e.tag, Count: 1}) {
				return
			}
		}
	}
}

// Len returns the number of examples that wait for AppendRun.
func (b *Builder) Len() int { return len(b.list) }

// AppendRun appends the run of the waiting examples, and empties the builder, which keeps its
// memory. If many examples share their score, label and tag, they are joined into a few entries
// (join.go).
func (b *Builder) AppendRun(dst []byte) []byte {
	b.joiner.hash = entry.hash
	if b.joiner.repetitive(&b.entries) {
		b.joiner.join(&b.entries)
	}
	for from := 0; from < len(b.list); from += blockSize {
		dst = appendBlock(dst, b.part(from, min(from+blockSize, len(b.list))))
	}
	b.list, b.weights, b.counts = b.list[:0], b.weights[:0], b.counts[:0]
	return dst
}

// hash is the multiplicative hash of an entry.
func (e entry) hash() uint64 {
	h := (e.image ^ uint64(e.tag)<<32 ^ uint64(e.label)) * 0x9e3779b97f4a7c15
	return (h ^ h>>32) * 0xd6e8feb86659fd93
}
