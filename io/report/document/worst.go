package document

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/beameval/beameval/internal/numbers"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
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
	name, direction := d.judged()
	if name == "" {
		kept = largest(kept, n)
	} else {
		slices.SortStableFunc(kept, func(a, b *line) int {
			return cmp.Compare(badness(a.rows[name], direction), badness(b.rows[name], direction))
		})
		kept = kept[:min(n, len(kept))]
	}
	return kept, noteOn(name, direction, len(d.slices)-small-len(kept), small, enough)
}

// worstLabels returns the n worst labels by the first of their metrics that has a direction, and a
// note about their order. If all fit without being unfolded, they keep their order.
func (d *digest) worstLabels(r *report.Report, n int) (kept []*line, note string) {
	if len(d.labels) <= FirstRows {
		return d.labels, ""
	}
	kept = slices.Clone(d.labels)
	for _, name := range d.columns {
		if direction := directionOf(r, name); direction != 0 {
			slices.SortStableFunc(kept, func(a, b *line) int {
				return cmp.Compare(badness(a.rows[name], direction), badness(b.rows[name], direction))
			})
			note = "Sorted from the worst " + quote.Visible(name)
			break
		}
	}
	n = min(n, len(kept))
	return kept[:n], strings.TrimPrefix(note+leftOut(len(kept)-n, 0, 0), "; ") + "."
}

// most returns how many of the lines an output shows at most: on the page, no more than tableBytes
// hold.
func (d *digest) most(of Output, most int, lines []*line, columns []string) int {
	if of != Page {
		return most
	}
	bytes := 0
	for i, l := range lines[:min(most, len(lines))] {
		if bytes += 80 + len(l.title()) + 50*len(columns); bytes > tableBytes {
			return max(i, FirstRows)
		}
	}
	return most
}

// judged returns the metric that slices are sorted by, or "", and its direction.
func (d *digest) judged() (name string, direction int) { return d.sortBy, d.direction }

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

// badness returns a smaller number for a worse value, or a lower one if neither is better, and
// infinity for a missing or undefined one.
func badness(row *report.Row, direction int) float64 {
	if row == nil || !numbers.Finite(row.Value) {
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
		left = append(left, Plural(int64(others), "other"))
	}
	if small > 0 {
		left = append(left, fmt.Sprintf("%s with a support below %d", Grouped(int64(small)), enough))
	}
	if len(left) == 0 {
		return ""
	}
	return "; left out: " + strings.Join(left, ", ")
}

// mostWorst is the largest number of worst examples in a document.
const mostWorst = 50

// worstExamples returns the section of the examples with the highest losses.
func worstExamples(r *report.Report) Section {
	if r.Worst == nil {
		return Section{}
	}
	all := r.OverallWorst()
	s := Section{In: Markdown | Page, ID: "worst-examples", Title: "Worst examples"}
	if len(all) == 0 {
		s.List = []string{"No example has a loss."}
		return s
	}
	kept := all[:min(len(all), mostWorst)]
	s.Notes = []string{FirstOf(len(kept), len(all), ""), "The examples with the highest losses. run.json has their files and rows."}
	s.Table = TableOf(kept,
		Numbers("rank", func(e *report.WorstExample) string { return strconv.Itoa(e.Rank) }),
		Text("example", func(e *report.WorstExample) string {
			if e.ID.Kind() == slice.KindNull {
				return ""
			}
			return quote.Visible(e.ID.Plain())
		}).Optional(),
		Numbers(quote.Visible(all[0].Name), func(e *report.WorstExample) string {
			if numbers.Finite(e.Loss) {
				return Number(e.Loss)
			}
			return "∞"
		}),
		Text("true", func(e *report.WorstExample) string { return described(e.True) }).Optional(),
		Text("predicted", func(e *report.WorstExample) string { return described(e.Predicted) }).Optional(),
		Numbers("score", func(e *report.WorstExample) string {
			if math.IsNaN(e.Score) || math.IsInf(e.Score, 0) {
				return ""
			}
			return Number(e.Score)
		}).Optional())
	return s
}

// described returns the description of labels for a table, or "" if there is none.
func described(labels string) string {
	if labels == "" {
		return ""
	}
	return quote.Visible(labels)
}
