package picture

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/beameval/beameval/internal/collections"
)

// entry is an entry of a legend: a line, a dot or, if it has neither, a box.
type entry struct {
	name  string
	ink   ink
	line  *draw.LineStyle
	dot   bool
	shape draw.GlyphDrawer // of the dot; nil means a circle
}

const (
	legendLine = 17
	swatch     = 26 // width of the symbol before the name
)

// legend is the legend below a plot.
type legend []entry

// columns returns how many entries fit side by side.
func (l legend) columns() int {
	for _, e := range l {
		if width(e.name) > chartWidth/2-swatch-24 {
			return 1
		}
	}
	return 2
}

// height returns the height of the legend.
func (l legend) height() vg.Length {
	if len(l) == 0 {
		return 0
	}
	n := l.columns()
	return vg.Length((len(l)+n-1)/n*legendLine + 2)
}

// draw draws the legend at the bottom of a canvas.
func (l legend) draw(c *draw.Canvas) {
	style := textAt(draw.XLeft)
	n := l.columns()
	column := vg.Length(chartWidth / n)
	names := fit(column-swatch-16, collections.Map(l, func(e entry) string { return e.name })...)
	for i, e := range l {
		x := c.Min.X + 8 + vg.Length(vg.Length(i%n)*column)
		y := c.Min.Y + l.height() - legendLine/2 - vg.Length(i/n*legendLine)
		switch {
		case e.line != nil:
			c.StrokeLine2(*e.line, x, y, x+swatch-6, y)
		case e.dot:
			if e.shape == nil {
				e.shape = draw.CircleGlyph{}
			}
			c.DrawGlyph(draw.GlyphStyle{Color: e.ink, Radius: markRadius, Shape: e.shape}, vg.Point{X: x + swatch/2 - 3, Y: y})
		default:
			box(*c, e.ink, x+3, y-5, x+swatch-9, y+5)
		}
		c.FillText(style, vg.Point{X: x + swatch, Y: y}, names[i])
	}
}
