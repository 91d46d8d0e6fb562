package metrics

import (
	"math"
	"slices"

	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/fields"
	"github.com/beameval/beameval/metrics/internal/grid"
)

// Histogram says how values are distributed over the examples.
type Histogram struct {
	// Name is the name of a metric of queries, HistogramOfResiduals or HistogramOfPairs.
	Name string
	Bins []Bin // in order, without empty bins
	// Outside holds the examples that are in no bin, because values are undefined, infinite or too
	// large.
	Outside Bin
}

// Bin holds the examples whose values are at least From and less than To, or at most To for the
// last bin. In two dimensions, the same holds for YFrom and YTo.
type Bin struct {
	From, To, YFrom, YTo float64 // NaN if there are none
	Rows                 int64
	Weight               float64
}

// The histograms of a regression.
const (
	HistogramOfResiduals = "residual"       // y - p
	HistogramOfPairs     = "true,predicted" // y, and p in the second dimension
)

// HistogramOfMoves is the histogram, of a binary task or a regression, of the scores or predictions
// of a baseline and, in the second dimension, of the model.
const HistogramOfMoves = "baseline,now"

// NewSpread returns an empty Partial with the statistics that Histograms needs, for a regression,
// and for a ranking if p.SpreadOf names metrics, or that LabelPairsOf needs, for a multilabel task with
// p.LabelPairs. New does not include them, because they are large and are wanted only for all examples
// together.
func (p *Params) NewSpread() (*Partial, error) {
	p, err := p.completed()
	if err != nil {
		return nil, err
	}
	partial := new(Partial)
	if p.Task == Binary && p.has(HasBaselineScores) || p.Task == Regression && p.has(HasBaseline) {
		partial.need(kindMoveSpread, p)
	}
	switch p.Task {
	case Regression:
		partial.need(kindErrorSpread, p)
	case Ranking:
		partial.need(kindQuerySpread, p)
	case Multilabel:
		if p.LabelPairs {
			partial.need(kindLabelPairs, p)
		}
	}
	return partial, nil
}

// Histograms returns the histograms of the examples of a partial, which must be from NewSpread or
// must have such a partial merged into it. It returns nil if it was folded under other Params.
func (p *Params) Histograms(partial *Partial) []Histogram {
	if p = p.orNothing(); !partial.fits(p) {
		return nil
	}
	var list []Histogram
	if s, ok := partial.stats[kindErrorSpread].(*errorSpread); ok {
		list = append(list, histogramOf(&s.residuals, HistogramOfResiduals, 1), histogramOf(&s.pairs, HistogramOfPairs, 2))
	}
	if s, ok := partial.stats[kindMoveSpread].(*moveSpread); ok {
		list = append(list, histogramOf(&s.pairs, HistogramOfMoves, 2))
	}
	if s, ok := partial.stats[kindQuerySpread].(*querySpread); ok {
		for i, c := range p.spreadOf() {
			list = append(list, s.histogram(i, c.full))
		}
	}
	return list
}

// errorSpread says how residuals, and pairs of a true and a predicted value, are distributed.
type errorSpread struct{ residuals, pairs grid.Grid }

// The largest numbers of cells of the statistic: enough for pictures, but few enough to shuffle.
const (
	cellsOfResiduals = 1 << 10
	cellsOfPairs     = 1 << 12
)

func newErrorSpread() *errorSpread {
	return &errorSpread{grid.New(cellsOfResiduals), grid.New(cellsOfPairs)}
}

func (s *errorSpread) Fold(b *Batch, rows []int32) {
	for _, i := range rows {
		if w := b.weight(i); w != 0 {
			s.residuals.Add(b.Target[i]-b.Estimate[i], 0, w)
			s.pairs.Add(b.Target[i], b.Estimate[i], w)
		}
	}
}

func (s *errorSpread) visit(v *fields.Visitor, from statistic) {
	f := from.(*errorSpread)
	fields.Visit(v, &s.residuals, &f.residuals)
	fields.Visit(v, &s.pairs, &f.pairs)
}

func (s *errorSpread) fits(p *Params) bool { return p.Task == Regression }

// moveSpread is the distribution of pairs of the baseline's prediction and the model's.
type moveSpread struct{ pairs grid.Grid }

func (s *moveSpread) Fold(b *Batch, rows []int32) {
	old, now := b.BaselineScore, b.Score
	if b.Estimate != nil {
		old, now = b.BaselineEstimate, b.Estimate
	}
	for _, i := range rows {
		if w := b.weight(i); w != 0 {
			s.pairs.Add(old[i], now[i], w)
		}
	}
}

func (s *moveSpread) visit(v *fields.Visitor, from statistic) {
	fields.Visit(v, &s.pairs, &from.(*moveSpread).pairs)
}

func (s *moveSpread) fits(p *Params) bool { return p.Task&(Binary|Regression) != 0 }

// histogramOf returns the cells of a grid as bins.
func histogramOf(g *grid.Grid, name string, dimensions int) Histogram {
	h := Histogram{Name: name, Outside: newBin(&g.Outside)}
	for _, c := range g.All() {
		bin := newBin(&c.Tally)
		bin.From, bin.YFrom = c.Point()
		bin.To, bin.YTo = bin.From+g.Side(), bin.YFrom+g.Side()
		if dimensions == 1 {
			bin.YFrom, bin.YTo = math.NaN(), math.NaN()
		}
		h.Bins = append(h.Bins, bin)
	}
	return h
}

// newBin returns a bin without bounds.
func newBin(of *exact.Tally) Bin {
	nan := math.NaN()
	return Bin{nan, nan, nan, nan, of.Rows(), of.Weight()}
}

// queryBins is the number of bins of [0, 1], the range of the best-known metrics of queries.
const queryBins = 20

// querySpread says how metrics of queries are distributed, by metric.
type querySpread struct {
	measures []argMeasure
	row      row
	ofMeans  []int          // by measure of the means: its index in measures, or -1
	tallies  []queryTallies // by measure; nil if the statistic cannot fold and is empty
}

// queryTallies counts the queries in each bin of a metric, and finally those in no bin.
type queryTallies [queryBins + 1]exact.Tally

// spreadOf returns the metrics of queries that SpreadOf names and whose range is [0, 1].
func (p *Params) spreadOf() (list []choice) {
	for c := range p.queryMeans() {
		share := c.scale() == confidence.Logit || c.scale() == confidence.Proportion
		if share && slices.Contains(p.SpreadOf, c.full) {
			list = append(list, c)
		}
	}
	return list
}

func newQuerySpread(p *Params) *querySpread {
	s := &querySpread{row: newRow(p)}
	wanted := p.spreadOf()
	for c := range p.chosen() {
		list := c.measures()
		for range list {
			s.ofMeans = append(s.ofMeans, -1)
		}
		if slices.ContainsFunc(wanted, func(w choice) bool { return w.full == c.full }) { // it is the mean of a single measure
			s.ofMeans[len(s.ofMeans)-1] = len(s.measures)
			s.measures = append(s.measures, list...)
		}
	}
	s.tallies = make([]queryTallies, len(s.measures))
	return s
}

func (s *querySpread) Fold(b *Batch, rows []int32) {
	for _, r := range rows {
		s.row.moveTo(b, r)
		for i, m := range s.measures {
			v, ok := m.value(&s.row, m.arg)
			s.tallies[i][binOfQuery(v, ok)].Add(b.weight(r))
		}
	}
}

// addMeasured adds the value of a measure of the means.
func (s *querySpread) addMeasured(measure int, value float64, defined bool, weight float64) {
	if i := s.ofMeans[measure]; i >= 0 && weight != 0 {
		s.tallies[i][binOfQuery(value, defined)].Add(weight)
	}
}

// FoldWith is Fold, and also folds the rows into spread, which NewSpread must have made under the
// same Params: this way, queries are measured only once for both. If spread is nil, it is Fold.
func (p *Partial) FoldWith(spread *Partial, b *Batch, rows []int32) {
	var of *querySpread
	if spread != nil {
		if of, _ = spread.stats[kindQuerySpread].(*querySpread); of == nil || p.stats[kindMeans] == nil {
			of = nil
			spread.Fold(b, rows)
		}
	}
	p.fold(of, b, rows)
}

// binOfQuery returns the bin of a value. A value that rounding raised above 1 is in the last bin.
func binOfQuery(value float64, defined bool) int {
	if !defined || !(value >= 0 && value < 1+epsilon*16) {
		return queryBins
	}
	return min(int(value*queryBins), queryBins-1)
}

func (t *queryTallies) Fields(v *fields.Visitor, from *queryTallies) {
	for bin := range t {
		fields.Visit(v, &t[bin], &from[bin])
	}
}

func (s *querySpread) visit(v *fields.Visitor, from statistic) {
	fields.List(v, &s.tallies, from.(*querySpread).tallies)
}

// reused returns the histograms of some metrics. Those that were not made are empty.
func (s *querySpread) reused(u *Reuse) statistic {
	if len(s.tallies) == 0 {
		return s
	}
	some := &querySpread{tallies: make([]queryTallies, len(u.spread))}
	for i, at := range u.spread {
		if at >= 0 {
			some.tallies[i] = s.tallies[at]
		}
	}
	return some
}

func (s *querySpread) fits(p *Params) bool {
	return len(s.tallies) == 0 || len(s.tallies) == len(p.spreadOf())
}

// histogram returns the bins of a metric.
func (s *querySpread) histogram(i int, name string) Histogram {
	var tallies queryTallies
	if i < len(s.tallies) {
		tallies = s.tallies[i]
	}
	h := Histogram{Name: name, Outside: newBin(&tallies[queryBins])}
	for i := range queryBins {
		if bin := newBin(&tallies[i]); bin.Rows > 0 {
			bin.From, bin.To = float64(i)/queryBins, float64(i+1)/queryBins
			h.Bins = append(h.Bins, bin)
		}
	}
	return h
}
