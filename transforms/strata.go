package transforms

import (
	"cmp"
	"math"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// assessDrawn is assess for metrics of judgements if the rows with a label are a stratified sample.
func (out *evaluable) assessDrawn(jackknife *metrics.Jackknife, rows []report.Row, some []metrics.Result, places []int, p *shuffle.Partial) error {
	s := out.sample
	folds, met := make([]*metrics.Partial, len(s.folds)), []*metrics.Partial{}
	for g := range folds {
		folds[g] = new(metrics.Partial)
	}
	for i := range p.Folds {
		f := &p.Folds[i]
		if g, has := slices.BinarySearch(s.folds, f.Number); has && f.Stats.Weighty() > 0 {
			folds[g], met = f.Stats, append(met, f.Stats)
		}
	}
	how, estimates := out.how(p, met), jackknife.Estimates(p.Stats, out.options())
	for k, r := range some {
		row := &rows[places[k]]
		row.Replicates, row.Folds = s.powered(estimates, folds, r), s.folds
		if more := len(row.Replicates) - len(s.folds); more > 0 {
			row.Folds = slices.Clone(s.folds)
			for _, number := range s.folds[:more] {
				row.Folds = append(row.Folds, s.rest+number)
			}
		}
		without := collections.Map(row.Replicates, func(x float64) []metrics.Result { return []metrics.Result{{Value: metrics.Value{Number: x}}} })
		interval := jackknife.Intervals(how, []metrics.Result{r}, without)[0]
		s.judge(&interval, len(met), without, 0)
		if jackknife.Estimated(r.Name) == metrics.ErrorOfMean {
			unreplicated(&interval, without, 0)
		}
		row.Confidence = confidenceOf(interval)
		for i := range without {
			row.Replicates[i] = without[i][0].Number
		}
	}
	return nil
}

// powered returns replicates of a metric of judgements, whose folds some of the rows of a slice are in.
func (s *stratified) powered(e *metrics.Estimates, folds []*metrics.Partial, r metrics.Result) []float64 {
	if s.obstacle == "" && e.Replicated(r.Name) {
		if p, defined := e.Powered(folds, r); defined {
			return s.Powered(r.Estimate(), p.Kappa, p.Ratio, p.Labels, p.Judgements)
		}
	}
	return slices.Repeat([]float64{math.NaN()}, len(s.folds))
}

// unreplicated leaves out what folds do not show of result k.
func unreplicated(of *confidence.Interval, without [][]metrics.Result, k int) {
	nan := math.NaN()
	of.Low, of.High, of.StdError, of.DOF, of.Method, of.Warning = nan, nan, nan, nan, "", ""
	if of.NoInterval != confidence.Undefined {
		of.NoInterval = confidence.OfDrawnRows
	}
	for g := range without {
		without[g][k].Value = metrics.Value{Number: nan}
	}
}

// stratified is the sample that replicates are computed for.
type stratified struct {
	confidence.Sample
	folds    []int32 // the numbers of the folds that have rows
	rest     int32   // the number of the first fold of rows of no stratum
	strata   int
	obstacle string
}

// samples reports whether standard errors are of a stratified sample; otherwise, weights say enough.
func (s *settled) samples() bool {
	return s.Sampling != nil && s.Confidence != nil && (s.Confidence.HasStrata() || s.Sampling.Finite)
}

// findDrawn finds the strata of all examples, and the folds of the sample among them.
func (out *evaluable) findDrawn() error {
	all := out.overall()
	if !out.spec.samples() && !out.spec.Params.Drawn || all == nil {
		return nil
	}
	p, err := out.decode(all)
	if err != nil {
		return err
	}
	out.drawn = metrics.Design{Strata: p.Stats.Drawn(), Finite: out.spec.Sampling.Finite}
	if out.spec.samples() {
		out.sample = out.stratifiedBy(&p)
	}
	return nil
}

// options returns the options with which statistics of some examples become metrics.
func (out *evaluable) options() metrics.Options {
	o := out.spec.Options(out.vocab)
	o.Drawn = out.drawn
	return o
}

// stratifiedBy returns the sample whose examples are in p.
func (out *evaluable) stratifiedBy(p *shuffle.Partial) *stratified {
	s := &stratified{Sample: confidence.Sample{Finite: out.spec.Sampling.Finite}, rest: int32(out.spec.Confidence.Folds - out.spec.Confidence.Rest)}
	last := -1
	for i := range p.Folds {
		f := &p.Folds[i]
		if f.Stats.Weighty() == 0 {
			continue
		}
		if h := out.spec.Confidence.StratumOf(f.Number); h != last || len(s.Stratum) == 0 { // strata without rows do not count
			last = h
			s.strata++
		}
		s.folds = append(s.folds, f.Number)
		s.Stratum, s.Rows, s.Total = append(s.Stratum, s.strata-1), append(s.Rows, float64(f.Stats.Weighty())), append(s.Total, f.Stats.Weight())
	}
	s.obstacle = s.Obstacle()
	return s
}

// replicates returns replicates of the sample, one for each of its folds, of results without folds with these numbers and
// weights: of a slice, which other folds do not change.
func (s *stratified) replicates(all []metrics.Result, without [][]metrics.Result, numbers []int32, weights []float64) [][]metrics.Result {
	shares, values, total := make([]float64, len(s.folds)), make([]float64, len(s.folds)), 0.0
	for _, w := range weights {
		total += w
	}
	found := make([][]metrics.Result, len(s.folds))
	for g := range found {
		found[g] = slices.Clone(all)
	}
	for k, r := range all {
		for g, number := range s.folds {
			values[g] = r.Estimate()
			if i, has := slices.BinarySearch(numbers, number); has {
				values[g], shares[g] = without[i][k].Estimate(), weights[i]/total
			}
		}
		of := slices.Repeat([]float64{math.NaN()}, len(values))
		if s.obstacle == "" {
			of = s.Replicates(r.Estimate(), values, shares)
		}
		for g, x := range of {
			found[g][k].Value = metrics.Value{Number: x}
		}
	}
	return found
}

// judge leaves out what the sample does not show of result k, of a slice whose examples are in some folds: counts are no means.
func (s *stratified) judge(of *confidence.Interval, folds int, without [][]metrics.Result, k int) {
	of.Folds = folds
	few := s.obstacle
	if folds < confidence.MinFolds {
		few = cmp.Or(few, confidence.FewFolds)
	}
	switch {
	case of.NoInterval == confidence.IsCount:
		of.StdError, of.DOF = math.NaN(), math.NaN()
		for g := range without {
			without[g][k].Number = math.NaN()
		}
	case few != "" && (of.NoInterval == "" || of.NoInterval == confidence.UndefinedWithout || of.NoInterval == confidence.NoVariation):
		of.Low, of.High, of.Method, of.Warning, of.NoInterval = math.NaN(), math.NaN(), "", "", few
	}
}
