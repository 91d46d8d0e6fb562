// Package grid counts points of a plane, or of a line, whose range is unknown in advance.
package grid

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/beameval/beameval/internal/hash"
	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/exact"
)

// Grid counts points of a plane in square cells. The range of the points need not be known: the
// side of the cells is the smallest power of two with which no more than a given number of cells
// have points. It depends only on the set of points, not on their order: more points never make the
// side smaller, and each cell lies within a single cell of twice the side. A point far from all
// others takes only one cell, and does not make the other cells coarser.
type Grid struct {
	most int // the largest number of cells
	scale

	table   []Cell // a hash table by corner; cells without points are free entries
	used    int
	Outside exact.Tally // the points that are not finite, or too large
}

// Cell is a cell that has points.
type Cell struct {
	corner
	exact.Tally
}

// corner is the lower left corner of a cell: the bits of x and y, which are never -0.
type corner struct{ x, y uint64 }

// New returns an empty grid of at most most cells, which must be at least 9 to suffice for the
// largest side.
func New(most int) Grid {
	g := Grid{most: most}
	g.setSide(finest)
	return g
}

// corner returns the corner of the cell that contains a point.
func (g *Grid) corner(x, y float64) corner {
	return corner{math.Float64bits(g.floor(x)), math.Float64bits(g.floor(y))}
}

// Point returns the coordinates of a corner.
func (c corner) Point() (x, y float64) { return math.Float64frombits(c.x), math.Float64frombits(c.y) }

func (c corner) compare(to corner) int {
	x1, y1 := c.Point()
	x2, y2 := to.Point()
	return cmp.Or(cmp.Compare(x1, x2), cmp.Compare(y1, y2))
}

// Add adds a point.
func (g *Grid) Add(x, y, weight float64) {
	if !(math.Abs(x) <= farthest && math.Abs(y) <= farthest) {
		g.Outside.Add(weight)
		return
	}
	g.cell(g.corner(x, y)).Add(weight)
	if g.used > g.most {
		g.coarsen()
	}
}

// cell returns the tally of a cell, to which the caller must add points at once.
func (g *Grid) cell(c corner) *exact.Tally {
	if len(g.table) == 0 {
		g.grow()
	}
	at := g.find(c)
	if at.Empty() {
		if g.used++; 2*g.used > len(g.table) {
			g.grow()
			at = g.find(c)
		}
		at.corner = c
	}
	return &at.Tally
}

// find returns a cell, or the free entry for it.
func (g *Grid) find(c corner) *Cell {
	last := len(g.table) - 1 // the length is a power of two
	for i := int(hash.Mix(c.x ^ bits.RotateLeft64(c.y, 32))); ; i++ {
		if at := &g.table[i&last]; at.corner == c || at.Empty() {
			return at
		}
	}
}

func (g *Grid) grow() {
	old := g.table
	g.table = make([]Cell, max(64, 2*len(old)))
	for i := range old {
		if !old[i].Empty() {
			*g.find(old[i].corner) = old[i]
		}
	}
}

// coarsen enlarges the cells until there are few enough.
func (g *Grid) coarsen() {
	g.widen(g.coarser(g.cells, g.most))
}

// cells returns the number of cells that would have points if the side had this exponent.
func (g *Grid) cells(exponent int) int {
	var wider Grid
	wider.setSide(exponent)
	met := make(map[corner]bool, g.used)
	for i := range g.table {
		if c := &g.table[i]; !c.Empty() {
			met[wider.corner(c.Point())] = true
		}
	}
	return len(met)
}

// widen enlarges the cells.
func (g *Grid) widen(exponent int) {
	old := g.table
	g.setSide(exponent)
	g.table, g.used = make([]Cell, len(old)), 0
	for i := range old {
		if c := &old[i]; !c.Empty() { // in any order: merging is exact
			g.cell(g.corner(c.Point())).Merge(&c.Tally)
		}
	}
}

// Merge adds the points of from. Both must have the same largest number of cells.
func (g *Grid) Merge(from *Grid) {
	g.Outside.Merge(&from.Outside)
	if from.exponent > g.exponent {
		g.widen(from.exponent)
	}
	for i := range from.table {
		c := &from.table[i]
		if c.Empty() {
			continue
		}
		g.cell(g.corner(c.Point())).Merge(&c.Tally)
		if g.used > g.most {
			g.coarsen()
		}
	}
}

// All returns the cells that have points, in order.
func (g *Grid) All() []*Cell {
	list := make([]*Cell, 0, g.used)
	for i := range g.table {
		if c := &g.table[i]; !c.Empty() {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b *Cell) int { return a.compare(b.corner) })
	return list
}

// Append appends the canonical encoding.
func (g *Grid) Append(dst []byte) []byte {
	dst = g.Outside.Append(dst)
	dst = wire.AppendInt(dst, int64(g.exponent))
	dst = wire.AppendUint(dst, uint64(g.used))
	for _, c := range g.All() {
		// Corners have few significant digits: reversed, their bits are small numbers.
		dst = wire.AppendUint(wire.AppendUint(dst, bits.Reverse64(c.x)), bits.Reverse64(c.y))
		dst = c.Append(dst)
	}
	return dst
}

// Decode replaces g with the grid that Append encoded.
func (g *Grid) Decode(d *wire.Decoder) {
	*g = New(g.most)
	g.Outside.Decode(d)
	exponent := d.Int()
	n := d.Elements()
	if exponent < finest || exponent > coarsest || n > g.most {
		d.Fail("grid: %d cells of side 2^%d", n, exponent)
		return
	}
	g.setSide(int(exponent))
	var last corner
	for i := range n {
		c := corner{bits.Reverse64(d.Uint()), bits.Reverse64(d.Uint())}
		x, y := c.Point()
		inside := math.Abs(x) <= farthest && math.Abs(y) <= farthest
		if d.Err() == nil && (!inside || g.corner(x, y) != c || i > 0 && last.compare(c) >= 0) {
			d.Fail("grid: %v, %v is no corner of a cell of side 2^%d, or not after the last one", x, y, exponent)
		}
		if d.Err() != nil {
			return
		}
		var tally exact.Tally
		if tally.Decode(d); tally.Empty() {
			d.Fail("grid: a cell without points")
			return
		}
		g.cell(c).Merge(&tally)
		last = c
	}
}

// Reset empties g but keeps its memory.
func (g *Grid) Reset() {
	g.Outside.Reset()
	g.setSide(finest)
	clear(g.table)
	g.used = 0
}
