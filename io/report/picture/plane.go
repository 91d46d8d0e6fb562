package picture

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/beameval/beameval/internal/lists"
)

// Box is a square of a Plane.
type Box struct {
	X, Y, Size float64 // lower left corner, and length of a side
	Weight     float64
	Text       string // the formatted weight
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
	legend := p.legend(shades)
	c := newCanvas(chartWidth, chartWidth-planeMargin+44+legend.height())
	all := draw.NewCanvas(c, c.width, c.height)
	p.plot(shades).Draw(draw.Crop(all, 0, -12, legend.height(), -6))
	legend.draw(&all)
	return c.svg(p.ID, p.Title, p.Desc)
}

func (p *Plane) plot(shades []ink) *plot.Plot {
	all := newPlot(p.X, p.Y)
	addGrid(all)
	all.Add(squares{p.Boxes, shades})
	low, high := max(p.X.Min, p.Y.Min), min(p.X.Max, p.Y.Max)
	diagonal := plotter.XYs{{X: low, Y: low}, {X: high, Y: high}}
	all.Add(&plotter.Line{XYs: diagonal, LineStyle: draw.LineStyle{Color: muted, Width: 1, Dashes: []vg.Length{1, 3}}})
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
	for _, m := range lists.Spread(all, 4) {
		name := m.low.Text
		if m.high.Text != name {
			name += " to " + m.high.Text
		}
		l = append(l, entry{name: name, ink: m.ink})
	}
	return l
}

// squares draws the boxes.
type squares struct {
	boxes  []Box
	shades []ink
}

// Plot implements plot.Plotter.
func (s squares) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i, b := range s.boxes {
		box(c, s.shades[i], x(b.X), y(b.Y), x(b.X+b.Size), y(b.Y+b.Size))
	}
}
