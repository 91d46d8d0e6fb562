package picture

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/beameval/beameval/internal/elementary"
)

// Point is a point of a line.
type Point struct{ X, Y float64 }

func (p Point) finite() bool { return !math.IsNaN(p.X+p.Y) && !math.IsInf(p.X+p.Y, 0) }

// Line is a line of a chart. Points that are not finite are omitted.
type Line struct {
	Name   string
	Points []Point
	Marked bool   // draw a dot at each of its spots
	Back   bool   // draw it grey, behind the others and without an entry in the legend
	Spots  []Spot // numbers for readers who point at them
}

// Show makes the line show a text to readers who point at (x, y).
func (l *Line) Show(x, y float64, tip string) { l.Spots = append(l.Spots, Spot{Point{x, y}, tip}) }

// Add adds a point that shows a text.
func (l *Line) Add(x, y float64, tip string) {
	l.Points = append(l.Points, Point{x, y})
	l.Show(x, y, tip)
}

// Spot is a point of a chart that shows a text to readers who point at it.
type Spot struct {
	Point
	Tip string
}

// Guide is a thin line for orientation, with text at a point of it.
type Guide struct {
	Text   string
	At     Point
	Points []Point
}

// Band is where the number at X is expected. Bands are behind the lines.
type Band struct{ X, Low, High float64 }

// Mark is a point with a name.
type Mark struct {
	Name string
	Point
	Line int    // index of the line whose color the mark has
	Tip  string // shown where a reader points at it
	Same bool   // it has no entry in the legend, because an earlier mark has the same name
}

// Lines is a chart of lines with a legend below it and, optionally, bars below that share its X
// axis.
type Lines struct {
	About
	X, Y   Axis
	Lines  []Line
	Guides []Guide
	Bands  []Band // upright strokes or, if Filled, the corners of an area
	Filled bool
	Marks  []Mark
	Bars   *Bars
	// Chosen, if not empty, is the kind of line that the page's script may draw instead of the
	// lines in front. Its element says so, and where the data area is and its lowest number, if
	// that is not 0, and its highest.
	Chosen string
}

// Sizes of a chart.
const (
	chartWidth  = 366
	chartHeight = 300
	barsHeight  = 110
	markRadius  = 4.5
	bandWidth   = 9
	spotGap     = 14
)

// SVG draws the chart.
func (l *Lines) SVG() string {
	legend := l.legend()
	below := legend.height()
	bars := vg.Length(0)
	if l.Bars != nil {
		bars = barsHeight
	}
	c := newCanvas(chartWidth, chartHeight+below+bars)
	all := draw.NewCanvas(c, c.width, c.height)
	p := l.plot()
	top := draw.Crop(all, 0, -8, below+bars, -6)
	if l.Bars != nil {
		p.X.Label.Text = ""
		q := l.Bars.plot(l.X)
		middle := draw.Crop(all, 0, -8, below, -(chartHeight + 4))
		align(p, q, &top, &middle)
		q.Draw(middle)
	}
	p.Draw(top)
	l.group("front").Plot(all, p)
	legend.draw(&all)
	l.group("").Plot(all, p)
	return c.svg(&l.About)
}

func (l *Lines) plot() *plot.Plot {
	p := newPlot(l.X, l.Y)
	addGrid(p)
	for i := range l.Lines {
		if line := &l.Lines[i]; line.Back {
			p.Add(l.line(line, draw.LineStyle{Color: back, Width: 1}))
		}
	}
	for _, g := range l.Guides {
		p.Add(&thinned{Line: plotter.Line{XYs: xys(g.Points), LineStyle: dotted}, tolerance: tolerance})
	}
	p.Add(shapes(l.bands), l.group("front"))
	for i, n := 0, 0; i < len(l.Lines); i++ {
		if line := &l.Lines[i]; !line.Back {
			p.Add(l.line(line, *lineStyle(n)))
			if line.Marked {
				p.Add(line.dots(series(n)))
			}
			n++
		}
	}
	p.Add(l.marks(), l.spots(), l.group(""), shapes(l.chosen))
	for _, g := range l.Guides {
		if g.Text != "" {
			p.Add(note(g.At, g.Text))
		}
	}
	return p
}

// line draws a line. Those behind are many, so they are coarser.
func (l *Lines) line(line *Line, style draw.LineStyle) plot.Plotter {
	t := &thinned{Line: plotter.Line{XYs: xys(line.Points), LineStyle: style}, tolerance: tolerance}
	if line.Back {
		t.tip, t.tolerance = line.Name, 2*tolerance
		if len(l.Lines) > 100 {
			t.tolerance = 5 * tolerance
		}
	}
	return t
}

func (l *Lines) bands(c draw.Canvas, x, y func(float64) vg.Length) {
	if l.Filled {
		l.area(c, x, y)
		return
	}
	for _, b := range l.Bands {
		c.StrokeLine2(draw.LineStyle{Color: bandInk, Width: bandWidth}, x(b.X), y(b.Low), x(b.X), y(b.High))
	}
}

// area fills the space between the ends of the bands.
func (l *Lines) area(c draw.Canvas, x, y func(float64) vg.Length) {
	var outline []vg.Point
	for _, b := range l.Bands {
		outline = append(outline, vg.Point{X: x(b.X), Y: y(b.Low)})
	}
	for _, b := range slices.Backward(l.Bands) {
		outline = append(outline, vg.Point{X: x(b.X), Y: y(b.High)})
	}
	c.FillPolygon(bandInk, outline)
}

// dots draws a dot at each spot of a line.
func (l *Line) dots(color ink) plot.Plotter {
	return shapes(func(c draw.Canvas, x, y func(float64) vg.Length) {
		for _, s := range l.Spots {
			if s.finite() {
				tipped(c, s.Tip, func() {
					c.DrawGlyph(draw.GlyphStyle{Color: color, Radius: 3, Shape: draw.CircleGlyph{}}, vg.Point{X: x(s.X), Y: y(s.Y)})
				})
			}
		}
	})
}

func (l *Lines) marks() plot.Plotter {
	return shapes(func(c draw.Canvas, x, y func(float64) vg.Length) {
		for _, m := range l.Marks {
			tipped(c, cmp.Or(m.Tip, m.Name), func() {
				c.DrawGlyph(draw.GlyphStyle{Color: series(m.Line), Radius: markRadius, Shape: draw.CircleGlyph{}}, vg.Point{X: x(m.X), Y: y(m.Y)})
			})
		}
	})
}

// spots shows the texts of the lines without dots.
func (l *Lines) spots() plot.Plotter {
	var all [][]Spot
	for i := range l.Lines {
		if !l.Lines[i].Marked {
			all = append(all, l.Lines[i].Spots)
		}
	}
	return apart(all...)
}

// apart shows the texts of the spots of lines that are at least spotGap pixels from the previous one
// of their line.
func apart(lines ...[]Spot) plot.Plotter {
	return shapes(func(c draw.Canvas, x, y func(float64) vg.Length) {
		var of []Spot
		for _, line := range lines {
			last := vg.Point{X: -spotGap}
			for _, s := range line {
				at := vg.Point{X: x(s.X), Y: y(s.Y)}
				if s.finite() && c.Contains(at) && elementary.Hypot(float64(at.X-last.X), float64(at.Y-last.Y)) >= spotGap {
					of, last = append(of, s), at
				}
			}
		}
		if len(of) == 0 {
			return
		}
		bottom(c).group("p")
		for _, s := range of {
			tipped(c, s.Tip, func() { bottom(c).spot(vg.Point{X: x(s.X), Y: y(s.Y)}) })
		}
		bottom(c).group("")
	})
}

// group starts a group of elements that the script may hide, or ends it if the class is empty.
func (l *Lines) group(class string) plot.Plotter {
	return shapes(func(c draw.Canvas, _, _ func(float64) vg.Length) {
		if l.Chosen != "" {
			bottom(c).group(class)
		}
	})
}

// chosen leaves room for the line that the script draws.
func (l *Lines) chosen(c draw.Canvas, x, y func(float64) vg.Length) {
	if l.Chosen != "" {
		of := bottom(c)
		left, bottom := of.at(vg.Point{X: x(l.X.Min), Y: y(l.Y.Min)})
		right, top := of.at(vg.Point{X: x(l.X.Max), Y: y(l.Y.Max)})
		least := ""
		if l.Y.Min != 0 {
			least = fmt.Sprintf(` data-min="%s"`, strconv.FormatFloat(l.Y.Min, 'g', 6, 64))
		}
		fmt.Fprintf(&of.body, `<g class="chosen" data-kind="%s" data-area="%s %s %s %s"%s data-max="%s"></g>`,
			l.Chosen, number(left), number(bottom), number(right), number(top), least, strconv.FormatFloat(l.Y.Max, 'g', 6, 64))
	}
}

// legend returns the names of the lines, marks and parts of bars. A single line needs no legend.
func (l *Lines) legend() legend {
	var all legend
	for _, line := range l.Lines {
		if !line.Back {
			all = append(all, entry{name: line.Name, line: lineStyle(len(all))})
		}
	}
	for _, m := range l.Marks {
		if !m.Same {
			all = append(all, entry{name: m.Name, ink: series(m.Line), dot: true})
		}
	}
	if len(all) == 1 && l.Chosen == "" {
		all = nil
	}
	if l.Bars != nil {
		all = append(all, l.Bars.legend()...)
	}
	return all
}

// dotted is the style of lines for orientation.
var dotted = draw.LineStyle{Color: muted, Width: 1, Dashes: []vg.Length{1, 3}}

// lineStyle returns the style of the i-th line.
func lineStyle(i int) *draw.LineStyle {
	return &draw.LineStyle{Color: series(i), Width: 1.8, Dashes: dashes(i)}
}

// xys returns the finite points.
func xys(points []Point) plotter.XYs {
	list := make(plotter.XYs, 0, len(points))
	for _, p := range points {
		if p.finite() {
			list = append(list, plotter.XY(p))
		}
	}
	return list
}

// note draws text at a point.
func note(at Point, text string) shapes {
	return func(c draw.Canvas, x, y func(float64) vg.Length) {
		style := textAt(draw.XCenter)
		style.Color = halo
		c.FillText(style, vg.Point{X: x(at.X), Y: y(at.Y)}, text)
	}
}

// thinned is a line without the points that make no visible difference.
type thinned struct {
	plotter.Line
	tip       string
	tolerance vg.Length // the maximum distance between the line and the points it leaves out
}

// tolerance is the tolerance of most lines, in pixels.
const tolerance = 0.3

// Plot implements plot.Plotter.
func (t *thinned) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	at := make([]vg.Point, len(t.XYs))
	for i, point := range t.XYs {
		at[i] = vg.Point{X: x(point.X), Y: y(point.Y)}
	}
	for _, line := range c.ClipLinesXY(at) {
		for i, p := range line {
			line[i] = vg.Point{X: vg.Length(snapped(float64(p.X))), Y: vg.Length(snapped(float64(p.Y)))}
		}
		tipped(c, t.tip, func() { c.StrokeLines(t.LineStyle, simplify(line, t.tolerance)) })
	}
}

// simplify omits points that are close to the line between the remaining ones, by the method of
// Ramer (1972) and of Douglas and Peucker (1973).
func simplify(points []vg.Point, tolerance vg.Length) []vg.Point {
	if len(points) < 3 {
		return points
	}
	keep := make([]bool, len(points))
	keep[0], keep[len(points)-1] = true, true
	todo := [][2]int{{0, len(points) - 1}}
	for len(todo) > 0 {
		first, last := todo[len(todo)-1][0], todo[len(todo)-1][1]
		todo = todo[:len(todo)-1]
		furthest, distance := 0, tolerance
		for i := first + 1; i < last; i++ {
			if d := fromSegment(points[i], points[first], points[last]); d > distance {
				furthest, distance = i, d
			}
		}
		if furthest > 0 {
			keep[furthest] = true
			todo = append(todo, [2]int{first, furthest}, [2]int{furthest, last})
		}
	}
	var kept []vg.Point
	for i, p := range points {
		if keep[i] {
			kept = append(kept, p)
		}
	}
	return kept
}

// fromSegment returns the distance of p from the segment between a and b.
func fromSegment(p, a, b vg.Point) vg.Length {
	dx, dy := float64(b.X-a.X), float64(b.Y-a.Y)
	x, y := float64(p.X-a.X), float64(p.Y-a.Y)
	if square := dot(dx, dx, dy, dy); square > 0 {
		along := min(1, max(0, dot(x, dx, y, dy)/square))
		x, y = x-float64(along*dx), y-float64(along*dy)
	}
	return vg.Length(elementary.Hypot(x, y))
}
