package picture

import (
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/beameval/beameval/internal/collections"
)

// Ranks is a diagram of the mean ranks of systems (Demšar 2006): each system has a line from its
// mean rank on the axis to its name, the better half on the left, and bars connect systems whose
// ranks do not differ by more than the critical difference.
type Ranks struct {
	About
	Systems            []RankedSystem // the best first; at least two
	CriticalDifference float64
}

// RankedSystem is a system with its mean rank, from 1 to the number of systems.
type RankedSystem struct {
	Name string
	Rank float64
	Tip  string // shown where a reader points at it
}

const (
	rankLine  = 18  // distance of names
	rankBar   = 8   // distance of bars
	rankNames = 190 // width of names on each side
	rankAbove = 34  // room above the axis for the critical difference
	rankWidth = 2*chartWidth + Gap
)

// cliques returns the first and last system of each bar: the largest runs of systems that do not
// differ by more than the critical difference, of at least two.
func (r *Ranks) cliques() (runs [][2]int) {
	end := 0
	for i := range r.Systems {
		j := i
		for j+1 < len(r.Systems) && r.Systems[j+1].Rank-r.Systems[i].Rank <= r.CriticalDifference {
			j++
		}
		if j > i && j > end {
			runs, end = append(runs, [2]int{i, j}), j
		}
	}
	return runs
}

// SVG draws the diagram. Its axes are in pixels, y from the top.
func (r *Ranks) SVG() string {
	bars := r.cliques()
	names := (len(r.Systems) + 1) / 2
	height := vg.Length(rankAbove + 24 + len(bars)*rankBar + names*rankLine)
	p := newPlot(Axis{Min: 0, Max: rankWidth}, Axis{Min: -float64(height), Max: 0})
	p.HideAxes()
	p.Add(shapes(func(c draw.Canvas, x, y func(float64) vg.Length) {
		down := func(pixels float64) vg.Length { return y(-pixels) }
		r.axis(c, x, down)
		for i, bar := range bars {
			at := down(float64(rankAbove + 22 + i*rankBar))
			c.StrokeLine2(draw.LineStyle{Color: series(0), Width: 4}, x(r.at(r.Systems[bar[0]].Rank)-3), at, x(r.at(r.Systems[bar[1]].Rank)+3), at)
		}
		shown := fit(rankNames-14, collections.Map(r.Systems, func(s RankedSystem) string { return s.Name })...)
		for i, s := range r.Systems {
			row := i
			if i >= names {
				row = len(r.Systems) - 1 - i
			}
			r.system(c, s, shown[i], i < names, x, down, float64(rankAbove+24+len(bars)*rankBar+row*rankLine+6))
		}
	}))
	return r.draw(p, rankWidth, height, 0, 0, nil)
}

// at returns the position of a mean rank.
func (r *Ranks) at(rank float64) float64 {
	return rankNames + float64((rank-1)/float64(len(r.Systems)-1)*(rankWidth-2*rankNames))
}

// axis draws the axis of mean ranks and, above it, the critical difference.
func (r *Ranks) axis(c draw.Canvas, x, down func(float64) vg.Length) {
	n := len(r.Systems)
	line := draw.LineStyle{Color: muted, Width: 1}
	c.StrokeLine2(line, x(r.at(1)), down(rankAbove), x(r.at(float64(n))), down(rankAbove))
	step := (n + 9) / 10
	for rank := 1; rank <= n; rank += step {
		at := x(r.at(float64(rank)))
		c.StrokeLine2(line, at, down(rankAbove), at, down(rankAbove-4))
		c.FillText(textAt(draw.XCenter), vg.Point{X: at, Y: down(rankAbove - 11)}, strconv.Itoa(rank))
	}
	end := r.at(min(1+r.CriticalDifference, float64(n)))
	c.StrokeLine2(draw.LineStyle{Color: text, Width: 3}, x(r.at(1)), down(6), x(end), down(6))
	c.FillText(textAt(draw.XRight), vg.Point{X: x(r.at(1) - 6), Y: down(6)}, "critical diff. "+strconv.FormatFloat(r.CriticalDifference, 'f', 2, 64))
}

// system draws the line from the mean rank of a system to its name.
func (r *Ranks) system(c draw.Canvas, s RankedSystem, name string, left bool, x, down func(float64) vg.Length, row float64) {
	end, align, gap := float64(rankNames-8), draw.XRight, -4.0
	if !left {
		end, align, gap = rankWidth-rankNames+8, draw.XLeft, 4
	}
	line := draw.LineStyle{Color: muted, Width: 1}
	at := r.at(s.Rank)
	c.StrokeLine2(line, x(at), down(rankAbove), x(at), down(row))
	c.StrokeLine2(line, x(at), down(row), x(end), down(row))
	tipped(c, s.Tip, func() {
		c.DrawGlyph(draw.GlyphStyle{Color: series(0), Radius: 3, Shape: draw.CircleGlyph{}}, vg.Point{X: x(at), Y: down(rankAbove)})
	})
	c.FillText(textAt(align), vg.Point{X: x(end + gap), Y: down(row)}, name)
}
