package document

import (
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/differences"
)

// Differences returns a table of differences between two systems with these names. It has slices unless
// all differences are overall, which then have verdicts; and p-values and reasons if they are tested.
func Differences(of Output, list []*differences.Change, names [2]string, overall, tested bool) *Table {
	return TableOf(list,
		Text("metric", func(d *differences.Change) string { return quote.Visible(d.Name) }),
		Text("slice", func(d *differences.Change) string { return d.Slice.String() }).If(!overall),
		Text("label", func(d *differences.Change) string { return Label(d.Label) }).Optional(),
		Numbers(names[0], func(d *differences.Change) string { return Number(d.A) }).Aside(),
		Numbers(names[1], func(d *differences.Change) string { return Number(d.B) }),
		Numbers("difference", func(d *differences.Change) string { return Difference(of, d) }),
		Numbers("p", func(d *differences.Change) string { return PValue(d.PAdjusted) }).If(tested).Aside(),
		Verdicts("verdict", func(d *differences.Change) string { return string(d.Verdict) }).If(overall && tested),
		Text("reason", func(d *differences.Change) string { return OneLine(Reason(d, names)) }).Optional().If(tested).Aside(),
	)
}

// DifferenceCell returns the cell of a difference in a grid, of two systems with these names. Without tests, it is the
// difference alone.
func DifferenceCell(d *differences.Change, names [2]string, tested bool) Cell {
	if d == nil {
		return Cell{Text: "–", Meaning: "not in the reports"}
	}
	if d.Verdict == differences.Unsure && (tested || !floats.Finite(d.Difference)) {
		return Cell{Text: "–", Meaning: strings.TrimSuffix(string(d.Verdict)+": "+Brief(Reason(d, names)), ": ")}
	}
	cell := Cell{
		Text: Signed(d.Difference, Fixed(d.Difference, CardPlaces)), Arrow: Arrows[d.Verdict], Verdict: string(d.Verdict),
		Meaning: Number(d.A) + " → " + Number(d.B),
	}
	if p := PValue(d.PAdjusted); p != "" {
		cell.Meaning += ", p " + p
	}
	if tested {
		cell.Meaning = string(d.Verdict) + ": " + cell.Meaning
	}
	return cell
}

// Arrows mark verdicts.
var Arrows = map[differences.Verdict]string{differences.Better: "▲", differences.Worse: "▼"}

// mostReasons is the largest number of reasons in the legend of a grid.
const mostReasons = 8

// DifferencesLegend explains the cells of a grid of differences, called in words such as "b − a", with the reasons for which
// verdicts are unknown.
func DifferencesLegend(rows []*GridRow[*differences.Change], metrics []string, called string, names [2]string, tested bool) string {
	if !tested {
		return "Each number is a difference, " + called + ", which is not tested."
	}
	legend := "Each number is a difference, " + called + ". ▼: significantly worse. ▲: significantly better. Small: no significant change."
	var reasons []string
	for _, name := range metrics {
		for _, row := range rows {
			d := row.Items[name]
			if d == nil || d.Verdict != differences.Unsure || d.Reason == "" {
				continue
			}
			if text := quote.Visible(name) + ": " + Brief(Reason(d, names)); len(reasons) < mostReasons && !slices.Contains(reasons, text) {
				reasons = append(reasons, text)
			}
		}
	}
	if len(reasons) > 0 {
		legend += " –: unknown (" + strings.Join(reasons, "; ") + ")."
	}
	return legend
}

// Difference formats a difference with its sign and its interval.
func Difference(of Output, d *differences.Change) string {
	switch c := IntervalOf(d); {
	case of == Page:
		return Signed(d.Difference, WithInterval(d.Difference, c, CardPlaces))
	case c.HasInterval() && floats.Finite(d.Difference):
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
