package evaluation

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
)

// A slice is shown to people if it has enoughSupport examples or, for small data, enoughShare of
// all examples. The worst value among many small slices says more about their size than about the
// model.
const (
	enoughSupport = 30
	enoughShare   = 0.05
)

// worst returns the n worst of the sufficiently large slices, and a note about their order and the slices that are left out.
func (d *digest) worst(n int) (kept []*line, note string) {
	overall := int64(0)
	for _, headline := range d.headlines {
		overall = max(overall, d.overall[headline].Support)
	}
	enough := min(enoughSupport, int64(math.Ceil(enoughShare*float64(overall))))
	kept = slices.Clone(d.slices)
	if slices.ContainsFunc(kept, func(l *line) bool { return l.support >= enough }) {
		kept = slices.DeleteFunc(kept, func(l *line) bool { return l.support < enough })
	}
	small := len(d.slices) - len(kept)
	name, direction := d.sortBy, d.direction
	if name == "" {
		kept = largest(kept, n)
	} else {
		worstFirst(kept, name, direction)
		kept = kept[:min(n, len(kept))]
	}
	return kept, noteOn(name, direction, len(d.slices)-small-len(kept), small, enough)
}

// worstLabels returns the n worst labels by the first of their metrics that has a direction, and a
// note about their order. If all fit without being unfolded, they keep their order.
func (d *digest) worstLabels(r *report.Report, n int) (kept []*line, note string) {
	if len(d.labels) <= document.FirstRows {
		return d.labels, ""
	}
	kept = slices.Clone(d.labels)
	for _, name := range d.columns {
		if direction := directionOf(r, name); direction != 0 {
			worstFirst(kept, name, direction)
			note = "Sorted from the worst " + quote.Visible(name)
			break
		}
	}
	n = min(n, len(kept))
	return kept[:n], strings.TrimPrefix(note+leftOut(len(kept)-n, 0, 0), "; ") + "."
}

// most returns how many of the lines an output shows at most: on the page, no more than tableBytes
// hold.
func (d *digest) most(of document.Output, most int, lines []*line, columns []string) int {
	if of != document.Page {
		return most
	}
	bytes := 0
	for i, l := range lines[:min(most, len(lines))] {
		if bytes += 80 + len(l.title()) + 50*len(columns); bytes > tableBytes {
			return max(i, document.FirstRows)
		}
	}
	return most
}

// sort chooses the metric that slices are sorted by: the given one or, if the report has none of
// that name, the first headline that has a direction.
func (d *digest) sort(r *report.Report, by string) {
	if d.overall[by] != nil {
		d.sortBy, d.direction = by, directionOf(r, by)
		return
	}
	for _, name := range d.headlines {
		if direction := directionOf(r, name); direction != 0 {
			d.sortBy, d.direction = name, direction
			return
		}
	}
}

// ofSlices returns the names of the metrics to show for each slice: the headlines, and the metric
// that slices are sorted by.
func (d *digest) ofSlices() []string {
	if d.sortBy == "" || slices.Contains(d.headlines, d.sortBy) {
		return d.headlines
	}
	return slices.Concat([]string{d.sortBy}, d.headlines)
}

// directionOf returns 1 if higher values of a metric are better, -1 if lower ones are, and 0 if
// neither is the case.
func directionOf(r *report.Report, name string) int {
	switch m, known := r.Meanings[name]; {
	case !known:
		return report.Direction(name)
	case m.Better == "higher":
		return 1
	case m.Better == "lower":
		return -1
	}
	return 0
}

// worstFirst sorts lines by a metric. Lines that are equally bad keep their order.
func worstFirst(lines []*line, name string, direction int) {
	slices.SortStableFunc(lines, func(a, b *line) int {
		return cmp.Compare(badness(a.rows[name], direction), badness(b.rows[name], direction))
	})
}

// badness returns a smaller number for a worse value, or a lower one if neither is better, and
// infinity for a missing or undefined one.
func badness(row *report.Row, direction int) float64 {
	if row == nil || !floats.Finite(row.Value) {
		return math.Inf(1)
	}
	if direction < 0 {
		return -row.Value
	}
	return row.Value
}

// noteOn says by which metric slices are sorted, and how many are left out, including those that
// are too small.
func noteOn(name string, direction, others, small int, enough int64) string {
	note := "Sorted by name"
	switch {
	case name != "" && direction == 0:
		note = "Sorted from the lowest " + quote.Visible(name)
	case name != "":
		note = "Sorted from the worst " + quote.Visible(name)
	}
	return note + leftOut(others, small, enough) + "."
}

// leftOut says how many lines are left out, including those that are too small.
func leftOut(others, small int, enough int64) string {
	var left []string
	if others > 0 {
		left = append(left, document.Plural(int64(others), "other"))
	}
	if small > 0 {
		left = append(left, fmt.Sprintf("%s with a support below %d", document.Grouped(int64(small)), enough))
	}
	if len(left) == 0 {
		return ""
	}
	return "; left out: " + strings.Join(left, ", ")
}
