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

// Tester holds two reports whose differences can be tested, and what is known about the pair.
type Tester struct {
	*comparison.Comparison
	a, b       *report.Report
	directions map[string]metrics.Better
}

// NewTester returns a tester of two reports, without changes. It returns an error if their tasks differ.
func NewTester(a, b *report.Report) (*Tester, error) {
	if a.Task != b.Task {
		return nil, fmt.Errorf("the reports are of different tasks: a is %s, b is %s", a.Task, b.Task)
	}
	pairing, doubts := pair(a, b)
	settings := b.Settings()
	return &Tester{
		Comparison: &comparison.Comparison{
			Task: a.Task, Level: level(a, b), Pairing: pairing, Warnings: slices.Concat(differences(a, b), doubts.all()),
			A: compared(a), B: compared(b), Headline: settings.Asked(),
		},
		a: a, b: b, directions: map[string]metrics.Better{},
	}, nil
}

// test tests the differences of all rows, which are in the order of reports.
func (t *Tester) test() {
	a, b := byPlace(t.a), byPlace(t.b)
	for _, at := range Places(t.b, t.a) {
		key := at.Key()
		t.Changes = append(t.Changes, t.Test(a[string(key)], b[string(key)]))
	}
}

// Test returns the difference between two rows of one place; one of them may be missing, nil. It is
// neither adjusted for the number of differences nor judged.
func (t *Tester) Test(a, b *report.Row) comparison.Change {
	return test(t.Comparison, a, b, t.Better(cmp.Or(a, b).Name))
}

// Judge sets the verdict of a difference, whose p-value has been adjusted.
func (t *Tester) Judge(d *comparison.Change) { judge(t.Comparison, d, t.Better(d.Name)) }

// Better returns which values of a metric are better.
func (t *Tester) Better(name string) metrics.Better {
	better, met := t.directions[name]
	if !met {
		better = Direction(name, t.a, t.b)
		t.directions[name] = better
	}
	return better
}

// Replicates returns the replicates of a paired difference between two rows with a known p-value,
// one without each group of the reports. If values near a target are better, the tested difference
// is a difference of distances from the target.
func (t *Tester) Replicates(a, b *report.Row) []float64 {
	x, y := whole(a, t.A.Groups), whole(b, t.B.Groups)
	if target, near := t.Better(a.Name).Target(); near {
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
	all := slices.Repeat([]float64{row.Value}, n)
	for i, group := range row.Groups {
		all[group] = row.Replicates[i]
	}
	return all
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

// Direction returns which values of a metric are better. For a metric that another program has
// registered, both reports must agree on it.
func Direction(name string, a, b *report.Report) metrics.Better {
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
		d.Verdict, d.Reason = comparison.Unsure, NoDirection
	case better == metrics.Higher == rises:
		d.Verdict = comparison.Better
	default:
		d.Verdict = comparison.Worse
	}
}
