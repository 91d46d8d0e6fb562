package groupby

import (
	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/columns"
)

// Grouper finds rows with equal keys. The zero value is ready to use.
type Grouper struct {
	keys   Keys
	byCode []int32 // of strings, instead of keys: the number of the group + 1, or 0
	count  int     // the number of groups
	groups []int32 // by row: the number of its group
	last   uint64  // the last key; its group is the last of groups

	order, offsets []int32
	next           []int32 // by group: the place of its next row
}

// Group groups the rows of columns of scalars; rows are numbered across the columns, one after the
// other. order has all rows, with rows of equal keys next to each other, and offsets has the start
// of each group in order, with the end of the last group added. Groups are in order of their first
// row, and the rows of a group ascend. All NaN are equal, as are -0 and 0. The columns must have no
// nulls, the same type and the same dictionary. Both slices are the grouper's memory: they are
// valid until the next call, which overwrites them.
func (g *Grouper) Group(cols ...*columns.Column) (order, offsets []int32) {
	g.keys.Reset()
	g.groups, g.count = g.groups[:0], 0
	if len(cols) > 0 && cols[0].Type == columns.String {
		g.byCode = collections.Resize(g.byCode, cols[0].Dict.Len())
		clear(g.byCode)
	}
	for _, c := range cols {
		switch c.Type {
		case columns.Float:
			for _, f := range c.Floats {
				g.add(canonicalBits(f))
			}
		case columns.String:
			g.addCodes(c.Codes)
		default:
			for _, v := range c.Ints {
				g.add(uint64(v))
			}
		}
	}
	g.sort()
	return g.order, g.offsets
}

// add adds the next row to the group of its key.
func (g *Grouper) add(key uint64) {
	if n := len(g.groups); n > 0 && key == g.last {
		g.groups = append(g.groups, g.groups[n-1])
		return
	}
	g.groups = append(g.groups, g.keys.Number(key))
	g.last, g.count = key, g.keys.Len()
}

// addCodes adds rows with these strings.
func (g *Grouper) addCodes(codes []int32) {
	for _, code := range codes {
		if g.byCode[code] == 0 {
			g.count++
			g.byCode[code] = int32(g.count)
		}
		g.groups = append(g.groups, g.byCode[code]-1)
	}
}

// sort sorts the rows by group: a counting sort.
func (g *Grouper) sort() {
	g.offsets = collections.Resize(g.offsets, g.count+1)
	clear(g.offsets)
	for _, group := range g.groups {
		g.offsets[group+1]++
	}
	for i, before := range g.offsets[:g.count] {
		g.offsets[i+1] += before
	}
	g.order = collections.Resize(g.order, len(g.groups))
	g.next = append(g.next[:0], g.offsets...)
	for row, group := range g.groups {
		g.order[g.next[group]] = int32(row)
		g.next[group]++
	}
}

// Key returns an integer that identifies the value in a row among all values of columns of this
// type that share a dictionary. The value must not be null. All NaN have the same key, as do -0 and
// 0.
func Key(c *columns.Column, row int) uint64 {
	switch c.Type {
	case columns.Float:
		return canonicalBits(c.Floats[row])
	case columns.String:
		return uint64(c.Codes[row])
	}
	return uint64(c.Ints[row])
}
