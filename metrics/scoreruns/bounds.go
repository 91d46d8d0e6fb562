package scoreruns

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// Knot is a score of a sample, and the number of entries that it represents.
type Knot struct {
	Image   uint64
	Entries int
}

// Sample takes every Every-th entry of runs.
type Sample struct {
	Every int
	Knots []Knot
	next  int
}

// Add samples the entries of a run.
func (s *Sample) Add(run []byte) error {
	left := blocks{rest: run}
	var b block
	for left.decode(&b) {
		for ; s.next < b.n; s.next += s.Every {
			s.Knots = append(s.Knots, Knot{b.images[s.next], s.Every})
		}
		s.next -= b.n
	}
	return left.err
}

// Bounds chooses the images at which to divide entries into ranges of about equal size. It returns
// at most ranges-1 images, in descending order; fewer if there are too few scores or some are too
// frequent. It sorts knots, whose initial order does not matter.
func Bounds(knots []Knot, ranges int) []uint64 {
	slices.SortFunc(knots, func(a, b Knot) int { return cmp.Compare(b.Image, a.Image) })
	all := 0
	for _, k := range knots {
		all += k.Entries
	}
	var bounds []uint64
	sum, full := 0, 0 // the number of entries so far, and of the ranges that they fill
	for i := range len(knots) - 1 {
		sum += knots[i].Entries
		if now := sum * ranges / max(all, 1); now > full && knots[i].Image > knots[i+1].Image {
			bounds = append(bounds, knots[i].Image)
			full = now
		}
	}
	return bounds
}

// Range is the images from From, inclusive, to Below, exclusive.
type Range struct{ From, Below uint64 }

// Everything is the interval of the images of all scores.
var Everything = Range{0, math.MaxUint64}

// Ranges returns the ranges between bounds, which must descend. The range of the highest
// images comes first.
func Ranges(bounds []uint64) []Range {
	list := make([]Range, len(bounds)+1)
	below := Everything.Below
	for i, bound := range append(slices.Clone(bounds), 0) {
		list[i] = Range{bound, below}
		below = bound
	}
	return list
}

// Divider finds the range of a score. Range i holds the images of at least bounds[i] and below
// bounds[i-1], so all entries of a score are in the same range.
//
//	images    0 ────────────── bounds[1] ────────────── bounds[0] ──────────── ∞
//	ranges         range 2                  range 1                 range 0
//	cells                      low ├──┼──┼──┼──┼──┼──┼──┼──┤
type Divider struct {
	bounds []uint64 // in descending order, with a 0 at the end
	// The images from low up are divided into cells of 2^shift. first[c] is the range of the
	// highest image in cell c. Images above the last cell are in range 0.
	low   uint64
	shift int
	first []int32
}

// cells is the approximate number of cells of a Divider for each range: large enough for most cells
// to contain no bound.
const cells = 64

// NewDivider returns a Divider for bounds, which must descend.
func NewDivider(bounds []uint64) *Divider {
	d := &Divider{bounds: append(slices.Clone(bounds), 0)}
	if len(bounds) == 0 {
		return d
	}
	d.low = bounds[len(bounds)-1]
	span := bounds[0] - d.low
	d.shift = max(bits.Len64(span)-bits.Len(uint(cells*len(bounds))), 0)
	d.first = make([]int32, span>>d.shift+1)
	r := int32(0)
	for cell := len(d.first) - 1; cell >= 0; cell-- {
		last := d.low + min(uint64(cell)<<d.shift|(1<<d.shift-1), math.MaxUint64-d.low)
		for last < d.bounds[r] {
			r++
		}
		d.first[cell] = r
	}
	return d
}

// Ranges returns the number of ranges.
func (d *Divider) Ranges() int { return len(d.bounds) }

// Range returns the range of an image.
func (d *Divider) Range(image uint64) int {
	last := len(d.bounds) - 1
	if image < d.low || last == 0 {
		return last
	}
	cell := (image - d.low) >> d.shift
	if cell >= uint64(len(d.first)) {
		return 0
	}
	r := int(d.first[cell])
	for image < d.bounds[r] {
		r++
	}
	return r
}
