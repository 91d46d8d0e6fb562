package picture

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sorted is a chart of many sorted values, as areas between them and 0. Areas above 0 have one
// color, those below another.
type Sorted struct {
	About
	X, Label     string // of the axes
	Values       []float64
	Count        int    // number of values, of which Values may be an evenly spaced sample
	Above, Below string // names of the two kinds of values
}

// SVG draws the chart.
func (s *Sorted) SVG() string {
	legend := legend{{name: s.Above, ink: series(0)}, {name: s.Below, ink: series(1)}}
	c := newCanvas(chartWidth, chartHeight*3/4+legend.height())
	all := draw.NewCanvas(c, c.width, c.height)
	y := Axis{Label: s.Label}
	for _, v := range s.Values {
		y.Min, y.Max = min(y.Min, v), max(y.Max, v)
	}
	margin := (y.Max - y.Min) * 0.05
	if margin == 0 {
		margin = 0.1
	}
	y.Min, y.Max = y.Min-margin, y.Max+margin
	x := Axis{Label: s.X, Max: float64(s.Count)}
	p := newPlot(x, y)
	addGrid(p)
	p.Add(areas{s.Values, x.Max / float64(len(s.Values))})
	p.Add(&plotter.Line{XYs: plotter.XYs{{X: 0, Y: 0}, {X: x.Max, Y: 0}}, LineStyle: draw.LineStyle{Color: muted, Width: 1}})
	p.Draw(draw.Crop(all, 0, -8, legend.height(), -6))
	legend.draw(&all)
	return c.svg(s.ID, s.Title, s.Desc)
}

// areas draws values of equal width.
type areas struct {
	values []float64
	width  float64
}

// Plot implements plot.Plotter.
func (a areas) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for kind, part := range []func(float64) float64{func(v float64) float64 { return max(v, 0) }, func(v float64) float64 { return min(v, 0) }} {
		edge := []vg.Point{{X: x(0), Y: y(0)}}
		for i, v := range a.values {
			at := y(part(v))
			edge = append(edge, vg.Point{X: x(float64(i) * a.width), Y: at}, vg.Point{X: x(float64(i+1) * a.width), Y: at})
		}
		edge = append(edge, vg.Point{X: x(float64(len(a.values)) * a.width), Y: y(0)})
		if edge = simplify(edge); len(edge) > 2 {
			c.FillPolygon(series(kind), edge)
		}
	}
}
