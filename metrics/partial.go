package metrics

import (
	"fmt"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/internal/fields"
	"github.com/beameval/beameval/metrics/internal/panics"
)

// Partial holds the statistics of some examples. The zero Partial is empty and can be merged into;
// one from Params.New can also fold.
type Partial struct {
	stats  [numKinds]statistic
	shared uint64 // a bit for each kind: the statistic belongs to another partial, and must not change
	mixed  bool   // statistics of different Params were merged
}

// New returns an empty Partial with the statistics that the metrics need, or an error if p is
// invalid.
func (p *Params) New() (*Partial, error) {
	p, err := p.completed()
	if err != nil {
		return nil, err
	}
	partial := new(Partial)
	partial.need(kindExamples, p)
	if p.Digest {
		partial.need(kindDigest, p)
	}
	for c := range p.chosen() {
		partial.need(p.kindOf(c), p)
		partial.need(c.metric.also, p)
	}
	if p.histogrammed() {
		partial.need(kindLabelHistograms, p)
	}
	if p.ScoreHistograms {
		partial.need(p.scoreHistogramKind(), p)
	}
	if k, confused := p.confusionKind(); confused {
		partial.need(k, p)
		switch {
		case !p.has(HasBaseline):
		case k == kindLabelCounts:
			partial.need(kindLabelChanges, p)
		default:
			partial.need(kindChanges, p)
		}
	}
	return partial, nil
}

// Maker makes empty Partials as Params.New does. They share what does not differ between them, so a single
// goroutine must fold all of them.
type Maker struct {
	params  *Params
	pattern *Partial
}

// Maker returns a Maker, or an error if p is invalid.
func (p *Params) Maker() (*Maker, error) {
	pattern, err := p.New()
	return &Maker{p.orNothing(), pattern}, err
}

// sharing is a statistic that shares memory with empty ones like it.
type sharing interface{ like() statistic }

// measuringAhead is a statistic that can compute what rows of a batch add to those like it, until it forgets that.
type measuringAhead interface {
	ahead(b *Batch, rows []int32)
	forget()
}

// New returns an empty Partial.
func (m *Maker) New() *Partial {
	made := new(Partial)
	for k, s := range m.pattern.stats {
		switch s := s.(type) {
		case nil:
		case sharing:
			made.stats[k] = s.like()
		default:
			made.stats[k] = statistics[k].empty(m.params)
		}
	}
	return made
}

// Measure computes once what rows of a batch add to the Partials of m, if they are folded into several. It holds
// until Forget, before which the batch must not change.
func (m *Maker) Measure(b *Batch, rows []int32) (err error) {
	defer returned(&err)
	for _, s := range m.pattern.stats {
		if s, ok := s.(measuringAhead); ok {
			s.ahead(b, rows)
		}
	}
	return nil
}

// Forget forgets what was measured.
func (m *Maker) Forget() {
	for _, s := range m.pattern.stats {
		if s, ok := s.(measuringAhead); ok {
			s.forget()
		}
	}
}

// histogrammed reports whether histograms of scores are needed, from which bounded curves are computed.
func (p *Params) histogrammed() bool {
	if p.both() {
		bounded, _ := p.Bounded()
		p = &bounded
	}
	for c := range p.chosen() {
		if p.kindOf(c) == kindLabelHistograms {
			return true
		}
	}
	return p.Tuning != nil && p.Curves == BoundedCurves
}

// HistogramMaker returns a Maker of Partials with only the histograms of bounded curves, or nil if the metrics
// need none; see OfFolds.
func (p *Params) HistogramMaker() (*Maker, error) {
	p, err := p.completed()
	if err != nil || !p.histogrammed() {
		return nil, err
	}
	m := &Maker{p, new(Partial)}
	m.pattern.need(kindLabelHistograms, p)
	return m, nil
}

// foldBins is the largest number of bins in the histograms of folds: with many folds, larger
// ones would fill the memory. With 512 bins, standard errors for calibrated scores are within 5 %
// of the standard errors from exact curves; with 256 bins, the standard error of max_f1 is not
// always.
const foldBins = 512

// OfFolds returns the parameters for folding the examples of a fold. Its histograms of bounded
// curves are coarser, and even (see curves.NewEvenHistogram); so the histograms of all examples
// have to be folded separately.
func (p *Params) OfFolds() *Params {
	some := *p.orNothing()
	some.CurveBins, some.ofFold = min(some.CurveBins, foldBins), true
	return &some
}

// zeroParams is for statistics that cannot fold. Goroutines share it, so its (empty) list of
// metrics is compiled in advance: compiling it later would write to zeroParams.
var zeroParams = &Params{compiled: new(compiled)}

// need makes sure that the partial has a statistic of its own: an empty one, if it has none.
func (p *Partial) need(k kind, params *Params) {
	s := p.stats[k]
	if s != nil && p.shared>>k&1 == 0 {
		return
	}
	p.stats[k] = statistics[k].empty(params)
	if s != nil {
		p.shared &^= 1 << k
		p.stats[k].visit(fields.Merging(), s)
	}
}

// confusionKind returns the statistic of the confusion matrix. Every report has a confusion matrix
// if the examples have decisions, whatever the metrics; ok reports whether they have.
func (p *Params) confusionKind() (k kind, ok bool) {
	if p.Task == Multilabel {
		return kindLabelCounts, p.Decisions
	}
	return kindConfusion, p.Decisions && p.Task&(Binary|Multiclass) != 0
}

// kindOf returns the statistic that a metric is computed from under p.
func (p *Params) kindOf(c choice) kind {
	k := c.metric.from
	switch {
	case p.has(HasErrorCosts) && c.metric.needs&needCosts != 0:
		return kindErrorCosts
	case k == kindGrades && c.grade > 0:
		return kindFurtherGrades
	case k == kindPairs && c.grade > 0:
		return kindFurtherMeans
	case k == kindJudged && p.Drawn:
		return kindDrawn
	case k == kindJudgedClasses && p.Drawn:
		return kindDrawnClasses
	case k == kindConfusion:
		k, _ = p.confusionKind()
	case p.Quantiles && c.metric.binned:
		k = kindLabelCurves
	}
	switch {
	case k != kindLabelCurves:
	case p.Curves == BoundedCurves:
		return kindLabelHistograms
	case p.binned:
		return kindLabelBins
	}
	return k
}

// traced reports whether p has exact curves, or the bins of folds.
func (p *Partial) traced() bool {
	if s, ok := p.stats[kindLabelCurves].(*labelCurves); ok && s.Size() > 0 {
		return true
	}
	s, ok := p.stats[kindLabelBins].(*labelBins)
	return ok && s.Size() > 0
}

// Fold adds the given rows of a batch.
func (p *Partial) Fold(b *Batch, rows []int32) { p.fold(nil, b, rows) }

// fold is Fold. The means also add the values of queries to spread, if that is not nil.
func (p *Partial) fold(spread *querySpread, b *Batch, rows []int32) {
	defer p.note()
	weighty := b.withWeight(rows)
	for k, s := range p.stats {
		switch m, ok := s.(*means); {
		case ok:
			m.foldWith(spread, b, rows)
		case s == nil:
		case statistics[k].rows:
			s.Fold(b, rows)
		default:
			s.Fold(b, weighty)
		}
	}
}

// Merge adds the examples of from and leaves from unchanged.
func (p *Partial) Merge(from *Partial) {
	defer p.note()
	v := fields.Merging()
	for k, s := range from.stats {
		if s != nil {
			p.need(kind(k), zeroParams)
			p.stats[k].visit(v, s)
		}
	}
	p.mixed = p.mixed || from.mixed || v.Conflict() != nil
}

// MergeTimes adds the examples of from n times. If n is negative, it removes what was added -n times; where a statistic
// cannot do that, no metric can be computed from p afterwards. Value.HeavyTails may then be of examples that were removed.
func (p *Partial) MergeTimes(from *Partial, n int64) {
	defer p.note()
	if n == 0 {
		return
	}
	v := fields.MergingTimes(n)
	for k, s := range from.stats {
		switch {
		case s == nil:
		case statistics[k].repeats != mergeable:
			p.need(kind(k), zeroParams)
			p.stats[k].visit(v, s)
		case n < 0:
			p.mixed = true
		default:
			p.need(kind(k), zeroParams)
			p.double(kind(k), s, n)
		}
	}
	p.mixed = p.mixed || from.mixed || v.Conflict() != nil
}

// double adds a statistic n times, which is merged with itself again and again.
func (p *Partial) double(k kind, s statistic, n int64) {
	v := fields.Merging()
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			p.stats[k].visit(v, s)
		}
		if n > 1 {
			twice := statistics[k].empty(zeroParams)
			twice.visit(v, s)
			twice.visit(v, s)
			s = twice
		}
	}
	p.mixed = p.mixed || v.Conflict() != nil
}

// MergeShared is Merge for a partial that nobody changes afterwards. Statistics that p lacks are
// shared, not copied, until p merges others into them.
func (p *Partial) MergeShared(from *Partial) {
	rest := Partial{mixed: from.mixed}
	for k, s := range from.stats {
		if s != nil && p.stats[k] == nil {
			p.stats[k], p.shared = s, p.shared|1<<k
		} else {
			rest.stats[k] = s
		}
	}
	p.Merge(&rest)
}

// MergeFold merges the statistics of a fold, except for its histograms and bins, which are for
// replicates.
func (p *Partial) MergeFold(from *Partial) {
	some := *from
	some.stats[kindLabelHistograms], some.stats[kindLabelBins] = nil, nil
	p.Merge(&some)
}

// Reset empties the partial, and keeps its memory for the next fold.
func (p *Partial) Reset() {
	defer p.note()
	v := fields.Emptying()
	for k, s := range p.stats {
		switch {
		case s == nil:
		case p.shared>>k&1 == 1:
			p.stats[k] = nil
		default:
			s.visit(v, s)
		}
	}
	p.shared = 0
}

// Examples returns the number of folded examples, whatever their weights.
func (p *Partial) Examples() int64 {
	if e, ok := p.stats[kindExamples].(*examples); ok {
		return e.all.Rows()
	}
	return 0
}

// Weighted reports whether any folded example has a weight other than 0 and 1.
func (p *Partial) Weighted() bool {
	e, ok := p.stats[kindExamples].(*examples)
	return ok && e.all.Others() > e.weightless
}

// Weighty returns the number of folded examples whose weight is not 0.
func (p *Partial) Weighty() int64 {
	if e, ok := p.stats[kindExamples].(*examples); ok {
		return e.all.Rows() - e.weightless
	}
	return 0
}

// weightless reports whether there are examples, all of weight 0.
func (p *Partial) weightless() bool { return p.Examples() > 0 && p.Weighty() == 0 }

// Append appends the canonical encoding: partials of the same examples have equal bytes, except for
// the outlines of curves. These may hold more points if a curve was traced in ranges, which are not
// drawn (see curves.Outline).
func (p *Partial) Append(dst []byte) (out []byte) {
	defer func() {
		if err := panics.Caught(recover()); err != nil { // append it instead of the statistics
			out = (&Partial{stats: [numKinds]statistic{kindPanic: &panicked{err.Error()}}}).Append(dst)
		}
	}()
	out, _ = wire.Append(dst, p, code) // there is no error: only decoded numbers are checked
	return out
}

// DecodePartial decodes what Append encoded. Whatever the bytes, it does not panic, and takes not
// much more memory than there are bytes. The result can be merged and evaluated, but cannot fold.
func DecodePartial(data []byte) (*Partial, error) {
	p := new(Partial)
	if err := wire.Decode(data, p, code); err != nil {
		return nil, fmt.Errorf("decoding statistics: %w", err)
	}
	return p, nil
}

// code lists the statistics, each preceded by its kind.
func code(c *wire.Coder, p *Partial) {
	v := fields.Coding(c)
	for k, s := range p.stats {
		if s != nil {
			k := uint64(k)
			c.Uint(&k)
			s.visit(v, s)
		}
	}
	for c.More() {
		var k uint64
		if c.Uint(&k); k >= uint64(numKinds) || p.stats[k] != nil {
			c.Fail("unexpected kind %d", k)
			return
		}
		p.need(kind(k), zeroParams)
		p.stats[k].visit(v, p.stats[k])
	}
}
