package transforms

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/beameval/beameval/analysis/comparison"
	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/differences"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/multiplecomparisons"
	"github.com/beameval/beameval/metrics/preference"
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

// grouping says how the examples were divided, or returns nil if they were not. p holds all
// examples.
func (out *evaluable) grouping(p *shuffle.Partial) *report.Folding {
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

// ofBaseline returns the evaluable that computes the metrics of the baseline, or nil if the model
// is not compared with one.
func (out *evaluable) ofBaseline() (*evaluable, error) {
	params := out.spec.OfBaseline()
	if params == nil {
		return nil, nil
	}
	of := &evaluable{spec: out.spec, vocab: out.vocab, names: out.names, sample: out.sample, drawn: out.drawn}
	of.spec.Params = *params
	var err error
	if c := out.spec.Confidence; c != nil && (len(c.Metrics) == 0 || len(params.Replicated) > 0) {
		of.without, err = jackknives(params, params.Replicated)
	}
	return of, err
}

// rowsBefore returns the metric rows of the baseline in a slice. Slices without predictions of a
// baseline, such as slices of estimated metrics, have none.
func (out *evaluable) rowsBefore(key slice.Key) ([]report.Row, error) {
	s, met := out.before[key.Encoded()]
	if out.baseline == nil || !met {
		return nil, nil
	}
	p, err := out.baseline.decode(&s)
	if err != nil {
		return nil, fmt.Errorf("baseline, %w", err)
	}
	found, err := out.baseline.found(&s, &p)
	return found.rows, err
}

// differences returns the differences between the model's metrics and the baseline's, if there is
// one.
func (out *evaluable) differences(before, rows []report.Row, g *report.Folding) ([]differences.Change, error) {
	if out.baseline == nil {
		return nil, nil
	}
	compared, _, err := disparities(out.spec.Groups, before, g)
	if err != nil {
		return nil, err
	}
	of := func(rows []report.Row) *report.Report {
		r := &report.Report{Task: out.spec.Params.Task.String(), Confidence: g, Metrics: rows}
		out.listLabels(r, nil)
		return r
	}
	return comparison.Within(of(append(before, compared...)), of(rows))
}

// ranks returns the ranks of the systems of preferences, slice by slice, the strongest first. A system is
// significantly stronger than another if the difference of their strengths is, by the jackknife and
// among all pairs of the slice (Holm).
func (s *settled) ranks(rows []report.Row) (all []report.Rank) {
	if s.Params.Task != metrics.Preference || s.Confidence == nil {
		return nil
	}
	var list []*report.Row // of a slice; rows are ordered by slice
	rank := func() {
		slices.SortStableFunc(list, func(a, b *report.Row) int { return cmp.Compare(b.Value, a.Value) })
		low, high := multiplecomparisons.Ranks(len(list), stronger(list, s.Confidence.Level))
		for i, r := range list {
			all = append(all, report.Rank{Slice: r.Slice, System: *r.Label, Elo: preference.Elo(r.Value), Low: low[i], High: high[i], TiedForFirst: low[i] == 1})
		}
		list = list[:0]
	}
	for i := range rows {
		r := &rows[i]
		if r.Name != "bradley_terry" || !floats.Finite(r.Value) || !r.Confidence.HasInterval() {
			continue
		}
		if len(list) > 0 && list[0].Slice.String() != r.Slice.String() {
			rank()
		}
		list = append(list, r)
	}
	rank()
	return all
}

// stronger returns a verdict for [multiplecomparisons.Ranks]: which of two systems, in descending order of their
// strengths, is significantly stronger.
func stronger(list []*report.Row, level float64) func(i, j int) int {
	n := len(list)
	p := make([]float64, n*n)
	for i := range p {
		p[i] = math.NaN()
		if a, b := list[i/n], list[i%n]; i/n < i%n {
			p[i] = confidence.Paired(a.Value, b.Value, a.Replicates, b.Replicates, level).PValue
		}
	}
	p = confidence.Holm(p)
	return func(i, j int) int {
		switch {
		case p[i*n+j] <= 1-level:
			return 1
		case p[j*n+i] <= 1-level:
			return -1
		}
		return 0
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

// matches returns the outcomes of the comparisons of systems in all examples.
func (out *evaluable) matches(stats *metrics.Partial) []report.Match {
	return collections.Map(out.spec.Params.Matches(stats), func(m metrics.Match) report.Match {
		return report.Match{A: out.vocab.Name(m.A), B: out.vocab.Name(m.B), WinsA: m.WinsA, WinsB: m.WinsB, Ties: m.Tie, Comparisons: m.Comparisons}
	})
}

// raterPairs returns how each two raters agree in all examples, with an interval of their κ if examples are divided into folds.
func (out *evaluable) raterPairs(p *shuffle.Partial) (list []report.RaterPair, err error) {
	pairs := out.spec.Params.RaterPairs(p.Stats)
	for _, of := range pairs {
		list = append(list, report.RaterPair{
			A: out.vocab.Name(of.A), B: out.vocab.Name(of.B), Examples: of.Examples, Agreement: of.Agreement, Kappa: of.Kappa.Number, Undefined: of.Kappa.Undefined,
			Low: math.NaN(), High: math.NaN(),
		})
	}
	if len(pairs) == 0 || len(out.without) == 0 || !shuffle.HasIntervals(&out.spec.Spec, slice.Key{}) {
		return list, nil
	}
	var folds []*metrics.Partial
	for i := range p.Folds {
		if out.without[0].Leaves(p.Folds[i].Stats) {
			folds = append(folds, p.Folds[i].Stats)
		}
	}
	type both struct{ a, b int }
	without, met := map[both][]float64{}, map[both]int{}
	for _, fold := range folds {
		for _, of := range out.spec.Params.RaterPairs(fold) {
			met[both{of.A, of.B}]++
		}
	}
	err = metrics.LeaveOneOut(folds, p.Stats, func(i int, others *metrics.Partial) error {
		for _, of := range out.spec.Params.RaterPairs(others) {
			without[both{of.A, of.B}] = append(without[both{of.A, of.B}], of.Kappa.Number)
		}
		return nil
	})
	for i, of := range pairs {
		key := both{of.A, of.B}
		if len(without[key]) != len(folds) { // no fold is left without the one
			continue
		}
		interval := confidence.Estimate{Value: of.Kappa.Number, Replicates: without[key], Scale: confidence.Atanh, Rarer: met[key]}.Interval(out.spec.Confidence.Level)
		list[i].Low, list[i].High = interval.Low, interval.High
	}
	return list, err
}
