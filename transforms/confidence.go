package transforms

import (
	"fmt"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// joinFolds merges the folds' statistics of a slice into the statistics of all its examples.
func joinFolds(p *shuffle.Partial) {
	for i := range p.Folds {
		if stats := p.Folds[i].Stats; stats != nil {
			p.Stats.MergeFold(stats)
		}
	}
}

// folding says how the examples were divided, or returns nil if they were not. p holds all
// examples.
func (out *evaluable) folding(p *shuffle.Partial) *report.Folding {
	c := out.spec.Confidence
	if c == nil {
		return nil
	}
	g := &report.Folding{Level: c.Level, Folds: c.Folds, By: c.By, Position: c.Position, Seed: c.Seed, Clustered: c.Clustered, Digests: make([]report.FoldDigest, c.Folds)}
	for i := range p.Folds {
		d := p.Folds[i].Stats.Digest()
		g.Digests[p.Folds[i].Number] = report.FoldDigest{Rows: d.Rows, Digest: d.Sum}
	}
	return g
}

// jackknives returns how metrics are computed without each fold.
func jackknives(params *metrics.Params, names []string) ([]metrics.Jackknife, error) {
	without, err := params.WithoutFolds(names)
	if err != nil {
		return nil, err
	}
	return without.Jackknives(), nil
}

// assess adds replicates and confidence to the rows of a slice with metrics of a jackknife. The
// rows show results.
func (out *evaluable) assess(jackknife *metrics.Jackknife, rows []report.Row, results []metrics.Result, p *shuffle.Partial) error {
	some, places := matching(results, jackknife.Names)
	options := out.spec.Options(out.vocab)
	options.PerLabel = metrics.PerLabel{Labels: resultLabels(some)} // the same labels in every replicate, whichever occur without a fold
	if out.sample != nil && jackknife.Judging() {
		return out.assessDrawn(jackknife, rows, some, places, p)
	}
	var parts []*metrics.Partial
	var numbers []int32
	var curves []*metrics.Partial
	for i := range p.Folds {
		if f := &p.Folds[i]; jackknife.Leaves(f.Stats) {
			parts, numbers, curves = append(parts, f.Stats), append(numbers, f.Number), append(curves, f.Curves)
		}
	}
	n, all := len(parts), parts
	if jackknife.Binned() { // what is left out last is nothing
		all, numbers, curves = append(slices.Clip(parts), nil), append(numbers, shuffle.NoFold), append(curves, nil)
	}
	without := make([][]metrics.Result, len(all))
	err := metrics.LeaveOneOut(all, p.Stats, func(i int, others *metrics.Partial) (err error) {
		if curves[i] != nil {
			others.Merge(curves[i])
		}
		without[i], err = jackknife.Evaluate(others, options)
		if err == nil && len(without[i]) != len(some) {
			err = fmt.Errorf("%d results without fold %d: expected %d", len(without[i]), numbers[i], len(some))
		}
		return err
	})
	if err != nil {
		return err
	}
	if len(all) > n {
		jackknife.Align(some, without[n], without[:n])
	}
	without, numbers = without[:n], numbers[:n]
	weights := jackknife.Weights(parts)
	if out.sample != nil {
		without, numbers, weights = out.sample.replicates(some, without, numbers, weights), out.sample.folds, nil
	}
	for k, interval := range jackknife.Intervals(out.how(p, parts), some, without) {
		row := &rows[places[k]]
		if out.sample != nil {
			out.sample.judge(&interval, len(parts), without, k)
		}
		if out.sample != nil && jackknife.Estimated(some[k].Name) == metrics.ErrorOfMean {
			unreplicated(&interval, without, k)
		}
		row.Confidence = confidenceOf(interval)
		row.Replicates, row.Folds = make([]float64, len(without)), numbers
		for i := range without {
			row.Replicates[i] = without[i][k].Estimate()
		}
	}
	if len(places) > 0 {
		rows[places[0]].Weights = weights
	}
	return nil
}

// how says how the results of a slice become intervals. parts are its folds.
func (out *evaluable) how(p *shuffle.Partial, parts []*metrics.Partial) metrics.IntervalOptions {
	c := out.spec.Confidence
	return metrics.IntervalOptions{
		Level: c.Level, Clustered: c.Clustered, Weighted: p.Stats.Weighted() || out.spec.Sampling != nil, Rows: p.Stats.Weighty(), Folds: foldsWith(parts),
	}
}

// confidenceOf converts an interval to the form that reports have.
func confidenceOf(i confidence.Interval) *report.Confidence {
	return &report.Confidence{Low: i.Low, High: i.High, StdError: i.StdError, DOF: i.DOF, Folds: i.Folds, Method: i.Method, NoInterval: i.NoInterval, Warning: i.Warning}
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
	wanted := collections.Set(slices.Values(names))
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
