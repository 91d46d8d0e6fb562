// Package picture draws the pictures of a report as SVG: lines, heat maps, dots and bars.
//
// gonum.org/v1/plot draws axes, scales and lines on a canvas of this package. The canvas gives
// elements classes instead of colors, so that the stylesheet of a page decides how they look in
// light and dark mode and on paper. Lines differ in dashes as well as in color. Text remains text.
//
// A picture depends only on its numbers. The package knows nothing about metrics.
package picture

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/beameval/beameval/internal/abbreviate"
	"github.com/beameval/beameval/internal/elementary"
)

// textSize is the size of all text, in pixels. Pages show pictures at the width at which they are drawn, or on a phone at
// a little less, so that text is nowhere smaller than 11 pixels.
const textSize = 12

// Gap is between the drawings of neighbouring charts of a page: what page/style.css puts between and inside cards.
const Gap = 30

// Width returns the width of a picture that takes the room of so many charts.
func Width(charts int) vg.Length { return vg.Length(charts*(chartWidth+Gap) - Gap) }

var textFont = font.Font{Typeface: "Liberation", Variant: "Sans", Size: textSize}

// About describes a picture.
type About struct {
	ID    string // unique in the page
	Title string
	Desc  string // for people who cannot see it
	Note  string // what the page says above its numbers; "" for nothing
}

// Heading returns the description of the picture that embeds it.
func (a *About) Heading() *About { return a }

// Axis is an axis of a chart.
type Axis struct {
	Label    string
	Min, Max float64
	// Ticks are the positions of labelled ticks; if empty, they are chosen automatically.
	Ticks []Tick
}

// Tick is a labelled position on an axis.
type Tick struct {
	At   float64
	Text string
}

// newPlot returns a plot without data.
func newPlot(x, y Axis) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, side := range []struct {
		axis *plot.Axis
		is   Axis
	}{{&p.X, x}, {&p.Y, y}} {
		a := side.axis
		a.Min, a.Max = side.is.Min, side.is.Max
		a.Label.Text, a.Label.TextStyle.Font, a.Label.TextStyle.Color, a.Label.Padding = side.is.Label, textFont, text, 3
		a.Tick.Label.Font, a.Tick.Label.Color = textFont, text
		a.LineStyle.Color, a.Tick.LineStyle.Color = muted, muted
		a.LineStyle.Width, a.Tick.LineStyle.Width = 1, 1
		a.Tick.Length, a.Padding = 4, 0
		a.Tick.Marker = ticker{side.is.Ticks}
	}
	return p
}

// ticker places up to about seven labelled ticks at round numbers.
type ticker struct{ given []Tick }

func (t ticker) Ticks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	for _, given := range t.given {
		ticks = append(ticks, plot.Tick{Value: given.At, Label: given.Text})
	}
	if t.given != nil || !(high > low) || math.IsInf(high-low, 0) {
		return ticks
	}
	step := math.Pow10(elementary.Exponent10((high - low) / 6))
	for _, factor := range []float64{1, 2, 2.5, 5, 10} {
		if (high-low)/(step*factor) <= 6 {
			step *= factor
			break
		}
	}
	first := math.Ceil(low/step-1e-9) + 0
	for i := range 8 { // at most 7 fit; numbers far from 0 have no neighbour at a distance of 1
		if at := (first + float64(i)) * step; at <= high+float64(1e-9*step) {
			ticks = append(ticks, plot.Tick{Value: at, Label: tickText(at)})
		}
	}
	return ticks
}

// tickText formats a round number concisely: 0.25, 20k.
func tickText(x float64) string {
	x += 0 // avoid negative zero
	unit := ""
	for _, u := range []struct {
		size float64
		name string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e4, "k"}} {
		if math.Abs(x) >= u.size {
			x, unit = x/u.size, u.name
			if u.name == "k" {
				x *= 10
			}
			break
		}
	}
	return strings.Replace(strconv.FormatFloat(x, 'g', 4, 64), "-", "−", 1) + unit
}

// addGrid adds lines at the ticks.
func addGrid(p *plot.Plot) {
	g := plotter.NewGrid()
	g.Horizontal = draw.LineStyle{Color: grid, Width: 1}
	g.Vertical = g.Horizontal
	p.Add(g)
}

// draw returns the picture of a plot with a legend below it, which may be empty.
func (a *About) draw(p *plot.Plot, width, height, right, top vg.Length, below legend) string {
	c := newCanvas(width, height+below.height())
	all := draw.NewCanvas(c, c.width, c.height)
	p.Draw(draw.Crop(all, 0, -right, below.height(), -top))
	below.draw(&all)
	return c.svg(a)
}

// shapes draws in the data area of a plot. x and y turn numbers into positions.
type shapes func(c draw.Canvas, x, y func(float64) vg.Length)

// Plot implements plot.Plotter.
func (s shapes) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	s(c, x, y)
}

// tipped gives all that draws on c a text that is shown where a reader points at it.
func tipped(c draw.Canvas, tip string, draws func()) {
	of := bottom(c)
	of.tip = tip
	draws()
	of.tip = ""
}

// bottom returns the canvas that the library has cropped.
func bottom(c vg.Canvas) *canvas {
	for {
		cropped, ok := c.(draw.Canvas)
		if !ok {
			return c.(*canvas)
		}
		c = cropped.Canvas
	}
}

// segment returns a straight line.
func segment(from, to Point, style draw.LineStyle) *plotter.Line {
	return &plotter.Line{XYs: plotter.XYs{plotter.XY(from), plotter.XY(to)}, LineStyle: style}
}

// textAt returns the style of text that is aligned with a point.
func textAt(x draw.XAlignment) draw.TextStyle {
	style := newPlot(Axis{}, Axis{}).X.Tick.Label
	style.XAlign, style.YAlign = x, draw.YCenter
	return style
}

// width returns the width of s.
func width(s string) vg.Length {
	face := font.DefaultCache.Lookup(textFont, textSize)
	return face.Width(s)
}

// fit returns names, shortened if they are wider than most.
func fit(most vg.Length, names ...string) []string { return abbreviate.All(names, width, most) }

// dashes returns the dashes of the i-th line of a chart. Lines of similar colors, such as the two
// blues, have different dashes.
func dashes(i int) []vg.Length {
	return [][]vg.Length{nil, {6, 3}, {2, 2}}[i%3]
}
