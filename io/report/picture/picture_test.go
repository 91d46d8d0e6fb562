package picture

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/vg"
)

const hostile = "<b>&\"'\u202e" + "日本"

func hostileAbout() About { return About{ID: "p1", Title: hostile, Desc: hostile} }

// wellFormed returns the elements of an SVG file by name, and its text.
func wellFormed(t *testing.T, svg string) (elements map[string]int, texts []string) {
	t.Helper()
	require.NotContains(t, svg, "NaN")
	require.NotContains(t, svg, "Inf")
	elements = map[string]int{}
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return elements, texts
		}
		require.NoError(t, err, svg)
		switch token := token.(type) {
		case xml.StartElement:
			elements[token.Name.Local]++
		case xml.CharData:
			texts = append(texts, string(token))
		}
	}
}

func TestPictures(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	x := Axis{Label: hostile, Min: 0, Max: 1}
	long := strings.Repeat(hostile, 1000)
	bars := &Bars{About: hostileAbout(), X: x, Label: "n", Names: []string{hostile, "b"}, Bars: []Bar{{0, 0.5, []float64{3, 4}, hostile}, {0.5, 1, []float64{0, 2}, ""}}}
	dots := []Dot{{hostile, 0.5, 0.25, 0.75, 0, hostile, false, false}, {long, 0.5, nan, nan, 0, "", false, false}, {"", 0.1, nan, nan, 0, "", false, false}}
	tips := map[string]int{"lines": 7, "trend": 8, "bars": 2, "dots": 2, "one dot": 2, "line over bars": 2, "plane": 1, "heat": 1, "ranks": 3}
	for name, svg := range map[string]string{
		"lines": (&Lines{
			About: hostileAbout(), X: x, Y: x, Bars: bars,
			Lines:  []Line{{Name: long, Points: []Point{{0, 0}, {nan, 1}, {0.5, inf}, {1, 1}}, Spots: []Spot{{Point{0, 0}, hostile}, {Point{0.001, 0}, "too near"}, {Point{nan, 1}, "not drawn"}, {Point{1, 1}, "last"}}}, {Name: "marked", Marked: true, Spots: []Spot{{Point{0, 0}, hostile}, {Point{nan, 1}, "not drawn"}}}, {Name: hostile, Points: []Point{{0, 0}, {1, 1}}, Back: true}},
			Guides: []Guide{{Text: hostile, At: Point{0.5, 0.5}, Points: []Point{{0, 1}, {1, 0}}}},
			Marks:  []Mark{{Name: hostile, Point: Point{0.5, 0.5}}},
		}).SVG(),
		"trend": (&Trend{
			About: hostileAbout(), X: x, Y: x, Rules: []float64{0.25}, Rule: long, Marks: []Mark{{Name: long, Point: Point{0.5, 0.5}, Line: 1, Tip: hostile}, {Name: "b", Point: Point{1, 1}, Line: 2}},
			Readings: []Reading{{Spot{Point{0, 0.25}, hostile}, 0, 0.5}, {Spot{Point{0.125, 0.25}, "b"}, -1, 9}, {Spot{Point{nan, nan}, ""}, nan, nan}, {Spot{Point{0.25, 0.5}, "c"}, 0, 1}, {Spot{Point{0.375, inf}, "not drawn"}, 0, 1}, {Spot{Point{0.5, 0.5}, "d"}, nan, nan}, {Spot{Point{1, 0.5}, "e"}, 0, inf}},
			Evidence: Evidence{Y: x, Points: []Spot{{Point{0, 0}, hostile}, {Point{nan, nan}, ""}, {Point{0.5, 1}, "b"}}, Threshold: 0.75, Name: hostile},
		}).SVG(),
		"no trend": (&Trend{About: hostileAbout(), X: x, Y: x, Evidence: Evidence{Threshold: nan}}).SVG(),
		"bars":     bars.SVG(),
		"no bars":  (&Bars{About: hostileAbout(), X: x}).SVG(),
		"dots":     (&Dots{About: hostileAbout(), Label: hostile, Dots: dots, Reference: &Mark{Name: long, Point: Point{X: 0.4}}}).SVG(),
		"kinds": (&Dots{
			About: hostileAbout(), Label: hostile, Reference: &Mark{Name: long}, Kinds: []string{hostile, "b", "c", "none"},
			Dots: []Dot{{hostile, 0.5, 0.25, 0.75, 0, "", false, false}, {"b", 0.5, nan, nan, 1, "", false, false}, {"c", 0.1, nan, nan, 2, "", false, false}},
		}).SVG(),
		"one dot":        (&Dots{About: hostileAbout(), Dots: dots[:1]}).SVG(),
		"dots of 0":      (&Dots{About: hostileAbout(), Dots: []Dot{{"a", 0, nan, nan, 0, "", false, false}}, Bars: true}).SVG(),
		"line over bars": (&Bars{About: hostileAbout(), X: x, Label: "n", Bars: bars.Bars, Line: new(0.5)}).SVG(),
		"plane": (&Plane{
			About: hostileAbout(), X: x, Y: x,
			Boxes: []Box{{0, 0, 0.25, 100, "100", hostile}, {0.25, 0.5, 0.25, 1, hostile, ""}, {0.5, 0.5, 0.25, 2, "2", ""}, {0.75, 0.75, 0.25, 30, "30", ""}, {0, 0.75, 0.25, 60, "60", ""}},
		}).SVG(),
		"no plane":  (&Plane{About: hostileAbout(), X: x, Y: x}).SVG(),
		"sorted":    (&Sorted{About: hostileAbout(), X: hostile, Label: "y", Values: []float64{1, 0.5, 0, -0.25}, Count: 4000, Above: long, Below: hostile}).SVG(),
		"all equal": (&Sorted{About: hostileAbout(), X: hostile, Values: []float64{0, 0}, Count: 2}).SVG(),
		"ranks":     (&Ranks{About: hostileAbout(), CriticalDifference: 1.25, Systems: []RankedSystem{{hostile, 1, hostile}, {"b", 2, "b"}, {long[:400], 3, "c"}}}).SVG(),
		"heat": (&Heat{
			About: hostileAbout(), X: "x", Y: "y", Rows: []string{hostile, long}, Columns: []string{hostile, long},
			Cells: [][]Cell{{{Text: "1"}, {Shade: 1, Text: hostile, Part: hostile, Tip: hostile}}, {{Shade: 0.5, Wrong: true, Text: "2", Part: "3"}, {Wrong: true, Text: "0"}}},
		}).SVG(),
	} {
		t.Run(name, func(t *testing.T) {
			elements, texts := wellFormed(t, svg)
			require.Equal(t, 1+tips[name], elements["title"])
			require.Equal(t, 1, elements["desc"])
			require.Zero(t, elements["b"])
			require.Contains(t, texts, hostile)
			require.Less(t, len(svg), 20_000)
		})
	}
}

// TestCliques: a bar connects as many systems as differ by no more than the critical difference, and
// none is within another.
func TestCliques(t *testing.T) {
	of := func(critical float64, ranks ...float64) [][2]int {
		r := Ranks{CriticalDifference: critical}
		for _, rank := range ranks {
			r.Systems = append(r.Systems, RankedSystem{Rank: rank})
		}
		return r.cliques()
	}
	require.Equal(t, [][2]int{{0, 1}, {1, 3}}, of(1, 1, 2, 2.5, 3, 4.5))
	require.Equal(t, [][2]int{{0, 2}}, of(5, 1, 2, 3))
	require.Empty(t, of(0.5, 1, 2, 3))
	require.Equal(t, [][2]int{{0, 1}}, of(0.5, 1.5, 1.5, 3))
}

func TestTicks(t *testing.T) {
	for _, test := range []struct {
		low, high float64
		want      string
	}{
		{0, 1, "0 0.2 0.4 0.6 0.8 1"},
		{-1, 1, "−1 −0.5 0 0.5 1"},
		{0, 1e6, "0 200k 400k 600k 800k 1M"},
		{0.893, 0.97, "0.9 0.92 0.94 0.96"},
		{5, 5, ""},
		{-1.7e308, 1.7e308, ""},
		{math.Inf(-1), 1, ""},
	} {
		var texts []string
		for _, tick := range (ticker{}).Ticks(test.low, test.high) {
			require.True(t, tick.Value >= test.low-1e-9 && tick.Value <= test.high+1e-9)
			texts = append(texts, tick.Label)
		}
		require.Equal(t, test.want, strings.Join(texts, " "))
	}
}

// Sorted values above 0 and those below form separate areas, even if there are very many.
func TestSorted(t *testing.T) {
	s := &Sorted{Count: 1000}
	for i := range 1000 {
		s.Values = append(s.Values, 0.5-float64(i)/1000)
	}
	areas := func() int {
		return strings.Count(s.SVG(), `<path class="f c0"`) + 10*strings.Count(s.SVG(), `<path class="f c1"`)
	}
	require.Equal(t, 22, areas()) // both, and both in the legend
	require.Less(t, len(s.SVG()), 20_000)
	s.Values, s.Count = []float64{1, 0.5}, 2
	require.Equal(t, 12, areas(), "nothing is below 0")
}

// The omitted points are not farther from the remaining line than the tolerance.
func TestSimplify(t *testing.T) {
	var points []vg.Point
	for i := range 5000 {
		x := float64(i) / 10
		points = append(points, vg.Point{X: vg.Length(x), Y: vg.Length(100 * math.Sin(x/40))})
	}
	kept := simplify(points, tolerance)
	require.Less(t, len(kept), 100)
	require.Equal(t, points[0], kept[0])
	require.Equal(t, points[len(points)-1], kept[len(kept)-1])
	for _, p := range points {
		nearest := vg.Length(math.Inf(1))
		for i := range len(kept) - 1 {
			nearest = min(nearest, fromSegment(p, kept[i], kept[i+1]))
		}
		require.LessOrEqual(t, nearest, vg.Length(tolerance))
	}
}

// The legend of a plane explains the lightest and the darkest shade, whatever is between.
func TestLegendOfPlane(t *testing.T) {
	p := &Plane{}
	for i, text := range []string{"1", "4", "9", "16", "25", "36", "49", "64"} {
		p.Boxes = append(p.Boxes, Box{Weight: float64((i + 1) * (i + 1)), Text: text})
	}
	p.Boxes = append(p.Boxes, Box{Weight: 62, Text: "62"})
	var names []string
	for _, e := range p.legend(p.shades()) {
		names = append(names, e.name)
	}
	require.Equal(t, []string{"1", "9", "25", "62 to 64"}, names)
}

// The second lines of cells are drawn if there is room for the second line of each cell, and only
// then.
func TestPartsOfCells(t *testing.T) {
	cells := func(n int, part string) *Heat {
		h := &Heat{About: hostileAbout()}
		for range n {
			h.Columns, h.Rows = append(h.Columns, "a"), append(h.Rows, "a")
		}
		for range n {
			row := make([]Cell, n)
			for j := range row {
				row[j] = Cell{Text: "1", Part: "5%"}
			}
			h.Cells = append(h.Cells, row)
		}
		h.Cells[n-1][0].Part = part
		return h
	}
	for _, test := range []struct {
		n     int
		part  string
		drawn int
	}{{3, "", 8}, {3, "50.1%", 8}, {3, strings.Repeat("5", 30), 0}, {20, "", 0}} {
		require.Equal(t, test.drawn, strings.Count(cells(test.n, test.part).SVG(), ">5%<"), test)
	}
}

// TestLongNames: a name is cut in the middle, as wide as there is room, whatever its length.
func TestLongNames(t *testing.T) {
	chart := Dots{Label: "f1"}
	for i := range 3 {
		chart.Dots = append(chart.Dots, Dot{Name: strings.Repeat("a long name of many words ", 5000) + fmt.Sprint("number ", i), Value: 0.5, Low: math.NaN(), High: math.NaN()})
	}
	svg := string(chart.SVG())
	for i := range 3 {
		require.Regexp(t, fmt.Sprintf(`>a long name .*….*number %d<`, i), svg)
	}
	require.Less(t, len(svg), 10_000)
}

// TestTicksFarFromZero ends, although the numbers there have no ticks between them.
func TestTicksFarFromZero(t *testing.T) {
	require.LessOrEqual(t, len((ticker{}).Ticks(1e20, 1e20+16384)), 8)
	require.LessOrEqual(t, len((ticker{}).Ticks(0, 5e-324)), 8)
}

// The legend of dots explains what is drawn, and nothing else.
func TestLegendOfDots(t *testing.T) {
	nan := math.NaN()
	d := &Dots{Reference: &Mark{Name: "overall"}, Hollow: "small", Diamond: "reference", Dots: []Dot{{Name: "a", Low: 0.1, High: 0.2}}}
	names := func() (names []string) {
		for _, e := range d.legend() {
			names = append(names, e.name)
		}
		return names
	}
	require.Equal(t, []string{"overall"}, names())
	d.Dots = append(d.Dots, Dot{Name: "b", Low: 0.1, High: 0.2, Hollow: true}, Dot{Name: "c", Low: 0.1, High: 0.2, Diamond: true})
	require.Equal(t, []string{"overall", "small", "reference"}, names())
	d.Dots = append(d.Dots, Dot{Name: "d", Low: nan, High: nan})
	require.Equal(t, []string{"overall", "small", "reference", "no interval"}, names())
	svg := d.SVG()
	require.Equal(t, 2, strings.Count(svg, `<circle class="f o"`), "hollow, and in the legend")
	require.Equal(t, 2, strings.Count(svg, `<path class="f c0"`), "a diamond, and in the legend")
}

// Rows that are in an order are joined by a line.
func TestJoinedDots(t *testing.T) {
	d := &Dots{Dots: []Dot{{Name: "1", Value: 0.1}, {Name: "2", Value: 0.9}, {Name: "3", Value: 0.2}}}
	lines := func() int { return strings.Count(d.SVG(), `stroke-width="1.8"`) }
	require.Zero(t, lines())
	d.Joined = true
	require.Equal(t, 1, lines())
}

// All text has one size, which pictures as wide as several charts have, too.
func TestSizeOfText(t *testing.T) {
	names := strings.Split("a b c d e f g h i j k l", " ")
	h := &Heat{Columns: names, Rows: names, Charts: 2}
	for range names {
		h.Cells = append(h.Cells, make([]Cell, len(names)))
	}
	for name, svg := range map[string]string{"heat": h.SVG(), "dots": (&Dots{Dots: []Dot{{Name: "a"}}}).SVG(), "ranks": (&Ranks{Systems: []RankedSystem{{"a", 1, ""}, {"b", 2, ""}}}).SVG()} {
		require.NotContains(t, svg, "font-size", name)
		var width, height float64
		_, err := fmt.Sscanf(svg, `<svg viewBox="0 0 %g %g"`, &width, &height)
		require.NoError(t, err)
		require.LessOrEqual(t, width, float64(Width(map[string]int{"heat": 2, "dots": 1, "ranks": 2}[name])), name)
	}
}
