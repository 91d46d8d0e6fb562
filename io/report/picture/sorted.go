package picture

import (
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
	p.Add(shapes(s.areas), segment(Point{}, Point{X: x.Max}, draw.LineStyle{Color: muted, Width: 1}))
	return s.draw(p, chartWidth, chartHeight*3/4, 8, 6, legend)
}

// areas draws the values, each as wide as the others.
func (s *Sorted) areas(c draw.Canvas, x, y func(float64) vg.Length) {
	width := float64(s.Count) / float64(len(s.Values))
	for kind, part := range []func(float64) float64{func(v float64) float64 { return max(v, 0) }, func(v float64) float64 { return min(v, 0) }} {
		edge := []vg.Point{{X: x(0), Y: y(0)}}
		for i, v := range s.Values {
			at := y(part(v))
			edge = append(edge, vg.Point{X: x(float64(i) * width), Y: at}, vg.Point{X: x(float64(i+1) * width), Y: at})
		}
		edge = append(edge, vg.Point{X: x(float64(len(s.Values)) * width), Y: y(0)})
		if edge = simplify(edge, tolerance); len(edge) > 2 {
			c.FillPolygon(series(kind), edge)
		}
	}
}
