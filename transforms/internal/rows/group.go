package rows

import "github.com/beameval/beameval/io/columns"

// Grouper finds rows with equal keys. The zero value is ready for use.
type Grouper struct {
	starts         []int32 // of runs of equal keys
	groups         []int32 // by run
	order, offsets []int32
	next           []int32 // by group: the place of its next row
	keys           keyTable
}

// Group returns the rows of a column of scalars ordered so that equal keys are next to
// each other: groups in order of first appearance, the rows of each ascending; and the
// offsets of the groups, one more than there are. Nulls are one key, and so are all
// NaN, and -0 with 0. Both slices are valid until the next call, and must not be
// changed.
func (g *Grouper) Group(c *columns.Column) (order, offsets []int32) {
	n := c.Len()
	g.starts = startsOf(g.starts[:0], c)
	g.groups = resize(g.groups, len(g.starts))
	g.keys.reset()
	for i, row := range g.starts {
		if c.Null != nil && c.Null[row] {
			g.groups[i] = g.keys.null()
		} else {
			g.groups[i] = g.keys.group(Key(c, int(row)))
		}
	}
	g.order = resize(g.order, n)
	if g.keys.groups == len(g.starts) {
		for i := range g.order {
			g.order[i] = int32(i)
		}
		g.offsets = append(append(g.offsets[:0], g.starts...), int32(n))
		return g.order, g.offsets
	}
	g.sort(n)
	return g.order, g.offsets
}

// sort sorts n rows by their groups: a counting sort of the runs.
func (g *Grouper) sort(n int) {
	g.offsets = resize(g.offsets, g.keys.groups+1)
	clear(g.offsets)
	starts := append(g.starts, int32(n))
	for i, group := range g.groups {
		g.offsets[group+1] += starts[i+1] - starts[i]
	}
	for i := range g.keys.groups {
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

// startsOf appends the rows at which the value is another than in the row before.
func startsOf(dst []int32, c *columns.Column) []int32 {
	switch c.Type {
	case columns.Float:
		return runStarts(dst, c.Floats, c.Null)
	case columns.String:
		return runStarts(dst, c.Codes, c.Null)
	}
	return runStarts(dst, c.Ints, c.Null)
}

func runStarts[T comparable](dst []int32, values []T, null []bool) []int32 {
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

// Key returns an integer that tells the value in a row from others of a column of
// scalars, or of columns with the same dictionary: -0 is 0, and all NaN are one.
func Key(c *columns.Column, row int) uint64 {
	switch c.Type {
	case columns.Float:
		return canonicalBits(c.Floats[row])
	case columns.String:
		return uint64(c.Codes[row])
	}
	return uint64(c.Ints[row])
}
