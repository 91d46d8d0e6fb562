package scoreruns

import (
	"math"
	"math/bits"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/metrics/exact"
)

// Joining. When a model rounds its scores, many examples have equal scores. Their entries are
// joined into a few, in two places: where a run is built, and where runs are sorted together. So
// the memory for equal scores does not grow with the number of examples.
//
// Entries are alike if they have the same score, label and tag. Alike entries of weight 1 become
// one entry with their total count. Alike entries of other weights become entries whose weights
// have exactly the same sum: the sum is cut into pieces of 53 bits, which are float64s, from the
// greatest to the least:
//
//	weights  0.1 + 0.1 + 0.1 + 0.7 + … (1,000 rows)
//	sum      ▐█████████ 53 bits █████████▌▐███ rest ███▌
//	entries  one for each piece, and one of weight 0 with the count of all other rows
//
// Tracers add up weights exactly and count rows, so their results do not change.

// joiner joins entries; an E is the score, label and tag of an entry. It reuses its memory.
type joiner[E comparable] struct {
	hash  func(E) uint64
	slots []uint32 // a hash table of index in first + 1, with open addressing; at most half full
	shift int
	first []E      // one of each kind of alike entries
	ones  []bool   // by index in first: whether these entries weigh 1
	place []uint32 // by entry: its index in first

	order, ends []uint32 // see group

	joined columns[E]
	sum    exact.Sum
	pieces []float64
}

// columns holds entries in any order, by column.
type columns[E comparable] struct {
	list    []E
	weights []float64 // empty if all are 1
	counts  []uint32  // empty if all are 1
}

func (c *columns[E]) weight(i int) float64 {
	if len(c.weights) == 0 {
		return 1
	}
	return c.weights[i]
}

func (c *columns[E]) count(i int) uint32 {
	if len(c.counts) == 0 {
		return 1
	}
	return c.counts[i]
}

// part returns the entries from from up to, but not including, to. They share the memory of c.
func (c *columns[E]) part(from, to int) columns[E] {
	part := columns[E]{list: c.list[from:to]}
	if len(c.weights) > 0 {
		part.weights = c.weights[from:to]
	}
	if len(c.counts) > 0 {
		part.counts = c.counts[from:to]
	}
	return part
}

// reset empties the hash table and makes room for n entries.
func (j *joiner[E]) reset(n int) {
	width := bits.Len(uint(max(2*n-1, 1)))
	if cap(j.slots) < 1<<width {
		j.slots = make([]uint32, 1<<width)
	}
	j.slots = j.slots[:1<<width]
	clear(j.slots)
	j.shift = 64 - width
	j.first, j.ones = j.first[:0], j.ones[:0]
}

// find returns the place of the entries like e, of weight 1 if one, of other weights if not. It
// adds a new place if there is none; then met is false.
func (j *joiner[E]) find(e E, one bool) (place uint32, met bool) {
	h := j.hash(e)
	if one {
		h = ^h
	}
	slot := h >> j.shift
	for {
		at := j.slots[slot]
		if at == 0 {
			j.first, j.ones = append(j.first, e), append(j.ones, one)
			j.slots[slot] = uint32(len(j.first))
			return uint32(len(j.first) - 1), false
		}
		if j.first[at-1] == e && j.ones[at-1] == one {
			return at - 1, true
		}
		slot = (slot + 1) % uint64(len(j.slots))
	}
}

// repetitive reports whether, by a sample, there are at least twice as many entries as kinds of
// entries. Among s entries of D equally frequent kinds, about s²/2D are like an earlier one. s is
// 4√n, so that 16 of them decide.
func (j *joiner[E]) repetitive(c *columns[E]) bool {
	n := len(c.list)
	step := max(int(math.Sqrt(float64(n))/4), 1)
	s := (n + step - 1) / step
	j.reset(s)
	repeated := 0
	for i := 0; i < n; i += step {
		if _, met := j.find(c.list[i], c.weight(i) == 1); met {
			repeated++
		}
	}
	return repeated*n > s*s
}

// join joins entries in place.
func (j *joiner[E]) join(c *columns[E]) {
	n := len(c.list)
	j.reset(n)
	j.place = collections.Resize(j.place, n)
	for i, e := range c.list {
		j.place[i], _ = j.find(e, c.weight(i) == 1)
	}
	j.group()
	out := &j.joined
	out.list, out.weights, out.counts = out.list[:0], out.weights[:0], out.counts[:0]
	from := uint32(0)
	for place, end := range j.ends {
		alike := j.order[from:end]
		from = end
		if j.ones[place] {
			j.addRows(j.first[place], 1, rowsOf(c, alike))
			continue
		}
		j.addWeighted(c, j.first[place], alike)
	}
	c.list, c.counts = append(c.list[:0], out.list...), append(c.counts[:0], out.counts...)
	if len(c.weights) > 0 {
		c.weights = append(c.weights[:0], out.weights...)
	}
}

// group sets order to the entries sorted by place, and ends to the end of each place in order.
func (j *joiner[E]) group() {
	j.ends = collections.Resize(j.ends, len(j.first))
	clear(j.ends)
	for _, place := range j.place {
		j.ends[place]++
	}
	start := uint32(0)
	for place, size := range j.ends {
		j.ends[place] = start
		start += size
	}
	j.order = collections.Resize(j.order, len(j.place))
	for i, place := range j.place {
		j.order[j.ends[place]] = uint32(i)
		j.ends[place]++
	}
}

func rowsOf[E comparable](c *columns[E], entries []uint32) (rows uint64) {
	for _, i := range entries {
		rows += uint64(c.count(int(i)))
	}
	return rows
}

// addRows adds rows of one weight, as a single entry unless they exceed the largest count.
func (j *joiner[E]) addRows(e E, weight float64, rows uint64) {
	out := &j.joined
	for rows > 0 {
		n := min(rows, math.MaxUint32)
		out.list, out.weights, out.counts = append(out.list, e), append(out.weights, weight), append(out.counts, uint32(n))
		rows -= n
	}
}

// addWeighted adds alike entries whose weights are not 1.
func (j *joiner[E]) addWeighted(c *columns[E], e E, alike []uint32) {
	weight, equal := c.weights[alike[0]], true
	for _, i := range alike {
		equal = equal && c.weights[i] == weight
	}
	if equal {
		j.addRows(e, weight, rowsOf(c, alike))
		return
	}
	j.sum.Reset()
	for _, i := range alike {
		j.sum.AddProduct(c.weights[i], float64(c.count(int(i))))
	}
	j.pieces = cut(j.pieces[:0], &j.sum)
	if len(j.pieces)+1 >= len(alike) { // joining would save nothing
		for _, i := range alike {
			j.addRows(e, c.weights[i], uint64(c.count(int(i))))
		}
		return
	}
	rest := rowsOf(c, alike)
	for _, piece := range j.pieces {
		n := uint64(1)
		if piece == 1 { // it must not look like a row of weight 1
			piece, n = 0.5, 2
		}
		j.addRows(e, piece, n)
		rest -= n
	}
	j.addRows(e, 0, rest)
}

// cut appends float64s that are not negative and have the sum s, and empties s, which must be
// finite and not negative. Each takes the highest 53 bits of the rest.
func cut(dst []float64, s *exact.Sum) []float64 {
	for !s.Empty() {
		piece := min(s.Float64(), math.MaxFloat64)
		s.Add(-piece)
		if s.Float64() < 0 { // it was rounded up
			less := math.Nextafter(piece, 0)
			s.Add(piece - less)
			piece = less
		}
		dst = append(dst, piece)
	}
	return dst
}
