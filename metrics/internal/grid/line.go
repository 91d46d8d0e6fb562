package grid

import (
	"math"
	"slices"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/binned"
	"github.com/beameval/beameval/metrics/internal/fields"
)

// mostOnLine is the largest number of cells of a Line.
const mostOnLine = 64

// Line counts numbers in cells of equal length. As for a [Grid], the length is the smallest power of
// two with which at most 64 cells have numbers, and each cell begins at a multiple of it. There may
// be millions of lines, so it takes little memory. The zero Line is empty.
type Line struct {
	scale             // not set while there are no cells
	from    []float64 // where each cell begins, in order; never -0
	tallies binned.Tallies
	Outside exact.Tally // the numbers that are not finite, or too large
}

// Add adds a number.
func (l *Line) Add(x, weight float64) {
	if !(math.Abs(x) <= farthest) {
		l.Outside.Add(weight)
		return
	}
	if len(l.from) == 0 {
		l.setSide(finest)
	}
	l.tallies.Add(l.cell(l.floor(x)), weight)
	if len(l.from) > mostOnLine {
		l.coarsen()
	}
}

// cell returns the index of the cell that begins at from, and makes it if there is none.
func (l *Line) cell(from float64) int {
	// Where all cells from the first on have numbers, their indexes are known without a search.
	if n := len(l.from); n > 0 {
		if i := (from - l.from[0]) * l.inverse; i >= 0 && i < float64(n) && l.from[int(i)] == from {
			return int(i)
		}
	}
	i, found := slices.BinarySearch(l.from, from)
	if !found {
		l.from = slices.Insert(l.from, i, from)
		l.tallies.Insert(i)
	}
	return i
}

// coarsen lengthens the cells until there are few enough.
func (l *Line) coarsen() {
	l.widen(l.coarser(l.cells, mostOnLine))
}

// cells returns the number of cells that would have numbers if the length had this exponent.
func (l *Line) cells(exponent int) int {
	var wider scale
	wider.setSide(exponent)
	n, last := 0, math.NaN()
	for _, x := range l.from {
		if x = wider.floor(x); x != last {
			n, last = n+1, x
		}
	}
	return n
}

// widen lengthens the cells. Only neighbours become one.
func (l *Line) widen(exponent int) {
	l.setSide(exponent)
	for i := 0; i < len(l.from); {
		l.from[i] = l.floor(l.from[i])
		if i == 0 || l.from[i] != l.from[i-1] {
			i++
			continue
		}
		l.tallies.MergeAt(i-1, &l.tallies, i)
		l.tallies.Delete(i)
		l.from = slices.Delete(l.from, i, i+1)
	}
}

// Merge adds the numbers of from.
func (l *Line) Merge(from *Line) {
	l.Outside.Merge(&from.Outside)
	if len(from.from) == 0 {
		return
	}
	if len(l.from) == 0 {
		l.setSide(from.exponent)
	} else if from.exponent > l.exponent {
		l.widen(from.exponent)
	}
	for i, x := range from.from {
		l.tallies.MergeAt(l.cell(l.floor(x)), &from.tallies, i)
	}
	if len(l.from) > mostOnLine {
		l.coarsen()
	}
}

// Like returns a copy of l with cells as long as all's. all must have all numbers of l.
func (l *Line) Like(all *Line) *Line {
	same := new(Line)
	if same.Merge(l); len(same.from) > 0 {
		same.widen(all.exponent)
	}
	return same
}

// Cells returns where each cell with numbers begins, in order, and the tallies of these cells.
func (l *Line) Cells() (from []float64, tallies *binned.Tallies) { return l.from, &l.tallies }

// Empty reports whether no number was added.
func (l *Line) Empty() bool { return len(l.from) == 0 && l.Outside.Empty() }

// Fields encodes or decodes the line, empties it, or merges from into it.
func (l *Line) Fields(v *fields.Visitor, from *Line) { fields.Visit(v, l, from) }

// Append appends the canonical encoding.
func (l *Line) Append(dst []byte) []byte {
	dst = l.Outside.Append(dst)
	dst = wire.AppendUint(dst, uint64(len(l.from)))
	if len(l.from) == 0 {
		return dst
	}
	dst = wire.AppendInt(dst, int64(l.exponent))
	for _, x := range l.from {
		dst = wire.AppendFloat(dst, x)
	}
	return l.tallies.Append(dst)
}

// Decode replaces l with the line that Append encoded.
func (l *Line) Decode(d *wire.Decoder) {
	*l = Line{}
	l.Outside.Decode(d)
	n := d.Count(mostOnLine)
	if n == 0 {
		return
	}
	exponent := d.Int()
	if exponent < finest || exponent > coarsest {
		d.Fail("line: cells of length 2^%d", exponent)
		return
	}
	l.setSide(int(exponent))
	for i := range n {
		x := d.Float()
		switch {
		case d.Err() != nil:
		case !(math.Abs(x) <= farthest) || math.Float64bits(l.floor(x)) != math.Float64bits(x) || i > 0 && x <= l.from[i-1]:
			d.Fail("line: no cell of length 2^%d begins at %v, or not after the last one", exponent, x)
		}
		l.from = append(l.from, x)
	}
	if l.tallies.Decode(d, n); d.Err() != nil {
		*l = Line{}
	}
}

// Reset empties l but keeps its memory.
func (l *Line) Reset() {
	l.Outside.Reset()
	l.from = l.from[:0]
	l.tallies.Reset()
}
