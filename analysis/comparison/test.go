package comparison

import (
	"fmt"
	"math"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/confidence"
)

// tester holds two reports whose differences can be tested, and what is known about the pair.
type tester struct {
	*comparison.Comparison
	a, b       *report.Report
	directions map[string]metrics.Better
}

// newTester returns a tester of two reports, without changes. It returns an error if their tasks differ.
func newTester(a, b *report.Report) (*tester, error) {
	if a.Task != b.Task {
		return nil, fmt.Errorf("the reports are of different tasks: a is %s, b is %s", a.Task, b.Task)
	}
	pairing, doubts := pairingOf(a, b)
	settings := b.Settings()
	return &tester{
		Comparison: &comparison.Comparison{
			Task: a.Task, Level: level(a, b), Pairing: pairing, Warnings: slices.Concat(mismatches(a, b), doubts.all()),
			A: compared(a), B: compared(b), Headline: settings.Asked(),
		},
		a: a, b: b, directions: map[string]metrics.Better{},
	}, nil
}

// better returns which values of a metric are better.
func (t *tester) better(name string) metrics.Better {
	better, met := t.directions[name]
	if !met {
		better = Direction(name, t.a, t.b)
		t.directions[name] = better
	}
	return better
}

// replicates returns the replicates of a paired difference between two rows with a known p-value,
// one without each group of the reports. If values near a target are better, the tested difference
// is a difference of distances from the target.
func (t *tester) replicates(a, b *report.Row) []float64 {
	x, y := whole(a, t.A.Groups), whole(b, t.B.Groups)
	if target, near := t.better(a.Name).Target(); near {
		x, y = distances(x, target), distances(y, target)
	}
	for i := range y {
		y[i] -= x[i]
	}
	return y
}

// whole returns a replicate for each of n groups. Without a group that has no examples, a value does
// not change.
func whole(row *report.Row, n int) []float64 {
	all := make([]float64, n)
	for group := range all {
		all[group] = row.Without(int32(group))
	}
	return all
}

// test returns the difference between two rows of one place; one of them may be missing, nil. It is
// neither adjusted for the number of differences nor judged.
func (t *tester) test(a, b *report.Row) comparison.Change {
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
	case !floats.Finite(a.Value):
		d.Reason = undefinedInA
		return d
	case !floats.Finite(b.Value):
		d.Reason = undefinedInB
		return d
	case len(a.Replicates) == 0 || len(b.Replicates) == 0:
		d.Reason = noReplicates
		return d
	}
	d.Pairing = t.Pairing
	x, y, compared := a.Replicates, b.Replicates, confidence.Unpaired
	if t.Pairing == comparison.Paired {
		x, y = aligned(a, b)
		compared = confidence.Paired
	}
	found := compared(a.Value, b.Value, x, y, t.Level)
	d.Difference, d.StdError, d.DOF, d.Groups, d.Reason = found.Difference, found.StdError, found.DOF, found.Folds, found.NoInterval
	if reason := untestable(a, b); reason != "" {
		d.Reason = reason
		return d
	}
	d.Low, d.High, d.PValue = found.Low, found.High, found.PValue
	if target, near := t.better(d.Name).Target(); near && d.Reason == "" {
		found = compared(math.Abs(a.Value-target), math.Abs(b.Value-target), distances(x, target), distances(y, target), t.Level)
		d.PValue, d.Reason = found.PValue, found.NoInterval
	}
	return d
}

// distances returns the distances of values from a target.
func distances(values []float64, target float64) []float64 {
	return collections.Map(values, func(x float64) float64 { return math.Abs(x - target) })
}

// untestable returns the reason for which replicates do not show how uncertain a metric is, or "".
func untestable(rows ...*report.Row) string {
	for _, row := range rows {
		if c := row.Confidence; c != nil {
			if why := confidence.Untestable(c.Method, c.NoInterval); slices.Contains([]string{confidence.HasBias, confidence.IsNotSmooth, confidence.FewFolds}, why) {
				return why
			}
		}
	}
	return ""
}

// aligned returns the replicates of both values without the same groups: those with examples of the
// slice in either report. Without a group that has no examples, a value does not change.
func aligned(a, b *report.Row) (x, y []float64) {
	if slices.Equal(a.Folds, b.Folds) {
		return a.Replicates, b.Replicates
	}
	groups := slices.Concat(a.Folds, b.Folds)
	slices.Sort(groups)
	for _, group := range slices.Compact(groups) {
		x, y = append(x, a.Without(group)), append(y, b.Without(group))
	}
	return x, y
}

// Direction returns which values of a metric are better. For a metric that another program has
// registered, and for grades whose lower values are better in one report, both reports must agree on it.
func Direction(name string, a, b *report.Report) metrics.Better {
	x, y := a.Meanings[name], b.Meanings[name]
	if !x.Own && !y.Own {
		return metrics.Direction(name)
	}
	for better := metrics.Neither; better <= metrics.NearOne; better++ {
		if x.Own && y.Own && x.Better == better.String() && x.Better == y.Better {
			return better
		}
	}
	return metrics.Neither
}

// judge sets the verdict of a difference, whose p-value has been adjusted.
func (t *tester) judge(d *comparison.Change) {
	switch better := t.better(d.Name); {
	case math.IsNaN(d.PAdjusted):
		d.Verdict = comparison.Unsure
	case !t.Shown(d):
		d.Verdict = comparison.NoSignificantChange
	case better == metrics.Neither:
		d.Verdict, d.Reason = comparison.Unsure, NoDirection
	case better.Loss(d.B) < better.Loss(d.A):
		d.Verdict = comparison.Better
	default:
		d.Verdict = comparison.Worse
	}
}
