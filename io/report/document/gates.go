package document

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
)

// The maximum number of gates that are shown, of failed ones before all are asked for, and of their groups.
const (
	mostGates    = 100
	screenGates  = 20
	failedGates  = 5
	sharedLimits = 10
)

type gateCells = Cells[*report.GateResult]

var (
	gateVerdict = Verdicts("gate", func(r *report.GateResult) string { return string(r.Verdict) })
	gateMetric  = Text("metric", func(r *report.GateResult) string { return quote.Visible(r.Metric) })
	gateSlice   = Text("slice", func(r *report.GateResult) string { return r.Slice.String() })
	gateLabel   = Text("label", func(r *report.GateResult) string { return Label(r.Label) })
)

// gateColumns are columns for everything known about a gate.
var gateColumns = []gateCells{
	gateVerdict, gateMetric, gateSlice, gateLabel,
	Numbers("value", func(r *report.GateResult) string {
		if r.Reason != "" && !floats.Finite(r.Value) {
			return OneLine(r.Reason)
		}
		return report.GateNumber(&r.Value)
	}),
	Numbers("low", func(r *report.GateResult) string { return SixDigits(r.Low) }).Optional(),
	Numbers("high", func(r *report.GateResult) string { return SixDigits(r.High) }).Optional(),
	Numbers("min", func(r *report.GateResult) string { return report.GateNumber(r.Min) }),
	Numbers("max", func(r *report.GateResult) string { return report.GateNumber(r.Max) }),
	Numbers("difference", func(r *report.GateResult) string {
		text := SixDigits(r.Difference)
		if share := percent(r); floats.Finite(share) {
			text += ", " + SixDigits(share) + "%"
		}
		return text
	}).Optional(),
	Numbers("p adjusted", func(r *report.GateResult) string { return PValue(r.PAdjusted) }).Optional(),
	Numbers("max drop", func(r *report.GateResult) string { return r.MaxDrop.Text() }).Optional(),
	Numbers("max rise", func(r *report.GateResult) string { return r.MaxRise.Text() }).Optional(),
	Text("sure", func(r *report.GateResult) string {
		if r.Sure {
			return "sure"
		}
		return ""
	}).Optional(),
	Text("reason", func(r *report.GateResult) string {
		if !floats.Finite(r.Value) {
			return "" // the reason replaces the value
		}
		return OneLine(r.Reason)
	}).Optional(),
}

// AddGates adds the gates with their requirements and results, the failed ones first. A screen and
// the page show fewer columns and digits than Markdown. Notes are added to the table.
func (d *Document) AddGates(gates []report.GateResult, notes ...string) {
	if d.Verdict, d.VerdictText = verdictOf(gates); len(gates) == 0 {
		return
	}
	if d.Output == OnScreen {
		shown := firstGates(gates, failedGates, screenGates)
		asked := Text("asked", func(r *report.GateResult) string { return asked(&r.Limits) })
		found := Text("found", found)
		asked.whole, found.whole = true, true
		d.Add(Section{In: OnScreen, Table: TableOf(shown, gateVerdict, gateMetric, gateSlice, gateLabel.Optional(), asked, found), Notes: slices.Concat(sharedFailures(gates), reasons(shown), collections.Map(notes, OneLine), []string{gateTally(gates)})})
		return
	}
	if d.Output == Page {
		d.addGatesToPage(gates, collections.Map(notes, Brief))
		return
	}
	shown := firstGates(gates, mostGates, mostGates)
	d.Add(Section{In: Markdown, Title: "Gates", List: sharedFailures(gates), Table: TableOf(shown, gateColumns...), Notes: append(collections.Map(notes, Brief), FirstOf(len(shown), len(gates), "; "+gateTally(gates)))})
}

// addGatesToPage adds the worst of the gates that failed and those that are unknown; all that failed and
// those that passed are folded.
func (d *Document) addGatesToPage(gates []report.GateResult, notes []string) {
	table := func(gates []*report.GateResult) *Table {
		return TableOf(gates, gateVerdict, gateMetric, gateSlice, gateLabel.Optional(),
			Text("asked", func(r *report.GateResult) string { return asked(&r.Limits) }).Aside(),
			Numbers("found", found), Numbers("p adjusted", func(r *report.GateResult) string { return PValue(r.PAdjusted) }).Optional().Aside(),
			Text("reason", func(r *report.GateResult) string { return OneLine(r.Reason) }).Optional().Aside())
	}
	title := "Gates"
	add := func(shown []*report.GateResult, folded string) {
		if len(shown) == 0 {
			return
		}
		s := Section{In: Page, Title: title, Folded: folded, Table: table(shown)}
		if s.Sub = title != "Gates"; !s.Sub {
			s.List, s.Notes = sharedFailures(gates), notes
		}
		d.Add(s)
		title = "All failed gates"
	}
	failed, unknown, passed := byShortfall(gates), withVerdict(gates, report.Unknown), withVerdict(gates, report.Pass)
	first := slices.Concat(atMost(failed, failedGates), atMost(unknown, failedGates))
	add(first, "")
	if rest := slices.Concat(failed, unknown); len(rest) > len(first) {
		add(atMost(rest, mostGates), "show all "+gateCount(len(rest), mostGates)+" that failed or are unknown")
	}
	if len(first) > 0 {
		title = "Passed gates"
	}
	add(atMost(passed, mostGates), gateCount(len(passed), mostGates)+" passed")
}

// reasons returns the distinct reasons why gates cannot be judged. A warning says once that there
// is no baseline.
func reasons(gates []*report.GateResult) (list []string) {
	for _, r := range gates {
		if why := gateReason(r); r.Reason != "" && r.Reason != report.NoBaseline && !slices.Contains(list, why) {
			list = append(list, why)
		}
	}
	return list
}

// firstGates returns at most most gates, the worst failed ones first, and of these at most failed.
func firstGates(gates []report.GateResult, failed, most int) (shown []*report.GateResult) {
	shown = slices.Concat(atMost(byShortfall(gates), failed), withVerdict(gates, report.Unknown), withVerdict(gates, report.Pass))
	return atMost(shown, most)
}

// atMost returns the first most of a list, or all.
func atMost[T any](list []T, most int) []T { return list[:min(len(list), most)] }

// SixDigits formats a number with at most six significant digits, and as "" if it is not finite.
func SixDigits(x float64) string {
	if !floats.Finite(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}

// gateTally says how many gates passed and failed.
func gateTally(gates []report.GateResult) string {
	counts := report.CountVerdicts(gates)
	text := fmt.Sprintf("gates: %s failed, %s passed", Grouped(int64(counts[report.Fail])), Grouped(int64(counts[report.Pass])))
	if n := counts[report.Unknown]; n > 0 {
		text += fmt.Sprintf(", %s unknown", Grouped(int64(n)))
	}
	return text
}

// percent returns the difference as a percentage of the baseline, or NaN if the baseline is 0 or no
// limit is a percentage.
func percent(r *report.GateResult) float64 {
	baseline := r.Value - r.Difference
	if r.MaxDrop.ValueIf(true) == nil && r.MaxRise.ValueIf(true) == nil || baseline == 0 {
		return math.NaN()
	}
	return float64(100*r.Difference) / math.Abs(baseline)
}

// asked returns the limits of a gate as written in the configuration.
func asked(l *report.Limits) string {
	var parts []string
	for name, limit := range l.Each() {
		parts = append(parts, name+" "+limit)
	}
	if l.Sure {
		parts = append(parts, "sure")
	}
	return strings.Join(parts, ", ")
}

// found returns the value of a gate and, if the gate needs them, its interval and its difference.
func found(r *report.GateResult) string {
	if !floats.Finite(r.Value) {
		return "undefined"
	}
	found := telling(r.Value, r.Min, r.Max)
	if floats.Finite(r.Low) {
		found += " [" + telling(r.Low, r.Min) + ", " + telling(r.High, r.Max) + "]"
	}
	if floats.Finite(r.Difference) {
		found += " (" + signed(r.Difference, r.MaxDrop.ValueIf(false), r.MaxRise.ValueIf(false))
		if share := percent(r); floats.Finite(share) {
			found += ", " + signed(share, r.MaxDrop.ValueIf(true), r.MaxRise.ValueIf(true)) + "%"
		}
		found += ")"
	}
	return found
}

// signed formats a difference with its sign, so that it shows on which side of the limits it is.
func signed(x float64, drop, rise *float64) string {
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 12, 64), 64) // see rounding
	return plus(x) + telling(x, negative(drop), rise)
}

// telling formats a number with four decimals, or with as many more as are needed to show on which side
// of the limits it is. A number that needs an exponent has four digits, or more. A whole number from 10 on, which most
// probably is a count or a share of one in percent, has no decimals.
func telling(x float64, limits ...*float64) string {
	if x == math.Trunc(x) && math.Abs(x) >= 10 && math.Abs(x) < 1e15 {
		return Grouped(int64(x))
	}
	for more := 0; ; more++ {
		written := strconv.FormatFloat(x, 'f', 4+more, 64)
		if _, fixed := decimals(x); !fixed {
			written = strconv.FormatFloat(x, 'e', 3+more, 64)
		}
		read, err := strconv.ParseFloat(written, 64)
		misled := slices.ContainsFunc(limits, func(l *float64) bool { return l != nil && cmp.Compare(read, *l) != cmp.Compare(x, *l) })
		if err != nil || read == x || !misled {
			return written
		}
	}
}

// plus returns the sign to write before a number that is not negative.
func plus(x float64) string {
	if x < 0 {
		return ""
	}
	return "+"
}

func negative(x *float64) *float64 {
	if x == nil {
		return nil
	}
	return new(-*x)
}

// Label formats a label; it is "" if there is none.
func Label(label *string) string {
	if label == nil {
		return ""
	}
	return quote.Visible(*label)
}

// gateReason identifies the gate and says why it cannot be judged.
func gateReason(r *report.GateResult) string {
	of := quote.Visible(r.Metric)
	if len(r.Slice) > 0 {
		of += ", " + r.Slice.String()
	}
	if r.Label != nil {
		of += ", " + Label(r.Label)
	}
	return of + ": " + OneLine(r.Reason)
}

// verdictOf summarizes the results of gates; without any, there is nothing to say.
func verdictOf(gates []report.GateResult) (report.Verdict, string) {
	switch failed := report.CountVerdicts(gates)[report.Fail]; {
	case len(gates) == 0:
		return "", ""
	case failed > 0:
		return report.Fail, fmt.Sprintf("Failed: %s of %s.", Grouped(int64(failed)), Plural(int64(len(gates)), "gate"))
	}
	return report.Pass, "Passed: " + gateTally(gates) + "."
}

// GateSentence identifies the gate and lists its values and limits.
func GateSentence(r *report.GateResult) string {
	var parts []string
	for _, column := range gateColumns {
		text := column.of(r)
		switch {
		case text == "" || column.Name == "gate" || column.Name == "slice" && len(r.Slice) == 0:
		case column.Name == "metric" || column.Name == "slice":
			parts = append(parts, text)
		default:
			parts = append(parts, column.Name+" "+text)
		}
	}
	return strings.Join(parts, ", ")
}
