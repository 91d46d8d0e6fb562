package picture

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/beameval/beameval/internal/collections"
)

// Box is a square of a Plane.
type Box struct {
	X, Y, Size float64 // lower left corner, and length of a side
	Weight     float64
	Text       string // the formatted weight
	Tip        string // shown where a reader points at it
}

// Plane is a two-dimensional histogram with equal axes and a diagonal. The shade of a box is
// proportional to the square root of its weight, so that light boxes are visible next to heavy
// ones.
type Plane struct {
	About
	X, Y  Axis
	Boxes []Box // with positive weights
}

// planeMargin is the part of the width that the square does not take.
const planeMargin = 62

// SVG draws the histogram.
func (p *Plane) SVG() string {
	shades := p.shades()
	return p.draw(p.plot(shades), chartWidth, chartWidth-planeMargin+44, 12, 6, p.legend(shades))
}

func (p *Plane) plot(shades []ink) *plot.Plot {
	all := newPlot(p.X, p.Y)
	addGrid(all)
	all.Add(shapes(func(c draw.Canvas, x, y func(float64) vg.Length) {
		for i, b := range p.Boxes {
			tipped(c, b.Tip, func() { box(c, shades[i], x(b.X), y(b.Y), x(b.X+b.Size), y(b.Y+b.Size)) })
		}
	}))
	low, high := max(p.X.Min, p.Y.Min), min(p.X.Max, p.Y.Max)
	all.Add(segment(Point{low, low}, Point{high, high}, dotted))
	return all
}

// shades returns the shade of each box.
func (p *Plane) shades() []ink {
	most := 0.0
	for _, b := range p.Boxes {
		most = max(most, b.Weight)
	}
	list := make([]ink, len(p.Boxes))
	for i, b := range p.Boxes {
		list[i] = shade(math.Sqrt(b.Weight / most))
	}
	return list
}

// legend explains some shades: the lightest, the darkest, and some between.
func (p *Plane) legend(shades []ink) (l legend) {
	type meaning struct {
		ink       ink
		low, high *Box
	}
	var all []meaning
	for i := range p.Boxes {
		b, ink := &p.Boxes[i], shades[i]
		at := slices.IndexFunc(all, func(m meaning) bool { return m.ink == ink })
		if at < 0 {
			all = append(all, meaning{ink, b, b})
			continue
		}
		if b.Weight < all[at].low.Weight {
			all[at].low = b
		}
		if b.Weight > all[at].high.Weight {
			all[at].high = b
		}
	}
	slices.SortFunc(all, func(a, b meaning) int { return cmp.Compare(a.low.Weight, b.low.Weight) })
	for _, m := range collections.Spread(all, 4) {
		name := m.low.Text
		if m.high.Text != name {
			name += " to " + m.high.Text
		}
		l = append(l, entry{name: name, ink: m.ink})
	}
	return l
}
