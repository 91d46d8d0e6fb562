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
	X, Y, Size float64 // the lower left corner, and the side
	Weight     float64
	Text       string // the weight
}

// Plane is a histogram in two dimensions, whose axes are the same, with a diagonal. The shade of a
// box goes by the square root of its weight, so that small ones can be seen beside large ones.
type Plane struct {
	About
	X, Y  Axis
	Boxes []Box // of positive weights
}

// planeMargin is what the square of a plane leaves of the width.
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

// shades returns how dark each box is.
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

// legend returns what some shades mean: the lightest, the darkest, and others between.
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

// Plot draws the boxes.
func (s squares) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i, b := range s.boxes {
		box(c, s.shades[i], x(b.X), y(b.Y), x(b.X+b.Size), y(b.Y+b.Size))
	}
}
