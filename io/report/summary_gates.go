package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/beameval/beameval/io/quote"
)

// gates returns a table of what gates ask and what was found, the failed ones first.
func (s Screen) gates(gates []GateResult) string {
	shown := firstGates(gates, summaryGates)
	labels := slices.ContainsFunc(shown, func(r *GateResult) bool { return r.Label != nil })
	of := s.narrowest(func(names int) string {
		t := summaryTable()
		header := table.Row{"gate", "metric", "slice", "asked", "found"}
		if labels {
			header = slices.Insert(header, 3, any("label"))
		}
		t.AppendHeader(header)
		for _, r := range shown {
			line := table.Row{s.paint(string(r.Verdict)), cut(quote.Visible(r.Metric), names), cut(r.Slice.String(), names), r.asked(), r.found()}
			if labels {
				line = slices.Insert(line, 3, any(cut(r.label(), names)))
			}
			t.AppendRow(line)
		}
		return t.Render()
	})
	of += s.marks(of)
	var reasons []string
	for _, r := range shown {
		if why := r.reason(); r.Reason != "" && !slices.Contains(reasons, why) {
			reasons = append(reasons, why)
			of += "\n" + s.indented(why)
		}
	}
	return of + "\n " + gateTally(gates)
}

// asked returns the limits of a gate, as the configuration has them.
func (l *Limits) asked() string {
	var parts []string
	for _, limit := range []struct {
		name, text string
	}{{"min", gateNumber(l.Min)}, {"max", gateNumber(l.Max)}, {"max drop", l.MaxDrop.text()}, {"max rise", l.MaxRise.text()}} {
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
func (r *GateResult) found() string {
	if !finite(r.Value) {
		return "undefined"
	}
	found := telling(r.Value, r.Min, r.Max)
	if finite(r.Low) {
		found += " [" + telling(r.Low, r.Min) + ", " + telling(r.High, r.Max) + "]"
	}
	if finite(r.Difference) {
		found += " (" + signed(r.Difference, r.MaxDrop.value(false), r.MaxRise.value(false))
		if share := r.percent(); finite(share) {
			found += ", " + signed(share, r.MaxDrop.value(true), r.MaxRise.value(true)) + "%"
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

// label returns the label of a gate, or "" if it has none.
func (r *GateResult) label() string {
	if r.Label == nil {
		return ""
	}
	return quote.Visible(*r.Label)
}

// reason says why the gate cannot be judged, and which it is.
func (r *GateResult) reason() string {
	of := quote.Visible(r.Metric)
	if len(r.Slice) > 0 {
		of += ", " + r.Slice.String()
	}
	if r.Label != nil {
		of += ", " + r.label()
	}
	return of + ": " + oneLine(r.Reason)
}
