package house_test

import (
	"fmt"
	"html"
	"strings"
)

// The sizes of the chart in pixels: a row for each run, and two columns of bars.
const (
	chartWidth = 900
	rowHeight  = 19
	nameRight  = 190 // where names end
	barsLeft   = 198
	barsWidth  = 250
	columnStep = 350
	chartStyle = `text { font: 12px system-ui, sans-serif; fill: #1f2328 } .head { font-weight: 600 } .quiet { fill: #59636e }
.paper { fill: #ffffff } .ours { fill: #0969da } .peer { fill: #9198a1 }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc } .quiet { fill: #9198a1 } .paper { fill: #0d1117 } .ours { fill: #4493f8 } .peer { fill: #656c76 }
}`
)

// drawPeers draws a group of bars for each workload, seconds on the left and memory on the right. Each group has scales of
// its own, because seconds of different data do not compare.
func drawPeers(measured []workload) string {
	var rows strings.Builder
	y := 0
	text := func(class string, x int, anchor, s string) {
		fmt.Fprintf(&rows, `<text class="%s" x="%d" y="%d" text-anchor="%s">%s</text>`+"\n", class, x, y, anchor, html.EscapeString(s))
	}
	bar := func(class string, column int, share float64, value string) {
		x, width := barsLeft+column*columnStep, max(1, int(share*barsWidth+0.5))
		fmt.Fprintf(&rows, `<rect class="%s" x="%d" y="%d" width="%d" height="12" rx="2"/>`+"\n", class, x, y-10, width)
		text("", x+width+6, "start", value)
	}
	y += 22
	text("head", barsLeft, "start", "seconds")
	text("head", barsLeft+columnStep, "start", "peak memory")
	for _, w := range measured {
		y += 28
		text("head", 12, "start", w.about)
		var time, memory float64
		for _, r := range w.runs {
			time, memory = max(time, r.time), max(memory, r.memory)
		}
		for i, r := range w.runs {
			class := "peer"
			if i == 0 {
				class = "ours"
			}
			y += rowHeight
			text("", nameRight, "end", r.name+": "+r.computes)
			bar(class, 0, r.time/time, r.seconds)
			bar(class, 1, r.memory/memory, r.bytes)
		}
	}
	y += 24
	text("quiet", 12, "start", "The bars of a group share a scale. All read the same files, in processes of their own.")
	y += 14
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%[1]d" height="%[2]d" role="img" aria-label="Seconds and peak memory of beameval and its peers on the same files">
<style>%[3]s</style>
<rect class="paper" width="%[1]d" height="%[2]d"/>
%[4]s</svg>
`, chartWidth, y, chartStyle, rows.String())
}
