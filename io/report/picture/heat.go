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
	Cells         [][]Cell // by row and column
	Charts        int      // it takes the room of so many, 0 of one
}

// Cell is a cell of a heat map.
type Cell struct {
	Shade float64 // from 0, which is no color, to 1
	Wrong bool    // use the color of errors
	Text  string  // omitted if the cell is too small
	Part  string  // in a second line, if there is room for that of each cell
	Tip   string  // shown where a reader points at it
}

const (
	heatNames   = 110 // maximum width of names
	heatLargest = 96  // limits of the size of a cell
	heatLeast   = 20
	heatHigh    = 44 // limit of the height of a cell, and of one of many
	heatLow     = 24
	heatMany    = 14 // rows
	heatLine    = 14 // distance of the two lines of text
)

// SVG draws the heat map.
func (h *Heat) SVG() string {
	rows, columns := fit(heatNames, h.Rows...), fit(heatNames, h.Columns...)
	margin := max(widest(rows), widest(columns)) + 34
	cell := min(max((Width(max(1, h.Charts))-margin-12)/vg.Length(len(h.Columns)), heatLeast), heatLargest)
	high := vg.Length(heatHigh)
	if len(h.Rows) >= heatMany {
		high = heatLow
	}
	high = min(cell, high)
	upright := widest(columns) > cell-4
	below := vg.Length(44)
	if upright {
		below = margin
	}
	width := max(margin+vg.Length(cell*vg.Length(len(h.Columns)))+12, 250)
	p := newPlot(axisOfNames(h.X, columns, false), axisOfNames(h.Y, rows, true))
	p.X.Tick.Length, p.Y.Tick.Length = 3, 3
	p.X.Tick.LineStyle.Width, p.Y.Tick.LineStyle.Width = 0, 0
	if upright {
		p.X.Tick.Label.Rotation = math.Pi / 2
		p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = draw.XRight, draw.YCenter
	}
	p.Add(shapes(h.cells))
	return h.draw(p, width, below+vg.Length(high*vg.Length(len(h.Rows)))+8, 8, 6, nil)
}

// widest returns the width of the widest name.
func widest(names []string) (w vg.Length) {
	for _, name := range names {
		w = max(w, width(name))
	}
	return w
}

func axisOfNames(label string, names []string, down bool) Axis {
	a := Axis{Label: label, Min: -0.5, Max: float64(len(names)) - 0.5}
	for i, name := range names {
		at := i
		if down {
			at = len(names) - 1 - i
		}
		a.Ticks = append(a.Ticks, Tick{float64(at), name})
	}
	return a
}

// cells draws the cells. The cells of the library's heat map cannot contain text.
func (h *Heat) cells(c draw.Canvas, x, y func(float64) vg.Length) {
	n, parts := len(h.Rows), y(1)-y(0) > 2*heatLine
	for _, row := range h.Cells {
		for _, cell := range row {
			parts = parts && width(cell.Part) < x(1)-x(0)
		}
	}
	for i := range h.Rows {
		for j := range h.Columns {
			h.Cells[i][j].draw(&c, parts, x(float64(j)-0.5)+0.5, y(float64(n-1-i)-0.5)+0.5, x(float64(j)+0.5)-0.5, y(float64(n-1-i)+0.5)-0.5)
		}
	}
}

func (cell *Cell) draw(c *draw.Canvas, part bool, left, bottom, right, top vg.Length) {
	if cell.Shade > 0 {
		of := shade
		if cell.Wrong {
			of = wrongShade
		}
		tipped(*c, cell.Tip, func() { box(*c, of(cell.Shade), left, bottom, right, top) })
	}
	style := textAt(draw.XCenter)
	switch {
	case cell.Shade >= 0.5:
		style.Color = onDark
	case cell.Wrong && cell.Shade == 0:
		style.Color = muted
	}
	middle := vg.Point{X: vg.Length((left + right) / 2), Y: vg.Length((bottom + top) / 2)} // rounded before it is moved, as on other machines
	if part && cell.Part != "" {
		c.FillText(style, middle.Sub(vg.Point{Y: heatLine / 2}), cell.Part)
		middle.Y += heatLine / 2
	}
	if width(cell.Text) < right-left-1 {
		c.FillText(style, middle, cell.Text)
	}
}
