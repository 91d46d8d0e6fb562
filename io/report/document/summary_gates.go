package document

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/beameval/beameval/internal/numbers"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
)

// Gates returns a table of what gates ask and what was found, the failed ones first.
func (s Screen) Gates(gates []report.GateResult) string {
	shown := firstGates(gates, summaryGates)
	labels := slices.ContainsFunc(shown, func(r *report.GateResult) bool { return r.Label != nil })
	of := s.narrowest(func(names int) string {
		t := summaryTable()
		header := table.Row{"gate", "metric", "slice", "asked", "found"}
		if labels {
			header = slices.Insert(header, 3, any("label"))
		}
		t.AppendHeader(header)
		for _, r := range shown {
			line := table.Row{s.paint(string(r.Verdict)), cut(quote.Visible(r.Metric), names), cut(r.Slice.String(), names), asked(&r.Limits), found(r)}
			if labels {
				line = slices.Insert(line, 3, any(cut(gateLabel(r), names)))
			}
			t.AppendRow(line)
		}
		return t.Render()
	})
	of += s.Marks(of)
	var reasons []string
	for _, r := range shown {
		if why := gateReason(r); r.Reason != "" && !slices.Contains(reasons, why) {
			reasons = append(reasons, why)
			of += "\n" + s.Indented(why)
		}
	}
	return of + "\n " + gateTally(gates)
}

// asked returns the limits of a gate, as the configuration has them.
func asked(l *report.Limits) string {
	var parts []string
	for _, limit := range []struct {
		name, text string
	}{{"min", report.GateNumber(l.Min)}, {"max", report.GateNumber(l.Max)}, {"max drop", l.MaxDrop.Text()}, {"max rise", l.MaxRise.Text()}} {
		if limit.text != "" {
			parts = append(parts, limit.name+" "+limit.text)
		}
	}
	if l.Sure {
		parts = append(parts, "sure")
	}
	return strings.Join(parts, ", ")
}

// found returns the value of a gate, its interval and its difference, where the gate needs them.
func found(r *report.GateResult) string {
	if !numbers.Finite(r.Value) {
		return "undefined"
	}
	found := telling(r.Value, r.Min, r.Max)
	if numbers.Finite(r.Low) {
		found += " [" + telling(r.Low, r.Min) + ", " + telling(r.High, r.Max) + "]"
	}
	if numbers.Finite(r.Difference) {
		found += " (" + signed(r.Difference, r.MaxDrop.ValueIf(false), r.MaxRise.ValueIf(false))
		if share := percent(r); numbers.Finite(share) {
			found += ", " + signed(share, r.MaxDrop.ValueIf(true), r.MaxRise.ValueIf(true)) + "%"
		}
		found += ")"
	}
	return found
}

// signed writes a difference with its sign, so that it shows on which side of limits it is.
func signed(x float64, drop, rise *float64) string {
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 12, 64), 64) // see rounding
	return plus(x) + telling(x, negative(drop), rise)
}

// telling writes a number in four digits or as many more as show on which side of limits it is.
func telling(x float64, limits ...*float64) string {
	for digits := 4; ; digits++ {
		written := strconv.FormatFloat(x, 'g', digits, 64)
		read, err := strconv.ParseFloat(written, 64)
		misled := slices.ContainsFunc(limits, func(l *float64) bool { return l != nil && cmp.Compare(read, *l) != cmp.Compare(x, *l) })
		if err != nil || read == x || !misled {
			return written
		}
	}
}

// plus is the sign of a number that is not negative.
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

// gateLabel returns the label of a gate, or "" if it has none.
func gateLabel(r *report.GateResult) string {
	if r.Label == nil {
		return ""
	}
	return quote.Visible(*r.Label)
}

// gateReason says why the gate cannot be judged, and which it is.
func gateReason(r *report.GateResult) string {
	of := quote.Visible(r.Metric)
	if len(r.Slice) > 0 {
		of += ", " + r.Slice.String()
	}
	if r.Label != nil {
		of += ", " + gateLabel(r)
	}
	return of + ": " + OneLine(r.Reason)
}
