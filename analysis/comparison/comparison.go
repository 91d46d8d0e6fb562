// Package comparison compares the metrics of two finished reports.
//
// Differences are tested with the replicates of the reports: as pairs if both reports have the same
// examples in the same groups, and otherwise as if the examples were different. Without replicates,
// they are not tested.
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
	c, err := judged(a, b, adjust)
	if err != nil {
		return nil, err
	}
	if c.Adjust == comparison.Holm {
		c.Warnings = append(c.Warnings, ofHolm(c)...)
	}
	c.Sort()
	return c, nil
}

// Within returns the differences between the metrics of a model, b, and of a baseline, a, that has
// predicted the same examples, in the order of reports. Metrics that only one of them has are left out.
func Within(a, b *report.Report) ([]comparison.Change, error) {
	c, err := judged(a, b, comparison.BenjaminiHochberg)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(c.Changes, func(d comparison.Change) bool { return d.Reason == onlyInA || d.Reason == onlyInB }), nil
}

// judged returns the comparison of two reports, with changes in the order of reports.
func judged(a, b *report.Report, adjust comparison.Adjustment) (*comparison.Comparison, error) {
	p, err := NewTester(a, b)
	if err != nil {
		return nil, err
	}
	p.Adjust = adjust
	p.test()
	adjustAll(p.Comparison)
	for i := range p.Changes {
		p.Judge(&p.Changes[i])
	}
	return p.Comparison, nil
}

// compared describes a report.
func compared(r *report.Report) comparison.Compared {
	says := r.Settings().Report
	return comparison.Compared{Model: says.Model, Data: says.Data, Date: says.Date, Examples: r.Examples, Groups: groups(r)}
}

// groups returns the number of groups of the replicates of a report.
func groups(r *report.Report) int {
	if !HasReplicates(r) {
		return 0
	}
	return r.Confidence.Groups
}

// defaultLevel is the level of intervals if neither report has one.
const defaultLevel = 0.95

// level returns the level of the intervals of b or, if b has none, of a.
func level(a, b *report.Report) float64 {
	return cmp.Or(b.Confidence, a.Confidence, &report.Grouping{Level: defaultLevel}).Level
}

// Places returns the names, slices and labels of the rows of all reports, without duplicates and in
// the order of reports. Labels have the order of the first report that has them.
func Places(reports ...*report.Report) []report.Row {
	met := map[string]bool{}
	var all report.Report
	for _, r := range reports {
		all.Labels = append(all.Labels, r.Labels...)
		for i := range r.Metrics {
			row := &r.Metrics[i]
			if k := string(row.Key()); !met[k] {
				met[k] = true
				all.Metrics = append(all.Metrics, report.Row{Name: row.Name, Slice: row.Slice, Label: row.Label})
			}
		}
	}
	all.Sort()
	return all.Metrics
}

// byPlace returns the rows of a report by their keys.
func byPlace(r *report.Report) map[string]*report.Row {
	rows := make(map[string]*report.Row, len(r.Metrics))
	for i := range r.Metrics {
		rows[string(r.Metrics[i].Key())] = &r.Metrics[i]
	}
	return rows
}
