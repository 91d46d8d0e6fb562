package report

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/slice"
)

// Gate says between which bounds a metric must be.
type Gate struct {
	Metric string
	// Slice is the slice, whose values are texts ([slice.Value.AsText]); it is that of all
	// examples if it is empty. Each means every slice but that of all examples instead.
	Slice slice.Key
	Each  bool
	Label *string // nil: the metric of all labels together
	// Min and Max are the bounds, which may be reached; nil is none.
	Min, Max *float64
	// AllowUndefined says that the gate does not fail where the metric is undefined or
	// missing.
	AllowUndefined bool
}

// Verdict says what became of a gate in a slice.
type Verdict string

// The verdicts.
const (
	Pass    Verdict = "pass"
	Fail    Verdict = "fail"
	Unknown Verdict = "unknown" // undefined or missing, which the gate allows
)

// GateResult is what became of a gate in a slice.
type GateResult struct {
	Metric   string
	Slice    slice.Key
	Label    *string
	Min, Max *float64
	Value    float64 // NaN if it is undefined or missing
	Verdict  Verdict
	Reason   string // why there is no value
}

// missingRow is the reason where the report does not have the metric.
const missingRow = "not in the report"

// Judge sets r.Gates to the results of gates, in the order of the gates and, where a gate is
// for each slice, of the slices. A value that the configuration sets for a metric that is
// undefined counts as its value.
func (r *Report) Judge(gates []Gate) {
	r.Gates = nil
	for i := range gates {
		r.Gates = append(r.Gates, gates[i].judge(r.Metrics)...)
	}
}

func (g *Gate) judge(rows []Row) (results []GateResult) {
	for i := range rows {
		if g.isFor(&rows[i]) {
			results = append(results, g.result(rows[i].Slice, rows[i].Value, rows[i].undefined()))
		}
	}
	if len(results) == 0 {
		results = append(results, g.result(g.Slice, nan, missingRow))
	}
	slices.SortFunc(results, func(a, b GateResult) int { return a.Slice.Compare(b.Slice) })
	return results
}

func (g *Gate) isFor(row *Row) bool {
	return row.Name == g.Metric && sameLabel(row.Label, g.Label) &&
		(g.Each && len(row.Slice) > 0 || !g.Each && slices.EqualFunc(row.Slice, g.Slice, func(a, b slice.Pair) bool {
			return a.Column == b.Column && a.Value.AsText() == b.Value
		}))
}

func sameLabel(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }

func (g *Gate) result(key slice.Key, value float64, undefined string) GateResult {
	result := GateResult{Metric: g.Metric, Slice: key, Label: g.Label, Min: g.Min, Max: g.Max, Value: value, Verdict: Pass}
	switch {
	case !finite(value) && g.AllowUndefined:
		result.Verdict, result.Reason = Unknown, undefined
	case !finite(value):
		result.Verdict, result.Reason = Fail, undefined
	case g.Min != nil && value < *g.Min, g.Max != nil && value > *g.Max:
		result.Verdict = Fail
	}
	return result
}

// Failed returns how many gates failed, in all slices.
func (r *Report) Failed() (n int) {
	for i := range r.Gates {
		if r.Gates[i].Verdict == Fail {
			n++
		}
	}
	return n
}

// gateJSON is a result in metrics.json.
type gateJSON struct {
	Metric  string    `json:"metric"`
	Slice   slice.Key `json:"slice"`
	Label   *string   `json:"label"`
	Min     *float64  `json:"min,omitempty"`
	Max     *float64  `json:"max,omitempty"`
	Value   *float64  `json:"value"`
	Verdict Verdict   `json:"verdict"`
	Reason  string    `json:"reason,omitempty"`
}

func (r *GateResult) json() gateJSON {
	g := gateJSON{Metric: quote.Valid(r.Metric), Slice: r.Slice, Min: r.Min, Max: r.Max, Verdict: r.Verdict, Reason: quote.Valid(r.Reason)}
	if r.Label != nil {
		g.Label = new(quote.Escape(*r.Label))
	}
	if finite(r.Value) {
		g.Value = &r.Value
	}
	return g
}

func (g gateJSON) result() GateResult {
	r := GateResult{Metric: g.Metric, Slice: g.Slice, Min: g.Min, Max: g.Max, Value: nan, Verdict: g.Verdict, Reason: g.Reason}
	if g.Label != nil {
		r.Label = new(quote.Unescape(*g.Label))
	}
	if g.Value != nil {
		r.Value = *g.Value
	}
	return r
}

// gateLines are the cells of a table of gates, the failed ones first, of which there are at
// most so many.
func (r *Report) gateLines(most int) (header []string, lines [][]string) {
	header = []string{"gate", "metric", "slice", "label", "value", "min", "max"}
	for _, verdict := range []Verdict{Fail, Unknown, Pass} {
		for i := range r.Gates {
			if g := &r.Gates[i]; g.Verdict == verdict && len(lines) < most {
				lines = append(lines, g.line())
			}
		}
	}
	return header, lines
}

func (r *GateResult) line() []string {
	label := ""
	if r.Label != nil {
		label = quote.Visible(*r.Label)
	}
	value := oneLine(r.Reason)
	if finite(r.Value) {
		value = gateNumber(&r.Value)
	}
	return []string{string(r.Verdict), quote.Visible(r.Metric), r.Slice.String(), label, value, gateNumber(r.Min), gateNumber(r.Max)}
}

// gateNumber writes all digits: rounded, a value below a bound could look as if it were not.
func gateNumber(x *float64) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'g', -1, 64)
}

// gateTally says how many gates passed and failed.
func (r *Report) gateTally() string {
	counts := map[Verdict]int64{}
	for i := range r.Gates {
		counts[r.Gates[i].Verdict]++
	}
	text := fmt.Sprintf("gates: %s failed, %s passed", grouped(counts[Fail]), grouped(counts[Pass]))
	if n := counts[Unknown]; n > 0 {
		text += fmt.Sprintf(", %s unknown", grouped(n))
	}
	return text
}
