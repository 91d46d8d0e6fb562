package comparison

import (
	"cmp"
	"math"
	"slices"

	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/volume"
)

// Reasons why gates cannot be judged.
const (
	missingRow    = "not in the report"
	noConfidence  = "no interval"
	nothingToTest = "no p-value"
	notComparable = "no difference"
	shareOfZero   = "a share of 0, the baseline, is undefined"
)

// Judge sets r.Gates to the results of gates, in the order of the gates and, for a gate on each
// slice, of the slices. The value that the configuration sets for an undefined metric counts as its
// value. c is the comparison of r with another report. Without it, gates on change are unknown.
func Judge(r *report.Report, gates []report.Gate, c *Comparison) {
	r.Gates = nil
	metrics := volume.With(r, volume.Asked(gates)).Metrics
	rows, changes := report.GateRows(gates, metrics), c.compared(gates)
	for i := range gates {
		r.Gates = append(r.Gates, judge(&gates[i], metrics, rows[i], c, changes)...)
	}
}

// judge judges a gate in the rows to which it applies.
func judge(g *report.Gate, rows []report.Row, applies []int, c *Comparison, changes map[string]*Change) (results []report.GateResult) {
	for _, i := range applies {
		results = append(results, result(g, &rows[i], c, changes))
	}
	if len(results) == 0 {
		results = append(results, result(g, &report.Row{Slice: g.Slice, Value: math.NaN(), Undefined: missingRow}, c, changes))
	}
	slices.SortFunc(results, func(a, b report.GateResult) int { return a.Slice.Compare(b.Slice) })
	return results
}

// compared returns the changes of the metrics that gates compare, by what rows they are of.
func (c *Comparison) compared(gates []report.Gate) map[string]*Change {
	if c == nil {
		return nil
	}
	metrics, found := map[string]bool{}, map[string]*Change{}
	for _, g := range gates {
		metrics[g.Metric] = metrics[g.Metric] || g.Compares()
	}
	for i := range c.Changes {
		if d := &c.Changes[i]; metrics[d.Name] {
			found[report.KeyOf(d.Name, d.Slice, d.Label)] = d
		}
	}
	return found
}

func result(g *report.Gate, row *report.Row, c *Comparison, changes map[string]*Change) report.GateResult {
	result := report.GateResult{
		Metric: g.Metric, Slice: row.Slice, Label: g.Label, Limits: g.Limits, Verdict: report.Pass,
		Value: row.Value, Low: math.NaN(), High: math.NaN(), Difference: math.NaN(), PAdjusted: math.NaN(),
	}
	failed := judgeValue(&result, row)
	if g.Compares() {
		change := changes[report.KeyOf(g.Metric, row.Slice, g.Label)]
		failed = judgeChange(&result, c, change) || failed
	}
	switch {
	case failed, result.Reason != "" && result.Reason != report.NoBaseline && !g.AllowUndefined:
		result.Verdict = report.Fail
	case result.Reason != "":
		result.Verdict = report.Unknown
	}
	return result
}

// judgeValue reports whether a value is beyond its bounds. If that is unknown, it sets the reason.
func judgeValue(r *report.GateResult, row *report.Row) (failed bool) {
	low, high := row.Value, row.Value
	switch {
	case !floats.Finite(row.Value):
		r.Reason = row.Reason()
		return exceeded(&r.Limits, low, high) // an infinite loss does exceed a bound
	case r.Min == nil && r.Max == nil:
		return false
	case r.Sure && !row.Confidence.HasInterval():
		r.Reason = because(noConfidence, row.NoInterval())
		return exceeded(&r.Limits, low, high)
	case r.Sure:
		low, high = row.Confidence.Low, row.Confidence.High
		r.Low, r.High = low, high
	}
	return exceeded(&r.Limits, low, high)
}

// because adds to a reason why it holds, if that is known.
func because(reason, why string) string {
	if why == "" {
		return reason
	}
	return reason + ": " + why
}

func exceeded(l *report.Limits, low, high float64) bool {
	return l.Min != nil && low < *l.Min || l.Max != nil && high > *l.Max
}

// rounding is the share of a value by which a difference may exceed a limit: in floating point,
// 0.93 − 0.92 is more than 0.01.
const rounding = 1e-12

// judgeChange reports whether a difference is beyond its limits. If that is unknown, it sets the
// reason.
func judgeChange(r *report.GateResult, c *Comparison, change *Change) (failed bool) {
	change = cmp.Or(change, &Change{Difference: math.NaN()})
	switch {
	case c == nil:
		r.Reason = cmp.Or(r.Reason, report.NoBaseline)
		return false
	case !floats.Finite(change.Difference):
		r.Reason = cmp.Or(r.Reason, because(notComparable, change.Reason))
		return false
	}
	r.Difference = change.Difference
	slack := float64(rounding * max(math.Abs(change.A), math.Abs(change.B)))
	drop, rise := r.MaxDrop.Of(change.A), r.MaxRise.Of(change.A)
	exceeded := -change.Difference > drop+slack || change.Difference > rise+slack
	if math.IsNaN(drop) || math.IsNaN(rise) {
		r.Reason = cmp.Or(r.Reason, shareOfZero)
	}
	if !r.Sure {
		return exceeded
	}
	r.PAdjusted = change.PAdjusted
	switch {
	case !exceeded:
		return false
	case math.IsNaN(change.PAdjusted):
		r.Reason = because(nothingToTest, change.Reason)
		return false
	}
	return c.Shown(change)
}
