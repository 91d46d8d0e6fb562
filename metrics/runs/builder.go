package runs

// Entry is some examples of the same score, tag and weight.
type Entry struct {
	Image  uint64  // of the score
	Weight float64 // of each example
	Tag    uint32
	Count  uint32 // how many examples, from 1 on
}

// Builder makes runs of examples. The zero Builder is empty and ready to use.
type Builder struct {
	keys     []key
	weights  []float64
	weighted bool // some weight is not 1
	spare    []key
}

// Add adds an example, whose score is not NaN and whose weight is finite. Fewer
// than 2^32 examples can wait for AppendRun.
func (b *Builder) Add(score float64, tag uint32, weight float64) {
	b.keys = append(b.keys, key{^Image(score), tag, uint32(len(b.weights))})
	b.weights = append(b.weights, weight+0) // -0 + 0 is 0
	if weight != 1 {
		b.weighted = true
	}
}

// Len returns how many examples wait for AppendRun.
func (b *Builder) Len() int { return len(b.keys) }

// AppendRun appends the run of the examples that wait, and empties the builder,
// which keeps its memory. Entries are sorted by image, descending, then by
// tag and weight, ascending; examples that agree in all three are one entry. So the
// bytes do not depend on the order in which examples were added.
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
