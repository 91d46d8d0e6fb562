package metrics

import (
	"math"
	"slices"

	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/grid"
)

// Histogram says how values are spread over the examples.
type Histogram struct {
	// Name is that of a metric of queries, HistogramOfResiduals or HistogramOfPairs.
	Name string
	Bins []Bin // in order; those without examples are left out
	// Outside is in no bin: it has values that are undefined, infinite or too large.
	Outside Bin
}

// Bin has the examples whose values are at least From and less than To; at most To if that is the
// end of all bins. In two dimensions the same holds for Y.
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

// NewSpread returns an empty Partial with the statistics that Histograms needs: in a regression
// and, if p.SpreadOf names metrics, in a ranking. They are apart from those of New because they
// are large, and only wanted of all examples.
func (p *Params) NewSpread() (*Partial, error) {
	p, err := p.completed()
	if err != nil {
		return nil, err
	}
	partial := new(Partial)
	switch p.Task {
	case Regression:
		partial.need(kindErrorSpread, p)
	case Ranking:
		partial.need(kindQuerySpread, p)
	}
	return partial, nil
}

// Histograms returns the histograms of the examples of a partial that NewSpread made or that such
// a one was merged into. It returns nil if it was folded under other Params.
func (p *Params) Histograms(partial *Partial) []Histogram {
	if p = p.orNothing(); !partial.fits(p) {
		return nil
	}
	if s, ok := partial.stats[kindErrorSpread].(*errorSpread); ok {
		return []Histogram{histogramOf(&s.residuals, HistogramOfResiduals, 1), histogramOf(&s.pairs, HistogramOfPairs, 2)}
	}
	var list []Histogram
	if s, ok := partial.stats[kindQuerySpread].(*querySpread); ok {
		for i, c := range p.spreadOf() {
			list = append(list, s.histogram(i, c.full))
		}
	}
	return list
}

// errorSpread says how residuals, and pairs of a true and a predicted value, are spread.
type errorSpread struct{ residuals, pairs grid.Grid }

// The most cells of the statistic: enough for pictures, and few enough to travel.
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

func (s *errorSpread) fields(v *visitor, from statistic) {
	f := from.(*errorSpread)
	visit(v, &s.residuals, &f.residuals)
	visit(v, &s.pairs, &f.pairs)
}

func (s *errorSpread) fits(p *Params) bool { return p.Task == Regression }

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

// newBin returns a bin without borders.
func newBin(of *exact.Tally) Bin {
	nan := math.NaN()
	return Bin{nan, nan, nan, nan, of.Rows(), of.Weight()}
}

// queryBins divide [0, 1], in which the best-known metrics of queries are.
const queryBins = 20

// querySpread says how metrics of queries are spread, metric by metric.
type querySpread struct {
	measures []argMeasure
	row      row
	ofMeans  []int          // by measure of the means: the place in measures, or -1
	tallies  []queryTallies // of the measures; nil if it cannot fold and is empty
}

// queryTallies has the queries of each bin of a metric, and last those of none.
type queryTallies [queryBins + 1]exact.Tally

// spreadOf returns the metrics of queries that SpreadOf names and that are in [0, 1].
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
		if slices.ContainsFunc(wanted, func(w choice) bool { return w.full == c.full }) { // it is the mean of one measure
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
	if i := s.ofMeans[measure]; i >= 0 {
		s.tallies[i][binOfQuery(value, defined)].Add(weight)
	}
}

// FoldWith is Fold, and folds the rows into spread as well, which NewSpread made under the same
// Params: what a query has is measured once for both. Without spread it is Fold.
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

// binOfQuery returns the bin of a value. One that is rounded to more than 1 is in the last.
func binOfQuery(value float64, defined bool) int {
	if !defined || !(value >= 0 && value < 1+epsilon*16) {
		return queryBins
	}
	return min(int(value*queryBins), queryBins-1)
}

func (t *queryTallies) fields(v *visitor, from *queryTallies) {
	for bin := range t {
		v.tally(&t[bin], &from[bin])
	}
}

func (s *querySpread) fields(v *visitor, from statistic) {
	visitList(v, &s.tallies, from.(*querySpread).tallies)
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
