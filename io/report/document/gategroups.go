package document

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
)

// withVerdict returns the gates with a verdict.
func withVerdict(gates []report.GateResult, verdict report.Verdict) []*report.GateResult {
	return collections.Select(gates, func(g *report.GateResult) bool { return g.Verdict == verdict })
}

// byShortfall returns the failed gates, the worst first: by how far each is from its limits, relative to
// the limit it is farthest from.
func byShortfall(gates []report.GateResult) []*report.GateResult {
	failed := withVerdict(gates, report.Fail)
	slices.SortStableFunc(failed, func(a, b *report.GateResult) int { return cmp.Compare(shortfall(b), shortfall(a)) })
	return failed
}

// shortfall returns how far a failed gate is from its limits. A value that is not defined is farther than
// any other.
func shortfall(r *report.GateResult) float64 {
	if !floats.Finite(r.Value) {
		return math.Inf(1)
	}
	farthest := math.Inf(-1)
	beyond := func(by, limit float64) {
		if limit != 0 {
			by /= math.Abs(limit)
		}
		if floats.Finite(by) {
			farthest = max(farthest, by)
		}
	}
	if r.Min != nil {
		beyond(*r.Min-r.Value, *r.Min)
	}
	if r.Max != nil {
		beyond(r.Value-*r.Max, *r.Max)
	}
	baseline := r.Value - r.Difference
	if r.MaxDrop != nil {
		beyond(-r.Difference-r.MaxDrop.Of(baseline), baseline)
	}
	if r.MaxRise != nil {
		beyond(r.Difference-r.MaxRise.Of(baseline), baseline)
	}
	return farthest
}

// leastShared is how many gates have to fail a limit for a sentence about them.
const leastShared = 3

// sharedFailures says which limits several gates fail, the limits with the worst failure first,
// such as "recall: min 0.7 fails in 27 of 27 slices, worst 0.1540 (shop=7)".
func sharedFailures(gates []report.GateResult) (list []string) {
	all := make(map[string]int)
	for i := range gates {
		all[sharedLimit(&gates[i])]++
	}
	var limits []string
	failed := make(map[string][]*report.GateResult)
	for _, r := range byShortfall(gates) {
		limit := sharedLimit(r)
		if failed[limit] == nil {
			limits = append(limits, limit)
		}
		failed[limit] = append(failed[limit], r)
	}
	for _, limit := range limits {
		of := failed[limit]
		if len(of) < leastShared {
			continue
		}
		worst := of[0]
		where := worst.Slice.String()
		if worst.Label != nil {
			where = Label(worst.Label)
		}
		kind := "slices"
		if len(worst.Slice) == 0 {
			kind = "labels"
		}
		list = append(list, fmt.Sprintf("%s: %s fails in %s of %s %s, worst %s (%s)", quote.Visible(worst.Metric), asked(&worst.Limits),
			Grouped(int64(len(of))), Grouped(int64(all[limit])), kind, found(worst), where))
	}
	if len(list) > sharedLimits {
		list = append(list[:sharedLimits], fmt.Sprintf("… and %d more", len(list)-sharedLimits))
	}
	return list
}

// sharedLimit identifies what gates over slices and labels share: the metric, the limits, and whether it is of
// all examples.
func sharedLimit(r *report.GateResult) string {
	return fmt.Sprintf("%s\x00%s\x00%t\x00%t", r.Metric, asked(&r.Limits), len(r.Slice) > 0, r.Label != nil)
}

// gateCount counts gates, of which at most most are shown.
func gateCount(n, most int) string {
	if n > most {
		return fmt.Sprintf("the first %d of %s", most, Plural(int64(n), "gate"))
	}
	return Plural(int64(n), "gate")
}
