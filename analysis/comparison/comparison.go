// Package comparison compares the metrics of two finished reports, and ranks the systems of several.
//
// Differences are tested with the replicates of the reports: as pairs if both reports have the same
// examples in the same groups, and otherwise as if the examples were different. Without replicates,
// they are not tested. P-values are adjusted for the number of differences, of all systems together.
// Ranks follow from the differences of all pairs of systems.
package comparison

import (
	"cmp"
	"slices"

	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report"
)

// Reasons for which a difference is not tested or not judged.
const (
	onlyInA      = "only in a"
	onlyInB      = "only in b"
	undefinedInA = "undefined in a"
	undefinedInB = "undefined in b"
	noReplicates = "no replicates"
)

// NoDirection is the reason for which a difference is not judged, and systems are not ranked, by
// metrics such as prevalence.
const NoDirection = "neither higher nor lower is better"

// Compare compares report b with report a. It returns an error if their tasks differ; other reasons
// to doubt the comparison become its warnings.
func Compare(a, b *report.Report, adjust comparison.Adjustment) (*comparison.Comparison, error) {
	s, p, err := judged(a, b, adjust)
	if err != nil {
		return nil, err
	}
	if adjust == comparison.Holm {
		p.Warnings = append(p.Warnings, s.ofHolm(p)...)
	}
	p.Visible = s.visible(p, p.Headlines(), s.sizes([]*pair{p}))
	p.Sort()
	return p.Comparison, nil
}

// Within returns the differences between the metrics of a model, b, and of a baseline, a, that has
// predicted the same examples, in the order of reports. Metrics that only one of them has are left out.
func Within(a, b *report.Report) ([]comparison.Change, error) {
	_, p, err := judged(a, b, comparison.BenjaminiHochberg)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(p.Changes, func(d comparison.Change) bool { return d.Reason == onlyInA || d.Reason == onlyInB }), nil
}

// judged compares two reports as systems, with changes in the order of reports.
func judged(a, b *report.Report, adjust comparison.Adjustment) (*set, *pair, error) {
	systems := []System{{Report: b}, {Report: a}} // the order of labels is b's
	s, p := newSet(&comparison.Leaderboard{Adjust: adjust}, systems), &pair{a: 1, b: 0}
	if err := s.testPair(p, s.allPlaces()); err != nil {
		return nil, nil, err
	}
	for _, members := range s.families([]*pair{p}) {
		s.adjustFamily([]*pair{p}, members)
	}
	p.judgeAll()
	p.Adjust, p.Changes = adjust, p.changes()
	return s, p, nil
}

// compared describes a report.
func compared(r *report.Report) comparison.Compared {
	says := r.Settings().Report
	return comparison.Compared{Model: says.Model, Data: says.Data, Date: says.Date, Examples: r.Examples, Groups: groups(r)}
}

// groups returns the number of groups of the replicates of a report.
func groups(r *report.Report) int {
	if !hasReplicates(r) {
		return 0
	}
	return r.Confidence.Folds
}

// defaultLevel is the level of intervals if neither report has one.
const defaultLevel = 0.95

// level returns the level of the intervals of b or, if b has none, of a.
func level(a, b *report.Report) float64 {
	return cmp.Or(b.Confidence, a.Confidence, &report.Folding{Level: defaultLevel}).Level
}
