// Package comparison compares the metrics of two finished reports.
//
// Differences are tested with the replicates of the reports: as pairs if both reports have the same
// examples in the same groups, and otherwise as if the examples were different. Without replicates,
// they are not tested.
package comparison

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/beameval/beameval/internal/lists"
	"github.com/beameval/beameval/internal/numbers"
	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/confidence"
)

// Reasons for which a difference is not tested or not judged.
const (
	onlyInA      = "only in a"
	onlyInB      = "only in b"
	undefinedInA = "undefined in a"
	undefinedInB = "undefined in b"
	noReplicates = "no replicates"
	noDirection  = "neither higher nor lower is better"
)

// Compare compares report b with report a. It returns an error if their tasks differ; other reasons
// to doubt the comparison become its warnings.
func Compare(a, b *report.Report, adjust comparison.Adjustment) (*comparison.Comparison, error) {
	if a.Task != b.Task {
		return nil, fmt.Errorf("the reports are of different tasks: a is %s, b is %s", a.Task, b.Task)
	}
	pairing, doubts := pair(a, b)
	c := &comparison.Comparison{
		Task: a.Task, Level: level(a, b), Adjust: adjust, Pairing: pairing, Warnings: slices.Concat(differences(a, b), doubts.all()),
		A: compared(a), B: compared(b),
	}
	settings := b.Settings()
	c.Headline = settings.Asked()
	left, right, directions := byPlace(a), byPlace(b), map[string]metrics.Better{}
	for _, at := range places(a, b) {
		better, met := directions[at.Name]
		if !met {
			better = direction(at.Name, a, b)
			directions[at.Name] = better
		}
		c.Changes = append(c.Changes, test(c, left[string(at.Key())], right[string(at.Key())], better))
	}
	adjustAll(c)
	if c.Adjust == comparison.Holm {
		c.Warnings = append(c.Warnings, ofHolm(c)...)
	}
	for i := range c.Changes {
		judge(c, &c.Changes[i], directions[c.Changes[i].Name])
	}
	c.Sort()
	return c, nil
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
	return r.Confidence.Groups
}

// defaultLevel is the level of intervals if neither report has one.
const defaultLevel = 0.95

// level returns the level of the intervals of b or, if b has none, of a.
func level(a, b *report.Report) float64 {
	return cmp.Or(b.Confidence, a.Confidence, &report.Grouping{Level: defaultLevel}).Level
}

// places returns the names, slices and labels of the rows of both reports, without duplicates and
// in the order of reports.
func places(a, b *report.Report) []report.Row {
	met := map[string]bool{}
	all := report.Report{Labels: slices.Concat(b.Labels, a.Labels)}
	for _, r := range []*report.Report{b, a} {
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

// test returns the difference between two values of one place. One of them may be missing.
func test(c *comparison.Comparison, a, b *report.Row, better metrics.Better) comparison.Change {
	nan := math.NaN()
	d := comparison.Change{
		A: nan, B: nan, Difference: nan, StdError: nan, DOF: nan, Low: nan, High: nan, PValue: nan, PAdjusted: nan,
		Pairing: comparison.Untested,
	}
	for _, row := range []*report.Row{a, b} {
		if row != nil {
			d.Name, d.Slice, d.Label = row.Name, row.Slice, row.Label
		}
	}
	switch {
	case b == nil:
		d.A, d.Reason = a.Value, onlyInA
		return d
	case a == nil:
		d.B, d.Reason = b.Value, onlyInB
		return d
	}
	d.A, d.B, d.Difference = a.Value, b.Value, b.Value-a.Value
	switch {
	case !numbers.Finite(a.Value):
		d.Reason = undefinedInA
		return d
	case !numbers.Finite(b.Value):
		d.Reason = undefinedInB
		return d
	case len(a.Replicates) == 0 || len(b.Replicates) == 0:
		d.Reason = noReplicates
		return d
	}
	d.Pairing = c.Pairing
	x, y, compared := a.Replicates, b.Replicates, confidence.Unpaired
	if c.Pairing == comparison.Paired {
		x, y = aligned(a, b)
		compared = confidence.Paired
	}
	found := compared(a.Value, b.Value, x, y, c.Level)
	d.Difference, d.StdError, d.DOF, d.Groups, d.Reason = found.Difference, found.StdError, found.DOF, found.Folds, found.NoInterval
	if reason := untestable(a, b); reason != "" {
		d.Reason = reason
		return d
	}
	d.Low, d.High, d.PValue = found.Low, found.High, found.PValue
	if target, near := better.Target(); near && d.Reason == "" {
		found = compared(math.Abs(a.Value-target), math.Abs(b.Value-target), distances(x, target), distances(y, target), c.Level)
		d.PValue, d.Reason = found.PValue, found.NoInterval
	}
	return d
}

// distances returns the distances of values from a target.
func distances(values []float64, target float64) []float64 {
	return lists.Map(values, func(x float64) float64 { return math.Abs(x - target) })
}

// untestable returns the reason for which replicates do not show how uncertain a metric is, or "".
func untestable(rows ...*report.Row) string {
	for _, row := range rows {
		if c := row.Confidence; c != nil && slices.Contains([]string{confidence.HasBias, confidence.IsNotSmooth, confidence.FewFolds}, c.NoInterval) {
			return c.NoInterval
		}
	}
	return ""
}

// aligned returns the replicates of both values without the same groups: those with examples of the
// slice in either report. Without a group that has no examples, a value does not change.
func aligned(a, b *report.Row) (x, y []float64) {
	if slices.Equal(a.Groups, b.Groups) {
		return a.Replicates, b.Replicates
	}
	i, j := 0, 0
	for i < len(a.Groups) || j < len(b.Groups) {
		inA := i < len(a.Groups) && (j == len(b.Groups) || a.Groups[i] <= b.Groups[j])
		inB := j < len(b.Groups) && (i == len(a.Groups) || b.Groups[j] <= a.Groups[i])
		x, y = append(x, a.Value), append(y, b.Value)
		if inA {
			x[len(x)-1] = a.Replicates[i]
			i++
		}
		if inB {
			y[len(y)-1] = b.Replicates[j]
			j++
		}
	}
	return x, y
}

// direction returns which values of a metric are better. For a metric that another program has
// registered, both reports must agree on it.
func direction(name string, a, b *report.Report) metrics.Better {
	if of := a.Meanings[name]; of.Own && of.Better == b.Meanings[name].Better {
		for better := metrics.Neither; better <= metrics.NearOne; better++ {
			if of.Better == better.String() {
				return better
			}
		}
	}
	return metrics.Direction(name)
}

// judge sets the verdict of a difference.
func judge(c *comparison.Comparison, d *comparison.Change, better metrics.Better) {
	rises := d.Difference > 0
	if target, near := better.Target(); near {
		better, rises = metrics.Lower, math.Abs(d.B-target) > math.Abs(d.A-target)
	}
	switch {
	case math.IsNaN(d.PAdjusted):
		d.Verdict = comparison.Unsure
	case !c.Shown(d):
		d.Verdict = comparison.NoSignificantChange
	case better == metrics.Neither:
		d.Verdict, d.Reason = comparison.Unsure, noDirection
	case better == metrics.Higher == rises:
		d.Verdict = comparison.Better
	default:
		d.Verdict = comparison.Worse
	}
}
