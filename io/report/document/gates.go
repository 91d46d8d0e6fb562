package document

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/beameval/beameval/internal/numbers"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
)

// gateColumn is a column of a table of gates. The table leaves out columns that are empty in
// all rows, but for those that are always there.
type gateColumn struct {
	name   string
	always bool
	number bool
	cell   func(*report.GateResult) string
}

var gateColumns = []gateColumn{
	{"gate", true, false, func(r *report.GateResult) string { return string(r.Verdict) }},
	{"metric", true, false, func(r *report.GateResult) string { return quote.Visible(r.Metric) }},
	{"slice", true, false, func(r *report.GateResult) string { return r.Slice.String() }},
	{"label", true, false, gateLabel},
	{"value", true, true, func(r *report.GateResult) string {
		if r.Reason != "" && !numbers.Finite(r.Value) {
			return OneLine(r.Reason)
		}
		return report.GateNumber(&r.Value)
	}},
	{"low", false, true, func(r *report.GateResult) string { return gateRounded(r.Low) }},
	{"high", false, true, func(r *report.GateResult) string { return gateRounded(r.High) }},
	{"min", true, true, func(r *report.GateResult) string { return report.GateNumber(r.Min) }},
	{"max", true, true, func(r *report.GateResult) string { return report.GateNumber(r.Max) }},
	{"difference", false, true, func(r *report.GateResult) string {
		text := gateRounded(r.Difference)
		if share := percent(r); numbers.Finite(share) {
			text += ", " + gateRounded(share) + "%"
		}
		return text
	}},
	{"p adjusted", false, true, func(r *report.GateResult) string { return PValue(r.PAdjusted) }},
	{"max drop", false, true, func(r *report.GateResult) string { return r.MaxDrop.Text() }},
	{"max rise", false, true, func(r *report.GateResult) string { return r.MaxRise.Text() }},
	{"sure", false, false, func(r *report.GateResult) string {
		if r.Sure {
			return "sure"
		}
		return ""
	}},
	{"reason", false, false, func(r *report.GateResult) string {
		if !numbers.Finite(r.Value) {
			return "" // it is in place of the value
		}
		return OneLine(r.Reason)
	}},
}

// firstGates returns the failed gates first, and at most so many.
func firstGates(gates []report.GateResult, most int) (shown []*report.GateResult) {
	for _, verdict := range []report.Verdict{report.Fail, report.Unknown, report.Pass} {
		for i := range gates {
			if g := &gates[i]; g.Verdict == verdict && len(shown) < most {
				shown = append(shown, g)
			}
		}
	}
	return shown
}

// gateLines are the cells of a table of gates, the failed ones first, of which there are at
// most so many; numbers are the columns of numbers, counted from 1.
func gateLines(gates []report.GateResult, most int) (header []string, lines [][]string, numbers []int) {
	shown := firstGates(gates, most)
	lines = make([][]string, len(shown))
	for _, column := range gateColumns {
		if !column.always && !slices.ContainsFunc(shown, func(r *report.GateResult) bool { return column.cell(r) != "" }) {
			continue
		}
		header = append(header, column.name)
		if column.number {
			numbers = append(numbers, len(header))
		}
		for i, r := range shown {
			lines[i] = append(lines[i], column.cell(r))
		}
	}
	return header, lines, numbers
}

// gateRounded writes a number that explains a verdict.
func gateRounded(x float64) string {
	if !numbers.Finite(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}

// gateTally says how many gates passed and failed.
func gateTally(gates []report.GateResult) string {
	counts := map[report.Verdict]int64{}
	for i := range gates {
		counts[gates[i].Verdict]++
	}
	text := fmt.Sprintf("gates: %s failed, %s passed", Grouped(counts[report.Fail]), Grouped(counts[report.Pass]))
	if n := counts[report.Unknown]; n > 0 {
		text += fmt.Sprintf(", %s unknown", Grouped(n))
	}
	return text
}

// percent returns the difference as a percentage of the baseline; NaN if that is 0, or if no
// limit is a share of it.
func percent(r *report.GateResult) float64 {
	baseline := r.Value - r.Difference
	if r.MaxDrop.ValueIf(true) == nil && r.MaxRise.ValueIf(true) == nil || baseline == 0 {
		return math.NaN()
	}
	return float64(100*r.Difference) / math.Abs(baseline)
}
