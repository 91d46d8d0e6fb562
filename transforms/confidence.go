package transforms

import (
	"fmt"
	"slices"

	"github.com/beameval/beameval/internal/lists"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/transforms/internal/element"
)

// joinFolds merges the statistics of the folds of a slice into those of all its examples.
func joinFolds(p *element.Partial) {
	for i := range p.Folds {
		if stats := p.Folds[i].Stats; stats != nil {
			p.Stats.MergeFold(stats)
		}
	}
}

// grouping says how the examples were divided, or returns nil if they were not. p holds all
// examples.
func (out *evaluable) grouping(p *element.Partial) *report.Grouping {
	c := out.spec.Confidence
	if c == nil {
		return nil
	}
	g := &report.Grouping{Level: c.Level, Groups: c.Groups, By: c.By, Seed: c.Seed, Clustered: c.Clustered, Digests: make([]report.GroupDigest, c.Groups)}
	for i := range p.Folds {
		d := p.Folds[i].Stats.Digest()
		g.Digests[p.Folds[i].Number] = report.GroupDigest{Rows: d.Rows, Digest: d.Sum}
	}
	return g
}

// assess adds replicates and confidence to the rows of a slice, which show results.
func (out *evaluable) assess(rows []report.Row, results []metrics.Result, p *element.Partial) error {
	some, places := matching(results, out.without.Metrics)
	options := out.spec.options(out.vocab)
	options.PerLabel = metrics.PerLabel{Labels: resultLabels(some)} // the same labels in every replicate, whichever occur without a fold
	parts, numbers := make([]*metrics.Partial, len(p.Folds)), make([]int32, len(p.Folds))
	for i := range p.Folds {
		parts[i], numbers[i] = p.Folds[i].Stats, p.Folds[i].Number
	}
	without := make([][]metrics.Result, len(parts))
	err := metrics.LeaveOneOut(parts, p.Stats, func(i int, others *metrics.Partial) (err error) {
		if curves := p.Folds[i].Curves; curves != nil {
			others.Merge(curves)
		}
		without[i], err = out.without.Evaluate(others, options)
		if err == nil && len(without[i]) != len(some) {
			err = fmt.Errorf("%d results without fold %d: expected %d", len(without[i]), p.Folds[i].Number, len(some))
		}
		return err
	})
	if err != nil {
		return err
	}
	if out.without.Binned() {
		found, err := out.without.Evaluate(metrics.Whole(parts, p.Stats), options)
		if err != nil {
			return err
		}
		out.without.Align(some, found, without)
	}
	how := metrics.IntervalOptions{
		Level: out.spec.Confidence.Level, Clustered: out.spec.Confidence.Clustered, Weighted: p.Stats.Weighted(), Folds: foldsWith(parts),
	}
	for k, interval := range out.without.Intervals(how, some, without) {
		row := &rows[places[k]]
		row.Confidence = confidenceOf(interval)
		row.Replicates, row.Groups = make([]float64, len(without)), numbers
		for i := range without {
			row.Replicates[i] = without[i][k].Estimate()
		}
	}
	return nil
}

// confidenceOf converts an interval to the form that reports have.
func confidenceOf(i confidence.Interval) *report.Confidence {
	return &report.Confidence{Low: i.Low, High: i.High, StdError: i.StdError, DOF: i.DOF, Groups: i.Folds, Method: i.Method, NoInterval: i.NoInterval, Warning: i.Warning}
}

// foldsWith returns a function that returns, for a label, the numbers of folds with positives and
// with negatives.
func foldsWith(folds []*metrics.Partial) func(label int) (positive, negative int) {
	return func(label int) (positive, negative int) {
		for _, g := range folds {
			p, n := g.Positives(label)
			positive, negative = positive+int(min(p, 1)), negative+int(min(n, 1))
		}
		return positive, negative
	}
}

// matching returns the results of metrics with these names, and their indices.
func matching(results []metrics.Result, names []string) (some []metrics.Result, places []int) {
	wanted := lists.Set(slices.Values(names))
	for i, r := range results {
		if wanted[r.Name] {
			some, places = append(some, r), append(places, i)
		}
	}
	return some, places
}

// resultLabels returns the labels that results belong to; the list is never nil.
func resultLabels(results []metrics.Result) []int {
	labels := []int{}
	for _, r := range results {
		if r.Label >= 0 {
			labels = append(labels, r.Label)
		}
	}
	slices.Sort(labels)
	return slices.Compact(labels)
}
