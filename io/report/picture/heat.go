package picture

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Heat is a heat map. Its rows are drawn from top to bottom.
type Heat struct {
	About
	X, Y          string // labels of the axes
	Columns, Rows []string
	Share         [][]float64 // by row and column, from 0 to 1; NaN leaves a cell empty
	Text          [][]string  // in the cells; omitted if they are too small
}

const (
	heatNames   = 110 // maximum width of names
	heatLargest = 96  // limits of the size of a cell
	heatLeast   = 20
)

// SVG draws the heat map.
func (h *Heat) SVG() string {
	margin := max(widest(h.Rows), widest(h.Columns)) + 34
	cell := min(max((chartWidth-margin-12)/vg.Length(len(h.Columns)), heatLeast), heatLargest)
	upright := widest(h.Columns) > cell-4
	below := vg.Length(42)
	if upright {
		below = margin
	}
	width := max(margin+vg.Length(cell*vg.Length(len(h.Columns)))+12, 250)
	p := newPlot(h.axis(h.X, h.Columns, false), h.axis(h.Y, h.Rows, true))
	p.X.Tick.Length, p.Y.Tick.Length = 3, 3
	p.X.Tick.LineStyle.Width, p.Y.Tick.LineStyle.Width = 0, 0
	if upright {
		p.X.Tick.Label.Rotation = math.Pi / 2
		p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = draw.XRight, draw.YCenter
	}
	p.Add(shapes(h.cells))
	return h.draw(p, width, below+vg.Length(cell*vg.Length(len(h.Rows)))+8, 8, 6, nil)
}

// widest returns the width of the widest name.
func widest(names []string) (w vg.Length) {
	for _, name := range names {
		w = max(w, width(fit(name, heatNames)))
	}
	return w
}

func (h *Heat) axis(label string, names []string, down bool) Axis {
	a := Axis{Label: label, Min: -0.5, Max: float64(len(names)) - 0.5}
	for i, name := range names {
		at := i
		if down {
			at = len(names) - 1 - i
		}
		a.Ticks = append(a.Ticks, Tick{float64(at), fit(name, heatNames)})
	}
	return a
}

// cells draws the cells. Those of the library's heat map cannot contain text.
func (h *Heat) cells(c draw.Canvas, x, y func(float64) vg.Length) {
	style := textAt(draw.XCenter)
	n := len(h.Rows)
	for i := range h.Rows {
		for j := range h.Columns {
			share := h.Share[i][j]
			if share != share {
				continue
			}
			left, right := x(float64(j)-0.5), x(float64(j)+0.5)
			bottom, top := y(float64(n-1-i)-0.5), y(float64(n-1-i)+0.5)
			if share > 0 {
				box(c, shade(share), left+0.5, bottom+0.5, right-0.5, top-0.5)
			}
			if s := h.Text[i][j]; s != "" && width(s) < right-left-2 {
				style.Color = text
				if share >= 0.5 {
					style.Color = onDark
				}
				c.FillText(style, vg.Point{X: (left + right) / 2, Y: (bottom + top) / 2}, s)
			}
		}
	}
}
