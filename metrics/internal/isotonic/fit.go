// Package isotonic fits the share of positives as a function of the score that never decreases: isotonic
// regression, as the pool-adjacent-violators algorithm computes it.
package isotonic

import (
	"cmp"
	"math"
	"slices"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/curves"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/fields"
)

// Fit is the isotonic regression of labels on scores. Its blocks lie between the vertices of the least
// concave majorant of the curve with true positives over false positives (Ayer et al. 1955, Fawcett &
// Niculescu-Mizil 2007):
//
//	TP │        ___o        o  vertices: the ends of blocks
//	   │     _o´ ·          ·  other points: inside of blocks, or where shares are equal
//	   │   o´·
//	   │  /·     slope of a block = positives / negatives
//	   └───────────── FP
//
// The vertices of a set of points are a set that follows from the vertices of its parts, whatever these
// are. So a Fit is a commutative monoid over points of the same curve. The zero Fit is empty.
type Fit struct {
	limit    int // of blocks; see Bound
	points   int64
	vertices []curves.Point // from the highest score to the lowest
}

// Block is a set of examples with consecutive scores that get the same fitted value.
type Block struct {
	Score                float64 // the lowest of the block
	Positives, Negatives float64 // weights
}

// Share returns the fitted value of the block.
func (b Block) Share() float64 { return b.Positives / (b.Positives + b.Negatives) }

// New returns an empty fit with a limit; see Bound.
func New(limit int) Fit { return Fit{limit: limit} }

// Empty reports whether there are no points.
func (f *Fit) Empty() bool { return f.points == 0 }

// Add adds points that follow all others on the curve. Each must add weight to the one before it, and
// weights must be finite.
func (f *Fit) Add(points []curves.Point) {
	f.points += int64(len(points))
	var room [pointsAtOnce]uint16
	for len(points) > 1 {
		n := min(len(points)-1, pointsAtOnce)
		for _, i := range corners(points[:n+1], &room) {
			f.push(points[i])
		}
		points = points[n:]
	}
	if len(points) == 1 {
		f.push(points[0])
	}
}

// pointsAtOnce is the number of points that are looked through at once.
const pointsAtOnce = 512

// corners returns the indices of the points, but for the last, that may be vertices: they add
// positives to the point before, and the point after adds negatives to them. The loop does not
// branch on that, because the processor could not predict it.
func corners(points []curves.Point, room *[pointsAtOnce]uint16) []uint16 {
	n, before := 0, ^uint64(0)
	for i := range points[:len(points)-1] {
		tp := math.Float64bits(points[i].TP)
		risen, goes := tp^before, math.Float64bits(points[i].FP)^math.Float64bits(points[i+1].FP)
		room[n%pointsAtOnce] = uint16(i)
		if min(risen, goes) != 0 {
			n++
		}
		before = tp
	}
	return room[:n]
}

// push adds a point that follows all others, and drops the vertices that it hides.
func (f *Fit) push(p curves.Point) {
	p.Score += 0 // -0 is the same score as 0
	n := len(f.vertices)
	for n > 0 && !rises(f.before(n-1), &f.vertices[n-1], &p) {
		n--
	}
	f.vertices = append(f.vertices[:n], p)
}

var origin curves.Point

// before returns the vertex before vertex i.
func (f *Fit) before(i int) *curves.Point {
	if i == 0 {
		return &origin
	}
	return &f.vertices[i-1]
}

// Bound keeps the number of blocks within bounds that do not depend on the data. Rows of weight 1 (ones)
// need none: n of them have fewer than 1.5 n^⅔ blocks, because the sides of a majorant between points
// with whole coordinates are all different. Other weights can make a block of each score. Beyond
// limit distinct scores, [0, 1] is cut into limit equal parts, and blocks whose shares fall into
// the same part are merged. This, too, does not depend on how the points were divided: a vertex
// remains if a line whose slope is a bound of a part touches the majorant at it.
func (f *Fit) Bound(ones bool) {
	if ones || f.points <= int64(f.limit) || f.limit == 0 {
		return
	}
	n, above := 0, f.limit+1
	for i := range f.vertices {
		part := f.part(f.before(i), &f.vertices[i])
		if i > 0 && part < above {
			f.vertices[n] = f.vertices[i-1]
			n++
		}
		above = part
	}
	f.vertices = append(f.vertices[:n], f.vertices[len(f.vertices)-1])
}

// Blocks returns the blocks, from the highest scores to the lowest.
func (f *Fit) Blocks() []Block {
	blocks := make([]Block, len(f.vertices))
	for i := range f.vertices {
		from, to := f.before(i), &f.vertices[i]
		blocks[i] = Block{to.Score, to.TP - from.TP, to.FP - from.FP}
	}
	return blocks
}

// SquaredErrors returns the sum of the squared errors of the fitted values.
func (f *Fit) SquaredErrors() float64 {
	return f.total(func(b Block) float64 { return b.Negatives * b.Share() })
}

// LogLosses returns the sum of the log losses of the fitted values.
func (f *Fit) LogLosses() float64 {
	return f.total(func(b Block) float64 {
		all := b.Positives + b.Negatives
		return logLoss(b.Positives, all) + logLoss(b.Negatives, all)
	})
}

func (f *Fit) total(of func(Block) float64) float64 {
	var sum exact.Sum
	for _, b := range f.Blocks() {
		sum.Add(of(b))
	}
	return sum.Float64()
}

// Fields lists the fields. What is merged must belong to the same curve.
func (f *Fit) Fields(v *fields.Visitor, from *Fit) {
	v.Size(&f.limit, from.limit)
	switch {
	case v.Merges():
		f.merge(from)
	case v.Codes():
		f.code(v)
	default:
		f.points, f.vertices = 0, f.vertices[:0]
	}
}

func (f *Fit) merge(from *Fit) {
	f.points += from.points
	if len(from.vertices) == 0 {
		return
	}
	a, b := f.vertices, from.vertices
	if len(a) == 0 || along(&a[len(a)-1], &b[0]) < 0 {
		for _, p := range b {
			f.push(p)
		}
		return
	}
	f.vertices = make([]curves.Point, 0, len(a)+len(b))
	for len(a) > 0 || len(b) > 0 {
		if len(b) == 0 || len(a) > 0 && along(&a[0], &b[0]) <= 0 {
			f.push(a[0])
			a = a[1:]
		} else {
			f.push(b[0])
			b = b[1:]
		}
	}
}

// along compares the places of points on their curve.
func along(a, b *curves.Point) int {
	return cmp.Or(cmp.Compare(a.TP, b.TP), cmp.Compare(a.FP, b.FP), cmp.Compare(b.Score, a.Score))
}

// code encodes or decodes the fit. Decoded vertices must form a concave majorant.
func (f *Fit) code(v *fields.Visitor) {
	v.Count(&f.points, f.points)
	wire.List(v.Coder, &f.vertices, func(c *wire.Coder, p *curves.Point) {
		c.Float(&p.Score)
		c.Float(&p.TP)
		c.Float(&p.FP)
	})
	if !v.Decodes() {
		return
	}
	if int64(len(f.vertices)) > f.points || f.points > 0 && len(f.vertices) == 0 {
		v.Fail("isotonic fit: %d vertices of %d points", len(f.vertices), f.points)
	}
	for i := range f.vertices {
		p, from := &f.vertices[i], f.before(i)
		switch {
		case !finite(p.TP) || !finite(p.FP) || p.Score != p.Score,
			!(p.TP >= from.TP && p.FP >= from.FP && (p.TP > from.TP || p.FP > from.FP)),
			i > 0 && !(p.Score < from.Score && rises(f.before(i-1), from, p)):
			v.Fail("isotonic fit: vertex %d is %v", i, *p)
			f.vertices = nil
			return
		}
	}
	f.vertices = slices.Clip(f.vertices)
}
