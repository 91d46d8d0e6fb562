package picture

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Trend is a chart of a number over time, with a band for its intervals, and of the evidence of a
// change below it. Both share the X axis.
type Trend struct {
	About
	X, Y     Axis
	Readings []Reading
	Rules    []float64 // X of vertical lines
	Rule     string    // what they mean
	// Marks have the color of alarms. Line selects their shape: 1 is a triangle, 2 a square.
	Marks    []Mark
	Evidence Evidence
}

// Reading is a number with its interval, whose ends are NaN if there is none. If Y is not finite,
// the reading interrupts the line.
type Reading struct {
	Spot
	Low, High float64
}

// Evidence is the lower chart of a Trend. A point whose Y is not finite interrupts its line.
type Evidence struct {
	Y         Axis
	Points    []Spot
	Threshold float64 // the height of a horizontal line, or NaN
	Name      string  // of that line
}

// lowerHeight is the height of the lower chart.
const lowerHeight = 130

// SVG draws the chart.
func (t *Trend) SVG() string {
	legend := t.legend()
	below := legend.height()
	lower := vg.Length(0)
	if len(t.Evidence.Points) > 0 {
		lower = lowerHeight
	}
	c := newCanvas(chartWidth, chartHeight*3/4+below+lower)
	all := draw.NewCanvas(c, c.width, c.height)
	p := t.plot()
	top := draw.Crop(all, 0, -14, below+lower, -6)
	if lower > 0 {
		p.X.Label.Text = ""
		q := t.evidence()
		bottom := draw.Crop(all, 0, -14, below, -(chartHeight*3/4 + 4))
		align(p, q, &top, &bottom)
		p.Draw(top)
		q.Draw(bottom)
	} else {
		p.Draw(top)
	}
	legend.draw(&all)
	return c.svg(&t.About)
}

// align moves the left edges of the canvases of two plots, so that both data areas start at the
// same x.
func align(p, q *plot.Plot, ofP, ofQ *draw.Canvas) {
	a, b := p.DataCanvas(*ofP), q.DataCanvas(*ofQ)
	left := max(a.Min.X, b.Min.X)
	ofP.Min.X += left - a.Min.X
	ofQ.Min.X += left - b.Min.X
}

// plot returns the upper chart.
func (t *Trend) plot() *plot.Plot {
	p := newPlot(t.X, t.Y)
	addGrid(p)
	p.Add(shapes(t.band))
	t.rules(p)
	spots := make([]Spot, len(t.Readings))
	for i, r := range t.Readings {
		spots[i] = r.Spot
	}
	broken(p, spots)
	p.Add(t.marks(), apart(spots))
	return p
}

// evidence returns the lower chart.
func (t *Trend) evidence() *plot.Plot {
	p := newPlot(t.X, t.Evidence.Y)
	addGrid(p)
	t.rules(p)
	if at := t.Evidence.Threshold; !math.IsNaN(at) {
		p.Add(segment(Point{t.X.Min, at}, Point{t.X.Max, at}, *lineStyle(1)))
	}
	broken(p, t.Evidence.Points)
	p.Add(apart(t.Evidence.Points))
	return p
}

func (t *Trend) rules(p *plot.Plot) {
	for _, x := range t.Rules {
		p.Add(segment(Point{x, p.Y.Min}, Point{x, p.Y.Max}, dotted))
	}
}

// parts returns the consecutive points between those that are not finite.
func parts[T any](points []T, finite func(T) bool) (all [][]T) {
	start := 0
	for i, p := range points {
		if !finite(p) {
			all = append(all, points[start:i])
			start = i + 1
		}
	}
	all = append(all, points[start:])
	kept := all[:0]
	for _, part := range all {
		if len(part) > 0 {
			kept = append(kept, part)
		}
	}
	return kept
}

// broken adds a line with gaps. A point between two gaps becomes a dot.
func broken(p *plot.Plot, points []Spot) {
	for _, part := range parts(points, func(s Spot) bool { return s.finite() }) {
		if len(part) == 1 {
			p.Add(lone(part[0].Point))
			continue
		}
		line := make(plotter.XYs, len(part))
		for i, s := range part {
			line[i] = plotter.XY(s.Point)
		}
		p.Add(&thinned{Line: plotter.Line{XYs: line, LineStyle: *lineStyle(0)}, tolerance: tolerance})
	}
}

// lone draws a dot.
func lone(at Point) shapes {
	return func(c draw.Canvas, x, y func(float64) vg.Length) {
		c.DrawGlyph(draw.GlyphStyle{Color: series(0), Radius: 2, Shape: draw.CircleGlyph{}}, vg.Point{X: x(at.X), Y: y(at.Y)})
	}
}

// band fills the intervals, as far as the chart shows them.
func (t *Trend) band(c draw.Canvas, x, y func(float64) vg.Length) {
	has := func(r Reading) bool { return r.finite() && Point{r.Low, r.High}.finite() }
	for _, part := range parts(t.Readings, has) {
		low, high := make([]vg.Point, len(part)), make([]vg.Point, len(part))
		for i, r := range part {
			at := vg.Length(snapped(float64(x(r.X))))
			low[i] = vg.Point{X: at, Y: vg.Length(snapped(float64(y(max(r.Low, t.Y.Min)))))}
			high[i] = vg.Point{X: at, Y: vg.Length(snapped(float64(y(min(r.High, t.Y.Max)))))}
		}
		if len(part) == 1 {
			c.StrokeLine2(draw.LineStyle{Color: bandInk, Width: 3}, low[0].X, low[0].Y, high[0].X, high[0].Y)
			continue
		}
		outline := simplify(low, tolerance)
		above := simplify(high, tolerance)
		for i := range above {
			outline = append(outline, above[len(above)-1-i])
		}
		c.FillPolygon(bandInk, outline)
	}
}

// bandInk is the color of a band: a light shade of the line's.
var bandInk = shade(0.15)

func (t *Trend) marks() plot.Plotter {
	return shapes(func(c draw.Canvas, x, y func(float64) vg.Length) {
		for _, m := range t.Marks {
			tipped(c, m.Tip, func() {
				c.DrawGlyph(draw.GlyphStyle{Color: series(1), Radius: markRadius, Shape: glyphs[m.Line%len(glyphs)]}, vg.Point{X: x(m.X), Y: y(m.Y)})
			})
		}
	})
}

// legend explains the marks and the other lines.
func (t *Trend) legend() (all legend) {
	for _, m := range t.Marks {
		all = append(all, entry{name: m.Name, ink: series(1), dot: true, shape: glyphs[m.Line%len(glyphs)]})
	}
	if len(t.Rules) > 0 {
		all = append(all, entry{name: t.Rule, line: &dotted})
	}
	if !math.IsNaN(t.Evidence.Threshold) && len(t.Evidence.Points) > 0 {
		all = append(all, entry{name: t.Evidence.Name, line: lineStyle(1)})
	}
	return all
}
