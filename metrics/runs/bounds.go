package runs

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// Knot is a score of a sample, and how many entries it stands for.
type Knot struct {
	Image   uint64
	Entries int
}

// Sample is every so many entries of runs.
type Sample struct {
	Every int
	Knots []Knot
	next  int
}

// Add adds some of the entries of a run.
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

// Bounds chooses images at which to divide entries into ranges with about as many each. It
// returns at most ranges-1, descending; there are fewer if there are too few scores or some
// are too frequent. It sorts the knots, whose order does not matter.
func Bounds(knots []Knot, ranges int) []uint64 {
	slices.SortFunc(knots, func(a, b Knot) int { return cmp.Compare(b.Image, a.Image) })
	all := 0
	for _, k := range knots {
		all += k.Entries
	}
	var bounds []uint64
	sum, full := 0, 0 // entries so far, and how many ranges they fill
	for i := range len(knots) - 1 {
		sum += knots[i].Entries
		if now := sum * ranges / max(all, 1); now > full && knots[i].Image > knots[i+1].Image {
			bounds = append(bounds, knots[i].Image)
			full = now
		}
	}
	return bounds
}

// Interval is the images from From up to, but not with, Below.
type Interval struct{ From, Below uint64 }

// Everything is all images.
var Everything = Interval{0, math.MaxUint64}

// Intervals returns the intervals between bounds, which descend: that of the highest images
// first.
func Intervals(bounds []uint64) []Interval {
	list := make([]Interval, len(bounds)+1)
	below := Everything.Below
	for i, bound := range append(slices.Clone(bounds), 0) {
		list[i] = Interval{bound, below}
		below = bound
	}
	return list
}

// Divider says in which range a score is. Range i has the images from bounds[i] up that are
// below bounds[i-1]; therefore all entries of a score are in the same range.
type Divider struct {
	bounds []uint64 // descending, and a 0 at the end
	// The images from low on are divided into cells of 2^shift. first has, by cell, the
	// range of its highest image; higher images are in range 0.
	low   uint64
	shift int
	first []int32
}

// cells is about how many cells a Divider has for each range: in most cells, there is no
// bound.
const cells = 64

// NewDivider returns a Divider. bounds must descend.
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

// Ranges returns how many ranges there are.
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
