package document

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/beameval/beameval/internal/elementary"
	"github.com/beameval/beameval/internal/lists"
	"github.com/beameval/beameval/internal/numbers"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/differences"
)

// confidenceNote explains the intervals to people, or says why no metric of all examples has one.
// It returns "" if intervals were not requested.
func confidenceNote(r *report.Report, of Output) string {
	g := r.Confidence
	if g == nil {
		return ""
	}
	by := ""
	if g.By != "" {
		by = " by " + quote.Visible(g.By)
	}
	groups, some := 0, false
	for i := range r.Metrics {
		if row := &r.Metrics[i]; len(row.Slice) == 0 && row.Confidence != nil {
			groups, some = max(groups, row.Confidence.Groups), some || row.Confidence.HasInterval()
		}
	}
	if !some && groups < leastGroups {
		return fmt.Sprintf("There are no confidence intervals: examples are in %d of the %d groups%s, and %d are needed.", groups, g.Groups, by, leastGroups)
	}
	from := strconv.Itoa(groups)
	if groups < g.Groups { // few examples or clusters
		from = fmt.Sprintf("examples in %d of %d", groups, g.Groups)
	}
	marks := "± and [ ]"
	if of == Page {
		marks = "[ ]"
	}
	return fmt.Sprintf("%s: %s%% confidence, from %s groups%s.", marks, strconv.FormatFloat(g.Level*100, 'g', 4, 64), from, by)
}

// leastGroups is the number of groups that must have examples for intervals; see package
// confidence.
const leastGroups = 10

// skewed is the largest ratio of the two halves of an interval that is still written with ±.
const skewed = 1.5

// Around formats a value and its interval for people: 0.935 ± 0.010, or 0.871 [0.730, 0.944] if one
// half of the interval is much wider than the other. The width has two significant digits, and what
// is shown covers the interval.
func Around(c *report.Confidence, value float64) string {
	below, above := value-c.Low, c.High-value
	wide, narrow := max(below, above), min(below, above)
	places, fixed := 0, wide > 0
	if fixed {
		_, fixed = decimals(max(math.Abs(value), wide))
		places = max(0, 1-elementary.Exponent10(wide))
	}
	if !fixed || places > 9 {
		return Number(value) + " [" + Number(c.Low) + ", " + Number(c.High) + "]"
	}
	unit := math.Pow10(places)
	text := func(units float64) string { return strconv.FormatFloat(units/unit+0, 'f', places, 64) }
	center := math.RoundToEven(value * unit)
	if narrow*skewed < wide {
		return text(center) + " [" + text(math.Floor(float64(c.Low*unit)+1e-6)) + ", " + text(math.Ceil(float64(c.High*unit)-1e-6)) + "]"
	}
	return text(center) + " ± " + text(math.Ceil(max(float64(c.High*unit)-center, center-float64(c.Low*unit))-1e-6))
}

// aroundExact formats a value of the interval for people: 0.9123 if both ends round to it, and
// otherwise 0.9123 ± 0.0004. The number after ± is rounded up to cover the interval, minus a
// millionth of the last decimal, so that rounding errors do not turn 0.0004 into 0.0005. If the
// value is very small or large, or an end is missing, it writes the rounded ends instead.
func aroundExact(i *report.Interval, value float64) string {
	shown, low, high := Number(value), end(i.Low, "-∞"), end(i.High, "∞")
	if low == shown && high == shown {
		return shown
	}
	if places, fixed := decimals(value); fixed {
		center, _ := strconv.ParseFloat(shown, 64) // number wrote it
		unit := math.Pow10(places)
		if units := math.Ceil(float64(max(i.High-center, center-i.Low)*unit) - 1e-6); units >= 0 && units < 1e6*unit {
			return shown + " ± " + strconv.FormatFloat(units/unit, 'f', places, 64)
		}
	}
	return "[" + low + ", " + high + "]"
}

func end(f float64, missing string) string {
	if !numbers.Finite(f) {
		return missing
	}
	return Number(f)
}

// Differences returns a table of differences between two systems with these names. It has slices unless
// all differences are overall, which then have verdicts; and p-values and reasons if they are tested.
func Differences(of Output, list []*differences.Change, names [2]string, overall, tested bool) *Table {
	return TableOf(list,
		Text("metric", func(d *differences.Change) string { return quote.Visible(d.Name) }),
		Text("slice", func(d *differences.Change) string { return d.Slice.String() }).If(!overall),
		Text("label", func(d *differences.Change) string { return Label(d.Label) }).Optional(),
		Numbers(names[0], func(d *differences.Change) string { return Number(d.A) }),
		Numbers(names[1], func(d *differences.Change) string { return Number(d.B) }),
		Numbers("difference", func(d *differences.Change) string { return Difference(of, d) }),
		Numbers("p", func(d *differences.Change) string { return PValue(d.PAdjusted) }).If(tested),
		Verdicts("verdict", func(d *differences.Change) string { return string(d.Verdict) }).If(overall && tested),
		Text("reason", func(d *differences.Change) string { return OneLine(Reason(d, names)) }).Optional().If(tested),
	)
}

// Difference formats a difference with its sign and its interval.
func Difference(of Output, d *differences.Change) string {
	switch c := IntervalOf(d); {
	case of == Page:
		return Signed(d.Difference, WithInterval(d.Difference, c, cardPlaces))
	case c.HasInterval() && numbers.Finite(d.Difference):
		return Signed(d.Difference, Around(c, d.Difference))
	}
	return Signed(d.Difference, Number(d.Difference))
}

// Signed adds the sign of a difference that is shown, which has one if it is negative.
func Signed(difference float64, shown string) string {
	if difference > 0 {
		return "+" + shown
	}
	return shown
}

// IntervalOf returns the interval of a difference.
func IntervalOf(d *differences.Change) *report.Confidence {
	return &report.Confidence{Low: d.Low, High: d.High}
}

// Reason returns the reason of a difference, in which names replace a and b.
func Reason(d *differences.Change, names [2]string) string {
	for i, side := range []string{"a", "b"} {
		if before, found := strings.CutSuffix(d.Reason, " in "+side); found {
			return before + " in " + names[i]
		}
	}
	return d.Reason
}

// mostDifferences is the largest number of differences of a verdict, in slices and of labels, in a document.
const mostDifferences = 100

// differences adds the sections of the differences from a baseline: of the headlines, and those of
// well-known metrics in slices and of labels that are significant.
func (d *Document) differences(r *report.Report, of *digest) {
	if len(r.Differences) == 0 {
		return
	}
	known := lists.Set(slices.Values(append(slices.Clone(of.headlines), report.KnownOfLabels...)))
	overall := make(map[string]*differences.Change)
	details := make(map[differences.Verdict][]*differences.Change)
	for i := range r.Differences {
		switch c := &r.Differences[i]; {
		case len(c.Slice) == 0 && c.Label == nil:
			overall[c.Name] = c
		case known[c.Name]:
			details[c.Verdict] = append(details[c.Verdict], c)
		}
	}
	var headlines []*differences.Change
	for _, name := range of.headlines {
		if c := overall[name]; c != nil {
			headlines = append(headlines, c)
		}
	}
	names, note := [2]string{"baseline", "model"}, "model − baseline, of the same examples."
	tested := r.Confidence != nil && slices.ContainsFunc(r.Differences, func(c differences.Change) bool { return c.Pairing != differences.Untested })
	if tested {
		level := r.Confidence.Level
		note += fmt.Sprintf(" Intervals: %s%% confidence, of each difference alone. p: adjusted for the slices and labels of a metric (Benjamini–Hochberg); up to %s, a difference is significant.",
			strconv.FormatFloat(level*100, 'g', 4, 64), strconv.FormatFloat(1-level, 'g', 4, 64))
	}
	s := Section{In: OnScreen | Markdown | Page, ID: "differences", Title: "Differences from the baseline", Table: Differences(d.Output, headlines, names, true, tested), Notes: []string{note}}
	if d.Output == OnScreen {
		s.Lead = "differences from the baseline"
	}
	d.Add(s)
	for _, verdict := range []differences.Verdict{differences.Worse, differences.Better} {
		list := details[verdict]
		slices.SortStableFunc(list, func(a, b *differences.Change) int { return numbers.CompareLast(a.PAdjusted, b.PAdjusted) })
		shown := list[:min(len(list), mostDifferences)]
		d.Add(Section{In: Markdown | Page, ID: string(verdict), Title: "Significantly " + string(verdict), Sub: true,
			Table: Differences(d.Output, shown, names, false, tested), Notes: []string{FirstOf(len(shown), len(list), "")}})
	}
}

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
	return newCard(name, WithInterval(x, around, cardPlaces))
}

func newCard(name, shown string) Card {
	value, within, found := strings.Cut(shown, " [")
	c := Card{Name: strings.SplitAfter(quote.Visible(name), "_"), Value: value}
	if found {
		c.Range = "[" + within
	}
	return c
}

// bar draws an interval and the value in it on a scale from one number to another.
func bar(low, value, high, from, to float64) template.HTML {
	at := func(x float64) string {
		return strconv.FormatFloat(100*(min(max(x, from), to)-from)/(to-from), 'f', 1, 64)
	}
	return template.HTML(fmt.Sprintf(`<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><path class="s g" stroke-width="3" d="M0 4H100"/>`+
		`<path class="s c0" stroke-width="3" d="M%s 4H%s"/><path class="f k" d="M%[3]s 0h1v8h-1z"/></svg>`, at(low), at(high), at(value)))
}

// barOf draws the interval of a value on the usual scale of such values: 0 to 1, −1 to 1, or 0 to a
// little more than the interval. It returns "" if there is no interval or no such scale.
func barOf(value float64, around *report.Confidence) template.HTML {
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
