package picture

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// ink is a color of a picture: the name of a class to which the page's stylesheet assigns a color
// in light and in dark mode.
type ink string

// The inks in addition to the ones that [series] and [shade] return.
const (
	text   ink = "k" // text and axes
	muted  ink = "m" // guides and less important text
	grid   ink = "g"
	onDark ink = "o" // text on dark shades
	halo   ink = "w" // outline of text over lines
	back   ink = "b" // lines behind others
)

// RGBA lets an ink pass through the plotting library to the canvas as a color.
func (ink) RGBA() (r, g, b, a uint32) { return color.Black.RGBA() }

// seriesInks is the number of colors of [series]. They are the palette of Okabe and Ito (2008),
// which people with any kind of color vision can distinguish, without yellow and black.
const seriesInks = 7

// series returns the ink of the i-th line of a chart.
func series(i int) ink { return ink("c" + strconv.Itoa(i%seriesInks)) }

// shades is the number of steps on the scale of a heat map.
const shades = 10

// shade returns the ink of a share.
func shade(share float64) ink { return step("h", share) }

// wrongShade returns the ink of a share of errors.
func wrongShade(share float64) ink { return step("e", share) }

func step(scale string, share float64) ink {
	return ink(scale + strconv.Itoa(min(int(share*shades), shades-1)))
}

// canvas draws SVG. Colors are classes. Text remains text, with the width that the library assumes,
// so that it does not overlap whatever fonts a reader has.
type canvas struct {
	width, height vg.Length
	body          bytes.Buffer
	state         state
	stack         []state
	tip           string // of the paths that follow
}

type state struct {
	ink   ink
	width vg.Length
	dash  []vg.Length
	m     [6]float64 // the transform: x' = m0 x + m2 y + m4, y' = m1 x + m3 y + m5
}

func newCanvas(width, height vg.Length) *canvas {
	return &canvas{width: width, height: height, state: state{ink: text, width: 1, m: [6]float64{1, 0, 0, 1, 0, 0}}}
}

// Size implements vg.CanvasSizer.
func (c *canvas) Size() (x, y vg.Length) { return c.width, c.height }

// The other methods implement vg.Canvas.

func (c *canvas) SetLineWidth(w vg.Length) { c.state.width = w }

func (c *canvas) SetLineDash(pattern []vg.Length, _ vg.Length) {
	c.state.dash = slices.Clone(pattern)
}

func (c *canvas) SetColor(to color.Color) {
	var ok bool
	if c.state.ink, ok = to.(ink); !ok {
		c.state.ink = text
	}
}

func (c *canvas) Push() { c.stack = append(c.stack, c.state) }

func (c *canvas) Pop() {
	c.state = c.stack[len(c.stack)-1]
	c.stack = c.stack[:len(c.stack)-1]
}

func (c *canvas) Rotate(rad float64) {
	sin, cos := math.Sincos(rad)
	c.transform(cos, sin, -sin, cos, 0, 0)
}

func (c *canvas) Translate(p vg.Point) { c.transform(1, 0, 0, 1, float64(p.X), float64(p.Y)) }

func (c *canvas) Scale(x, y float64) { c.transform(x, 0, 0, y, 0, 0) }

func (c *canvas) transform(a0, a1, a2, a3, a4, a5 float64) {
	m := c.state.m
	c.state.m = [6]float64{
		dot(m[0], a0, m[2], a1), dot(m[1], a0, m[3], a1),
		dot(m[0], a2, m[2], a3), dot(m[1], a2, m[3], a3),
		dot(m[0], a4, m[2], a5) + m[4], dot(m[1], a4, m[3], a5) + m[5],
	}
}

// at transforms a point to the coordinates of the picture, in which y grows downwards.
func (c *canvas) at(p vg.Point) (x, y float64) {
	m, px, py := &c.state.m, float64(p.X), float64(p.Y)
	return dot(m[0], px, m[2], py) + m[4], float64(c.height) - (dot(m[1], px, m[3], py) + m[5])
}

// snapped rounds to 2^-20 pixels. Rounding errors of the library differ between processors, and
// would show where they tip a further rounding.
func snapped(x float64) float64 { return math.Round(x*(1<<20)) / (1 << 20) }

// dot returns ab + cd.
func dot(a, b, c, d float64) float64 { return float64(a*b) + float64(c*d) }

func (c *canvas) Stroke(path vg.Path) {
	if c.state.width <= 0 {
		return
	}
	fmt.Fprintf(&c.body, `<path class="s %s"`, c.state.ink)
	if c.state.width != 1 {
		fmt.Fprintf(&c.body, ` stroke-width="%s"`, number(float64(c.state.width)))
	}
	for i, n := range c.state.dash {
		c.body.WriteString([]string{` stroke-dasharray="`, ` `}[min(i, 1)] + number(float64(n)))
	}
	if len(c.state.dash) > 0 {
		c.body.WriteByte('"')
	}
	c.path(path)
}

func (c *canvas) Fill(path vg.Path) {
	if at := slices.IndexFunc(path, func(part vg.PathComp) bool { return part.Type == vg.ArcComp }); at >= 0 { // all arcs in use are full circles
		x, y := c.at(path[at].Pos)
		fmt.Fprintf(&c.body, `<circle class="f %s" cx="%s" cy="%s" r="%s"`, c.state.ink, number(x), number(y), number(float64(path[at].Radius)))
		c.end("circle")
		return
	}
	fmt.Fprintf(&c.body, `<path class="f %s"`, c.state.ink)
	c.path(path)
}

// path writes the rest of a path element. It omits points that coincide with the previous one.
func (c *canvas) path(path vg.Path) {
	c.body.WriteString(` d="`)
	var last string
	to := func(command string, p vg.Point) {
		x, y := c.at(p)
		if point := number(x) + " " + number(y); point != last || command == "M" {
			c.body.WriteString(command + point)
			last = point
		}
	}
	for _, part := range path {
		switch part.Type {
		case vg.MoveComp:
			to("M", part.Pos)
		case vg.LineComp:
			to("L", part.Pos)
		case vg.ArcComp, vg.CurveComp: // no plotter in use strokes one
			to("L", part.Pos)
		case vg.CloseComp:
			c.body.WriteByte('Z')
			last = ""
		}
	}
	c.body.WriteByte('"')
	c.end("path")
}

// end ends an element, with the text that is shown where a reader points at it.
func (c *canvas) end(element string) {
	if c.tip == "" {
		c.body.WriteString("/>")
		return
	}
	c.body.WriteString("><title>")
	escape(&c.body, c.tip)
	c.body.WriteString("</title></" + element + ">")
}

// group starts a group of elements, or ends it if the class is empty.
func (c *canvas) group(class string) {
	if class == "" {
		c.body.WriteString("</g>")
		return
	}
	c.body.WriteString(`<g class="` + class + `">`)
}

// spot draws nothing, but shows a text to readers who point at it.
func (c *canvas) spot(p vg.Point) {
	x, y := c.at(p)
	fmt.Fprintf(&c.body, `<circle cx="%s" cy="%s" r="7"`, number(x), number(y))
	c.end("circle")
}

func (c *canvas) FillString(face font.Face, p vg.Point, s string) {
	if s == "" || face.Font.Size <= 0 {
		return
	}
	x, y := c.at(p)
	fmt.Fprintf(&c.body, `<text class="%s" x="%s" y="%s" textLength="%s"`, c.state.ink, number(x), number(y), number(float64(face.Width(s))))
	if size := face.Font.Size; size != textSize {
		fmt.Fprintf(&c.body, ` font-size="%s"`, number(float64(size)))
	}
	if angle := math.Atan2(c.state.m[1], c.state.m[0]); math.Abs(angle) > 1e-9 {
		fmt.Fprintf(&c.body, ` transform="rotate(%s %s %s)"`, number(-angle*180/math.Pi), number(x), number(y))
	}
	c.body.WriteByte('>')
	escape(&c.body, s)
	c.body.WriteString(`</text>`)
}

// DrawImage does nothing, because no plotter in use draws an image.
func (c *canvas) DrawImage(vg.Rectangle, image.Image) {}

// svg returns the picture.
func (c *canvas) svg(about *About) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg viewBox="0 0 %s %s" width="%[1]s" height="%[2]s" role="img" aria-labelledby="%[3]s-t %[3]s-d">`,
		number(float64(c.width)), number(float64(c.height)), about.ID)
	fmt.Fprintf(&b, `<title id="%s-t">`, about.ID)
	escape(&b, about.Title)
	fmt.Fprintf(&b, `</title><desc id="%s-d">`, about.ID)
	escape(&b, about.Desc)
	b.WriteString("</desc>")
	b.Write(c.body.Bytes())
	b.WriteString("</svg>")
	return b.String()
}

// escape escapes text for XML and HTML.
func escape(b *bytes.Buffer, s string) {
	if err := xml.EscapeText(b, []byte(s)); err != nil {
		panic(err) // writing to a buffer never fails
	}
}

// number formats a coordinate to a tenth of a pixel.
func number(x float64) string {
	s := strconv.FormatFloat(math.Round(snapped(x)*10)/10+0, 'f', -1, 64)
	if s == "-0" {
		return "0"
	}
	return s
}
