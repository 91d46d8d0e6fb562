package document

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/numbers"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
)

// A slice is shown to people if it has enoughSupport examples or, for small data, enoughShare of
// all examples. The worst value among many small slices says more about their size than about the
// model.
const (
	enoughSupport = 30
	enoughShare   = 0.05
)

// worst returns the n worst of the sufficiently large slices, by the first headline that has a
// direction, and a note about their order and the slices that are left out.
func (d *digest) worst(n int) (kept []*line, note string) {
	name, direction := d.judged()
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
	if direction == 0 {
		kept = largest(kept, n)
	} else {
		slices.SortStableFunc(kept, func(a, b *line) int {
			return cmp.Compare(badness(a.rows[name], direction), badness(b.rows[name], direction))
		})
		kept = kept[:min(n, len(kept))]
	}
	return kept, noteOn(name, len(d.slices)-small-len(kept), small, enough)
}

// judged returns the first headline that has a direction, or "".
func (d *digest) judged() (name string, direction int) {
	for _, name := range d.headlines {
		if direction = report.Direction(name); direction != 0 {
			return name, direction
		}
	}
	return "", 0
}

// badness returns a smaller number for a worse value, and infinity for a missing or undefined one.
func badness(row *report.Row, direction int) float64 {
	if row == nil || !numbers.Finite(row.Value) {
		return math.Inf(1)
	}
	return row.Value * float64(direction)
}

// noteOn says by which metric slices are sorted, and how many are left out, including those that
// are too small.
func noteOn(name string, others, small int, enough int64) string {
	note := "Sorted by name"
	if name != "" {
		note = "Sorted from the worst " + quote.Visible(name)
	}
	var left []string
	if others > 0 {
		left = append(left, Plural(int64(others), "other"))
	}
	if small > 0 {
		left = append(left, fmt.Sprintf("%s with a support below %d", Grouped(int64(small)), enough))
	}
	if len(left) > 0 {
		note += "; left out: " + strings.Join(left, ", ")
	}
	return note + "."
}
