package picture

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/beameval/beameval/internal/collections"
)

// Dot is a value with an interval, whose ends are NaN if there is none.
type Dot struct {
	Name             string
	Value, Low, High float64
	Kind             int    // selects the shape; kinds 0 and 1 are drawn in prominent colors
	Tip              string // shown where a reader points at it
	Hollow, Diamond  bool   // instead of the shape of the kind
}

// Dots is a chart of values, one on each line.
type Dots struct {
	About
	Label     string   // of the values
	Dots      []Dot    // from top to bottom; values are finite
	Reference *Mark    // a vertical line at X, if not nil
	Bars      bool     // draw bars from 0 instead of dots
	Joined    bool     // a line leads from each dot to the next
	Kinds     []string // names of the kinds; if empty, there is a single kind
	// What a legend says of hollow dots and diamonds.
	Hollow, Diamond string
}

// glyphs are the shapes of the kinds of dots.
var glyphs = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.PyramidGlyph{}, draw.BoxGlyph{}}

// hollow is a circle that is filled with the colour of the page.
type hollow struct{}

// DrawGlyph implements draw.GlyphDrawer.
func (hollow) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	style.Shape = draw.CircleGlyph{}
	c.DrawGlyph(style, at)
	style.Color, style.Radius = onDark, style.Radius-1.5
	c.DrawGlyph(style, at)
}

// diamond is a square that stands on a corner.
type diamond struct{}

// DrawGlyph implements draw.GlyphDrawer.
func (diamond) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	reach := vg.Length(style.Radius * 1.4)
	c.FillPolygon(style.Color, []vg.Point{{X: at.X - reach, Y: at.Y}, {X: at.X, Y: at.Y + reach}, {X: at.X + reach, Y: at.Y}, {X: at.X, Y: at.Y - reach}})
}

// shape returns the shape of a dot.
func (d *Dot) shape() draw.GlyphDrawer {
	switch {
	case d.Hollow:
		return hollow{}
	case d.Diamond:
		return diamond{}
	}
	return glyphs[d.Kind%len(glyphs)]
}

func kindInk(kind int) ink {
	if kind > 1 {
		return muted
	}
	return series(kind)
}

// reference returns the style of the vertical line. Its color differs from the colors of the kinds.
func (d *Dots) reference() *draw.LineStyle {
	style := lineStyle(1)
	if len(d.Kinds) > 0 {
		style.Color = muted
	}
	return style
}

const (
	dotLine     = 18
	dotNames    = 164 // maximum width of names
	dotsMargins = 62
)

// SVG draws the chart.
func (d *Dots) SVG() string {
	n := len(d.Dots)
	y := Axis{Min: -0.6, Max: float64(n) - 0.4, Ticks: []Tick{}}
	for i, name := range fit(dotNames, collections.Map(d.Dots, func(dot Dot) string { return dot.Name })...) {
		y.Ticks = append(y.Ticks, Tick{float64(n - 1 - i), name})
	}
	p := newPlot(d.axis(), y)
	p.Y.Tick.Length = 0
	p.Y.Tick.LineStyle.Width = 0
	addGrid(p)
	d.add(p)
	return d.draw(p, chartWidth, vg.Length(n*dotLine+dotsMargins), 10, 4, d.legend())
}

// legend explains what is drawn.
func (d *Dots) legend() (all legend) {
	has := func(is func(*Dot) bool) bool {
		return slices.ContainsFunc(d.Dots, func(dot Dot) bool { return is(&dot) })
	}
	if d.Reference != nil {
		all = append(all, entry{name: d.Reference.Name, line: d.reference()})
	}
	for kind, name := range d.Kinds {
		if has(func(dot *Dot) bool { return dot.Kind == kind }) {
			shape := glyphs[kind%len(glyphs)]
			if d.Bars {
				shape = draw.BoxGlyph{}
			}
			all = append(all, entry{name: name, ink: kindInk(kind), dot: true, shape: shape})
		}
	}
	for _, of := range []struct {
		name  string
		is    func(*Dot) bool
		shape draw.GlyphDrawer
	}{{d.Hollow, func(dot *Dot) bool { return dot.Hollow }, hollow{}}, {d.Diamond, func(dot *Dot) bool { return dot.Diamond && !dot.Hollow }, diamond{}}} {
		if has(of.is) {
			all = append(all, entry{name: of.name, ink: series(0), dot: true, shape: of.shape})
		}
	}
	if has(d.unsure) {
		all = append(all, entry{name: "no interval", line: &unsure})
	}
	return all
}

// unsure reports whether a grey line leads from the reference to a dot, because it has no interval.
func (d *Dots) unsure(dot *Dot) bool { return math.IsNaN(dot.Low) && d.Reference != nil && !d.Bars }

// unsure is the style of that line.
var unsure = draw.LineStyle{Color: grid, Width: 3}

// axis returns the axis of the values: from 0 to 1 if that range contains them and shows them well.
func (d *Dots) axis() Axis {
	low, high := math.Inf(1), math.Inf(-1)
	see := func(x float64) {
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			low, high = min(low, x), max(high, x)
		}
	}
	for _, dot := range d.Dots {
		see(dot.Value)
		see(dot.Low)
		see(dot.High)
	}
	if d.Reference != nil {
		see(d.Reference.X)
	}
	if d.Bars {
		see(0)
	}
	a := AxisFrom(low, high)
	a.Label = d.Label
	if d.Bars && low >= 0 {
		a.Min = 0
	}
	return a
}

// AxisFrom returns an axis for numbers from low to high, with a margin that does not reach beyond 0
// and 1 if the numbers do not.
func AxisFrom(low, high float64) Axis {
	margin := float64((high - low) * 0.06)
	if margin == 0 {
		margin = max(float64(math.Abs(high)*0.1), 0.05)
	}
	a := Axis{Min: low - margin, Max: high + margin}
	if low >= 0 && high <= 1 {
		a.Min, a.Max = max(a.Min, 0), min(a.Max, 1)
	}
	return a
}

func (d *Dots) add(p *plot.Plot) {
	n := len(d.Dots)
	if d.Reference != nil {
		at := d.Reference.X
		p.Add(segment(Point{at, p.Y.Min}, Point{at, p.Y.Max}, *d.reference()))
	}
	p.Add(shapes(func(c draw.Canvas, x, y func(float64) vg.Length) {
		if d.Joined {
			line := make([]vg.Point, n)
			for i, dot := range d.Dots {
				line[i] = vg.Point{X: x(dot.Value), Y: y(float64(n - 1 - i))}
			}
			c.StrokeLines(*lineStyle(0), line)
		}
		for i, dot := range d.Dots {
			tipped(c, dot.Tip, func() { d.dot(&dot, c, x, y, float64(n-1-i)) })
		}
	}))
}

// dot draws a value at a height.
func (d *Dots) dot(dot *Dot, c draw.Canvas, x, y func(float64) vg.Length, at float64) {
	if d.Bars {
		box(c, kindInk(dot.Kind), x(0), y(at-0.32), x(dot.Value), y(at+0.32))
	}
	if d.unsure(dot) { // how far it is from the reference
		c.StrokeLine2(unsure, x(d.Reference.X), y(at), x(dot.Value), y(at))
	}
	if !math.IsNaN(dot.Low) && !math.IsNaN(dot.High) {
		style := draw.LineStyle{Color: kindInk(dot.Kind), Width: 1.5}
		if d.Bars {
			style.Color = text
		}
		c.StrokeLine2(style, x(dot.Low), y(at), x(dot.High), y(at))
	}
	if !d.Bars {
		c.DrawGlyph(draw.GlyphStyle{Color: kindInk(dot.Kind), Radius: 3.5, Shape: dot.shape()}, vg.Point{X: x(dot.Value), Y: y(at)})
	}
}
