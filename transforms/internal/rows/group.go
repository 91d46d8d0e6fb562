package rows

import "github.com/beameval/beameval/io/columns"

// Grouper finds rows with equal keys. The zero value is ready for use.
type Grouper struct {
	starts         []int32 // of rows in sequence with equal keys
	groups         []int32 // for each start
	order, offsets []int32
	next           []int32 // for each group, the place of its next row
	byKey          map[groupKey]int32
}

// groupKey is the value that a group has.
type groupKey struct {
	of   uint64 // see Key
	null bool
}

// Group returns the rows of a column of scalars, ordered so that rows with equal keys
// are next to each other, and the offsets of these groups, one more than there are.
// Groups come in order of first appearance, and the rows of each ascend. All nulls are
// equal, all NaN are, and -0 and 0 are. Both slices are valid until the next call and
// must not be changed.
func (g *Grouper) Group(c *columns.Column) (order, offsets []int32) {
	n := c.Len()
	g.starts = startsOf(g.starts[:0], c)
	g.groups = g.groups[:0]
	if g.byKey == nil {
		g.byKey = make(map[groupKey]int32)
	}
	clear(g.byKey)
	for _, row := range g.starts {
		key := groupKey{null: c.Null != nil && c.Null[row]}
		if !key.null {
			key.of = Key(c, int(row))
		}
		group, known := g.byKey[key]
		if !known {
			group = int32(len(g.byKey))
			g.byKey[key] = group
		}
		g.groups = append(g.groups, group)
	}
	g.order = resize(g.order, n)
	if len(g.byKey) == len(g.starts) {
		for i := range g.order {
			g.order[i] = int32(i)
		}
		g.offsets = append(append(g.offsets[:0], g.starts...), int32(n))
		return g.order, g.offsets
	}
	g.sort(n)
	return g.order, g.offsets
}

// sort sorts n rows by their groups: a counting sort.
func (g *Grouper) sort(n int) {
	g.offsets = resize(g.offsets, len(g.byKey)+1)
	clear(g.offsets)
	starts := append(g.starts, int32(n))
	for i, group := range g.groups {
		g.offsets[group+1] += starts[i+1] - starts[i]
	}
	for i := range len(g.byKey) {
		g.offsets[i+1] += g.offsets[i]
	}
	g.next = append(g.next[:0], g.offsets...)
	for i, group := range g.groups {
		at := g.next[group]
		for row := starts[i]; row < starts[i+1]; row++ {
			g.order[at] = row
			at++
		}
		g.next[group] = at
	}
	g.starts = starts[:len(starts)-1]
}

// startsOf appends the rows whose value differs from that of the row before.
func startsOf(dst []int32, c *columns.Column) []int32 {
	switch c.Type {
	case columns.Float:
		return appendStarts(dst, c.Floats, c.Null)
	case columns.String:
		return appendStarts(dst, c.Codes, c.Null)
	}
	return appendStarts(dst, c.Ints, c.Null)
}

func appendStarts[T comparable](dst []int32, values []T, null []bool) []int32 {
	if len(values) == 0 {
		return dst
	}
	dst = append(dst, 0)
	last := values[0]
	for i, v := range values {
		if v != last || null != nil && i > 0 && null[i] != null[i-1] {
			dst = append(dst, int32(i))
			last = v
		}
	}
	return dst
}

// Key returns an integer that identifies the value in a row, which is not null, among
// all values of columns of this type that share a dictionary. All NaN have one key, as
// do -0 and 0.
func Key(c *columns.Column, row int) uint64 {
	switch c.Type {
	case columns.Float:
		return canonicalBits(c.Floats[row])
	case columns.String:
		return uint64(c.Codes[row])
	}
	return uint64(c.Ints[row])
}
