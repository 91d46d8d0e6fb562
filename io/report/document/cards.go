package document

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"

	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
)

// Card shows a single number.
type Card struct {
	Name             []string // lines may break between the parts
	Value, Undefined string
	Range            string        // the interval, if there is one
	Bar              template.HTML // a drawing of the interval
	Change           string        // the change from another report
	Verdict          string        // colours Judged: better, worse, or another word
	Judged           string
}

// NewCard returns a card for a value that may be followed by its interval, as [WithInterval] writes
// them.
func NewCard(name string, x float64, around *report.Confidence) Card {
	return CardOf(name, WithInterval(x, around, CardPlaces))
}

// CardOf returns a card for a value as text, which its interval may follow.
func CardOf(name, shown string) Card {
	value, within, _ := strings.Cut(shown, " ")
	return Card{Name: strings.SplitAfter(quote.Visible(name), "_"), Value: value, Range: within}
}

// bar draws an interval and the value in it on a scale from one number to another.
func bar(low, value, high, from, to float64) template.HTML {
	at := func(x float64) string {
		return strconv.FormatFloat(100*(min(max(x, from), to)-from)/(to-from), 'f', 1, 64)
	}
	return template.HTML(fmt.Sprintf(`<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><path class="s g" stroke-width="3" d="M0 4H100"/>`+
		`<path class="s c0" stroke-width="3" d="M%s 4H%s"/><path class="f k" d="M%[3]s 0h1v8h-1z"/></svg>`, at(low), at(high), at(value)))
}

// BarOf draws the interval of a value on the usual scale of such values: 0 to 1, −1 to 1, or 0 to a
// little more than the interval. It returns "" if there is no interval or no such scale.
func BarOf(value float64, around *report.Confidence) template.HTML {
	if !around.HasInterval() {
		return ""
	}
	from, to := 0.0, 1.0
	switch low, high := around.Low, around.High; {
	case low >= 0 && high > 1:
		to = 1.25 * high
	case low >= -1 && low < 0 && high <= 1:
		from = -1
	case low < 0:
		return ""
	}
	return bar(around.Low, value, around.High, from, to)
}

// BarOfChange draws the interval of a difference, with no difference in the middle.
func BarOfChange(difference float64, around *report.Confidence) template.HTML {
	if !around.HasInterval() || around.Low >= 0 && around.High <= 0 {
		return ""
	}
	most := 1.25 * max(-around.Low, around.High)
	return bar(around.Low, difference, around.High, -most, most)
}
