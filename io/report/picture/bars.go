package picture

import (
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Bar is a bar over an interval. Its parts are stacked.
type Bar struct {
	From, To float64
	Parts    []float64
	Tip      string // shown where a reader points at it
}

// Bars is a histogram.
type Bars struct {
	About
	X     Axis
	Label string   // of the Y axis
	Names []string // of the parts
	Bars  []Bar
	Line  *float64 // position of a vertical line, if not nil
}

// SVG draws the histogram.
func (b *Bars) SVG() string {
	return b.draw(b.plot(b.X), chartWidth, chartHeight*3/4, 8, 6, b.legend())
}

// legend returns the names of the parts if there are several.
func (b *Bars) legend() (l legend) {
	if len(b.Names) > 1 {
		for i, name := range b.Names {
			l = append(l, entry{name: name, ink: series(i)})
		}
	}
	return l
}

// plot returns the plot over an X axis.
func (b *Bars) plot(x Axis) *plot.Plot {
	y := Axis{Label: b.Label}
	for _, bar := range b.Bars {
		y.Max = max(y.Max, collections.Sum(slices.Values(bar.Parts)))
	}
	if y.Max == 0 {
		y.Max = 1
	}
	y.Ticks = barTicks(y.Max)
	p := newPlot(x, y)
	addGrid(p)
	p.Add(shapes(b.stack))
	if b.Line != nil {
		p.Add(segment(Point{X: *b.Line}, Point{X: *b.Line, Y: y.Max}, *lineStyle(1)))
	}
	return p
}

// barTicks returns few ticks, because bars are low.
func barTicks(high float64) []Tick {
	all := ticker{}.Ticks(0, high)
	var ticks []Tick
	for i, t := range all {
		if i%((len(all)+2)/3) == 0 {
			ticks = append(ticks, Tick{t.Value, t.Label})
		}
	}
	return ticks
}

// stack draws the bars. The histogram of the library supports neither bins of unequal width nor
// stacking.
func (b *Bars) stack(c draw.Canvas, x, y func(float64) vg.Length) {
	for _, bar := range b.Bars {
		tipped(c, bar.Tip, func() {
			from := 0.0
			for i, part := range bar.Parts {
				if part > 0 {
					left, right := x(bar.From), x(bar.To)
					if right-left > 3 {
						left, right = left+0.5, right-0.5
					}
					box(c, series(i), left, y(from), right, y(from+part))
				}
				from += part
			}
		})
	}
}

// box fills a rectangle.
func box(c draw.Canvas, color ink, left, bottom, right, top vg.Length) {
	c.FillPolygon(color, []vg.Point{{X: left, Y: bottom}, {X: left, Y: top}, {X: right, Y: top}, {X: right, Y: bottom}})
}
