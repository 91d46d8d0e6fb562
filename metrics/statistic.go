package metrics

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/beameval/beameval/internal/hash"
	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/baselinechanges"
	"github.com/beameval/beameval/metrics/internal/fields"
	"github.com/beameval/beameval/metrics/internal/grid"
	"github.com/beameval/beameval/metrics/internal/panics"
	"github.com/beameval/beameval/metrics/internal/ranks"
	"github.com/beameval/beameval/metrics/internal/raters"
)

// Statistic is what metrics are computed from: a commutative monoid over examples, with a codec.
// These laws hold, bit for bit; package metricstest tests them:
//
//   - Folding rows part by part gives the same as folding the parts separately and merging them,
//     in any order. So sums of floats must be exact, as in package exact.
//   - Merging an empty statistic changes nothing.
//   - Equal statistics have equal encodings, which decode to equal statistics. Decode fails for
//     bytes that Append never writes, but never panics or takes much more memory than they do.
//   - A statistic retains no reference to a batch, or to a statistic that was merged into it.
//
// A program that adds metrics of its own may add statistics, too; see [OfStatistic].
type Statistic interface {
	// Fold adds the given rows of a batch.
	Fold(b *Batch, rows []int32)
	// Merge adds from, which must have the same type, and leaves it unchanged.
	Merge(from Statistic)
	// Append appends the canonical encoding.
	Append(dst []byte) []byte
	// Decode replaces the statistic with the one that Append encoded.
	Decode(d *Decoder)
	// Reset empties the statistic, and may keep its memory.
	Reset()
}

// Decoder reads what a Statistic has appended, value by value. After the first error, every read
// returns zero, so that errors need not be checked in between. Sums and tallies of package exact
// have their own Decode methods. For other values: Uint and Int read varints, as
// binary.AppendUvarint and binary.AppendVarint write them; Float reads the bits of a float64, as
// binary.LittleEndian.AppendUint64 writes them; Byte and Bytes read bytes. Count reads a number up
// to a limit. Elements reads the length of a list whose elements take at least a byte each, so it
// never exceeds the number of remaining bytes. Fail makes the decoder fail because of a value that
// no statistic has.
type Decoder = wire.Decoder

// statistic is a Statistic in the table below.
type statistic interface {
	Fold(b *Batch, rows []int32)
	// visit lists the fields, so that v can encode, decode, merge or empty them. from has the same
	// type; unless v merges, it is the statistic itself.
	visit(v *fields.Visitor, from statistic)
	// fits reports whether the statistic can have been folded under p.
	fits(p *Params) bool
}

// kind identifies a statistic. Kinds are part of encodings, which are kept in files: a new kind gets the
// next number, and no kind changes its number. An encoding that changes needs a new version of the files
// (transforms/internal/parts).
type kind uint8

const (
	kindExamples kind = iota
	kindConfusion
	kindLabelCounts
	kindSetSizes
	kindLabelLosses
	kindLabelOutcomes
	kindCalibration
	kindTopCalibration
	kindMeans
	kindResiduals
	kindKappaLoss
	kindLabelCurves
	kindLabelHistograms
	kindLabelBins
	kindDigest
	kindOwn
	kindPanic
	kindErrorSpread
	kindQuerySpread
	kindScoreHistograms
	kindValueHistograms
	kindLabelPairs
	kindPairs
	kindItems
	kindComparisons
	kindChanges
	kindJudged
	kindJudgedClasses
	kindLogits
	kindLabelChanges
	kindMoves
	kindErrorChanges
	kindMoveSpread
	kindErrorCosts
	kindClassShares
	kindPredictionSets
	kindGrades
	kindRatings
	kindRaterPairs
	kindFurtherGrades
	kindFurtherMeans
	kindDrawn
	kindDrawnClasses
	numKinds
)

// countsRows marks statistics that count rows, as support does: they fold rows of weight 0, too. To
// others, such rows do not exist.
const countsRows = true

// repetition says how a statistic of some examples can be added several times, and taken away.
type repetition int

const (
	mergeable  repetition = iota // only by merging it again
	multiplied                   // by multiplying what is added
	removable                    // so, too, and it can be subtracted: it consists of sums, tallies, numbers of rows and at most a few largest numbers
)

// statistics is the table of statistics: the name of each, a function that makes an empty one,
// whether it countsRows, and how it repeats. An empty statistic for the zero Params can be merged into
// and decoded, but it cannot fold.
var statistics = [numKinds]struct {
	name    string
	empty   func(*Params) statistic
	rows    bool
	repeats repetition
}{
	kindExamples:        {"examples", func(*Params) statistic { return new(examples) }, countsRows, removable},
	kindConfusion:       {"confusion", func(p *Params) statistic { return &confusion{classes: p.classes()} }, countsRows, removable},
	kindLabelCounts:     {"labelCounts", func(*Params) statistic { return new(labelCounts) }, countsRows, removable},
	kindSetSizes:        {"setSizes", func(*Params) statistic { return new(setSizes) }, false, removable},
	kindLabelLosses:     {"labelLosses", func(p *Params) statistic { return newLabelLosses(p) }, countsRows, removable},
	kindLabelOutcomes:   {"labelOutcomes", func(p *Params) statistic { return &labelOutcomes{thresholds: p.benefitThresholds()} }, countsRows, removable},
	kindCalibration:     {"calibration", func(p *Params) statistic { c := newCalibration(p.Bins); return &c }, countsRows, removable},
	kindTopCalibration:  {"topCalibration", func(p *Params) statistic { return &topCalibration{newCalibration(p.Bins)} }, false, removable},
	kindMeans:           {"means", func(p *Params) statistic { return newMeans(p) }, countsRows, removable},
	kindResiduals:       {"residuals", func(*Params) statistic { return new(residuals) }, false, removable},
	kindKappaLoss:       {"kappaLoss", func(*Params) statistic { return new(kappaLosses) }, false, removable},
	kindLabelCurves:     {"labelCurves", func(*Params) statistic { return new(labelCurves) }, countsRows, mergeable},
	kindLabelHistograms: {"labelHistograms", func(p *Params) statistic { return &labelHistograms{params: p} }, countsRows, multiplied},
	kindLabelBins:       {"labelBins", func(*Params) statistic { return new(labelBins) }, countsRows, mergeable},
	kindDigest:          {"digest", func(*Params) statistic { return new(digest) }, countsRows, removable},
	kindOwn:             {"own", newOwn, false, mergeable},
	kindPanic:           {"panic", func(*Params) statistic { return new(panicked) }, countsRows, mergeable},
	kindErrorSpread:     {"errorSpread", func(*Params) statistic { return newErrorSpread() }, false, mergeable},
	kindQuerySpread:     {"querySpread", func(p *Params) statistic { return newQuerySpread(p) }, false, mergeable},
	kindScoreHistograms: {"scoreHistograms", func(p *Params) statistic { return &scoreHistograms{params: p} }, countsRows, mergeable},
	kindValueHistograms: {"valueHistograms", func(*Params) statistic { return new(valueHistograms) }, false, mergeable},
	kindLabelPairs:      {"labelPairs", func(*Params) statistic { return new(labelPairs) }, false, mergeable},
	kindItems:           {"items", newItemTable, false, mergeable},
	kindChanges:         {"changes", func(p *Params) statistic { return &changed{*baselinechanges.NewTable(p.classes())} }, false, mergeable},
	kindJudged:          {"judged", func(*Params) statistic { return new(judged) }, false, mergeable},
	kindJudgedClasses:   {"judgedClasses", func(*Params) statistic { return new(judgedClasses) }, false, mergeable},
	kindLogits:          {"logits", func(*Params) statistic { return new(labelLogits) }, false, mergeable},
	kindLabelChanges:    {"labelChanges", func(*Params) statistic { return new(changedLabels) }, countsRows, mergeable},
	kindMoves:           {"moves", func(*Params) statistic { return new(moves) }, false, mergeable},
	kindErrorChanges:    {"errorChanges", func(*Params) statistic { return new(errorChanges) }, false, mergeable},
	kindMoveSpread:      {"moveSpread", func(*Params) statistic { return &moveSpread{grid.New(cellsOfPairs)} }, false, mergeable},
	kindErrorCosts:      {"errorCosts", func(*Params) statistic { return new(errorCosts) }, false, removable},
	kindClassShares:     {"classShares", func(*Params) statistic { return new(classShares) }, false, removable},
	kindPredictionSets:  {"predictionSets", func(*Params) statistic { return new(predictionSets) }, false, mergeable},
	kindPairs:           {"pairs", func(p *Params) statistic { return &pairTable{*ranks.NewTable(p.MaxDistinct)} }, false, multiplied},
	kindComparisons:     {"comparisons", func(p *Params) statistic { return &comparisons{systems: p.Labels} }, countsRows, removable},
	kindGrades:          {"grades", func(*Params) statistic { return new(grades) }, false, removable},
	kindRatings:         {"ratings", func(p *Params) statistic { return &ratings{*raters.NewTable(p.Raters.MaxValues)} }, false, removable},
	kindRaterPairs:      {"raterPairs", func(p *Params) statistic { return &raterPairs{*raters.NewPairs(p.Labels, p.Raters.MaxValues)} }, false, removable},
	kindFurtherGrades:   {"furtherGrades", newFurtherGrades, false, removable},
	kindFurtherMeans:    {"furtherMeans", newFurtherMeans, false, multiplied},
	kindDrawn:           {"drawn", func(*Params) statistic { return new(drawn) }, false, mergeable},
	kindDrawnClasses:    {"drawnClasses", func(*Params) statistic { return new(drawnClasses) }, false, mergeable},
}

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

// relabelling is a statistic of labels that can be of some of more labels, because labels that an example does
// not have add nothing to it. Label i becomes to[i].
type relabelling interface {
	relabelled(to []int32, labels int) statistic
}

// withoutLabels are the kinds of statistics to which labels do not matter.
var withoutLabels = [...]kind{kindExamples, kindSetSizes, kindPanic}

// Relabel returns the statistics of the same examples among more labels, where label i is to[i]; to increases. It
// returns an error for statistics that depend on all labels, such as statistics of scores. Digests become digests of
// other examples, because they depend on the places of labels.
func (p *Partial) Relabel(to []int32, labels int) (*Partial, error) {
	if n := len(to); n > 0 && int(to[n-1]) >= labels {
		return nil, fmt.Errorf("label %d of %d", to[n-1], labels)
	}
	of := func(s statistic) bool {
		return slices.ContainsFunc([]Task{Multilabel, Preference, Agreement}, func(t Task) bool { return s.fits(&Params{Task: t, Labels: len(to)}) })
	}
	more := &Partial{mixed: p.mixed}
	for k, s := range p.stats {
		switch r, ok := s.(relabelling); {
		case s == nil:
		case slices.Contains(withoutLabels[:], kind(k)):
			more.stats[k] = s
		case !ok:
			return nil, fmt.Errorf("parts with other labels have statistics that depend on all labels (%s): name the labels, so that all parts have the same", statistics[k].name)
		case !of(s):
			return nil, fmt.Errorf("statistics (%s) of other labels than %d", statistics[k].name, len(to))
		default:
			more.stats[k] = r.relabelled(to, labels)
		}
	}
	return more, nil
}

// Reuse makes statistics that were folded under some Params the statistics that other Params would have folded.
type Reuse struct {
	to, from         *Params
	baseline         *Reuse // likewise for a baseline; nil if to has none
	keeps            [numKinds]bool
	measures         []int // of means: the place of each measure among those that were folded
	greatest, spread []int // likewise of measures whose greatest product is kept, and of measures with histograms
	threshold        *float64
}

// reusable is a statistic of more than what some Params need, if it was folded under others.
type reusable interface{ reused(*Reuse) statistic }

// Reuse returns how statistics that were folded under from become those of p. It returns an error that names a metric
// if they lack something: nothing is folded again.
func (p *Params) Reuse(from *Params) (*Reuse, error) {
	to, err := p.completed()
	if err != nil {
		return nil, err
	}
	if from, err = from.completed(); err != nil {
		return nil, err
	}
	u := &Reuse{to: to, from: from}
	if err := u.findMeasures(); err != nil {
		return nil, err
	}
	if err := u.findKinds(); err != nil {
		return nil, err
	}
	if before := to.OfBaseline(); before != nil && from.OfBaseline() != nil {
		u.baseline, err = before.Reuse(from.OfBaseline())
	}
	return u, err
}

// findMeasures finds the measures of the metrics among those that were folded.
func (u *Reuse) findMeasures() error {
	type place struct{ measure, greatest int }
	places := make(map[string]place)
	next := place{}
	for c := range u.from.chosen() {
		places[c.full] = next
		list := c.measures()
		next.measure, next.greatest = next.measure+len(list), next.greatest+greatestOf(list)
	}
	for c := range u.to.chosen() {
		at, folded := places[c.full]
		if !folded && !u.derives(c) {
			return lacking(c)
		}
		for _, m := range c.measures() {
			if u.measures = append(u.measures, at.measure); m.greatest {
				u.greatest, at.greatest = append(u.greatest, at.greatest), at.greatest+1
			}
			at.measure++
		}
	}
	folded := u.from.spreadOf()
	for _, c := range u.to.spreadOf() {
		u.spread = append(u.spread, slices.IndexFunc(folded, func(of choice) bool { return of.full == c.full }))
	}
	return nil
}

// derives reports whether a metric that was not computed can be: whether what was folded for others is enough.
func (u *Reuse) derives(c choice) bool {
	var arguments []float64
	switch u.to.kindOf(c) {
	case kindMeans, kindOwn:
		return false
	case kindLabelOutcomes:
		arguments = u.from.benefitThresholds()
	case kindItems:
		for _, k := range u.from.itemCuts(c.metric.similar) {
			arguments = append(arguments, float64(k))
		}
	case kindFurtherMeans:
		for of := range u.from.chosen() {
			if u.from.kindOf(of) == kindFurtherMeans && of.grade == c.grade {
				return true
			}
		}
		return false
	default:
		return true
	}
	return slices.Contains(arguments, c.arg)
}

func lacking(c choice) error {
	return fmt.Errorf("metric %s: its statistics were not made: evaluate the predictions with it among metrics", c.full)
}

// findKinds finds which statistics are kept.
func (u *Reuse) findKinds() error {
	folded, err := u.from.New()
	if err != nil {
		return err
	}
	needed, err := u.to.New()
	if err != nil {
		return err
	}
	for c := range u.to.chosen() {
		for _, k := range []kind{u.to.kindOf(c), c.metric.also} {
			if needed.stats[k] != nil && folded.stats[k] == nil {
				return lacking(c)
			}
		}
	}
	for k := range needed.stats {
		if needed.stats[k] != nil && folded.stats[k] == nil {
			return fmt.Errorf("%s were not made: evaluate the predictions", map[kind]string{
				kindLabelHistograms: "histograms of scores, which thresholds are tuned by,", kindScoreHistograms: "histograms of scores for Parquet files", kindValueHistograms: "histograms of values for Parquet files",
			}[kind(k)])
		}
		u.keeps[k] = needed.stats[k] != nil
	}
	if u.to.Curving() && !(slices.Equal(u.to.ScoredLabels(), u.from.ScoredLabels()) && u.to.CurveClasses() == u.from.CurveClasses()) {
		return errors.New("exact curves of other scores than those that are kept: evaluate the predictions")
	}
	spread, err := u.to.NewSpread()
	if err != nil {
		return err
	}
	for k, s := range spread.stats {
		u.keeps[k] = u.keeps[k] || s != nil
	}
	u.keeps[kindPanic] = true
	return nil
}

// Unspread returns the metrics whose histograms are shown and were not made.
func (u *Reuse) Unspread() (names []string) {
	for i, c := range u.to.spreadOf() {
		if u.spread[i] < 0 {
			names = append(names, c.full)
		}
	}
	return names
}

// Decide makes another threshold of a binary task decide. Then Of finds the confusion matrix in the histograms of scores. It
// returns an error if decisions matter elsewhere.
func (u *Reuse) Decide(threshold float64) error {
	for c := range u.to.chosen() {
		if u.to.needsOf(c)&NeedDecisions != 0 && u.to.kindOf(c) != kindConfusion {
			return fmt.Errorf("metric %s depends on the decision for each example: evaluate the predictions with this threshold", c.full)
		}
	}
	if u.to.Task != Binary || u.to.has(HasBaseline) || !u.from.histogrammed() {
		return errors.New("a threshold needs the histograms of scores of a binary task without a baseline, which metrics of curves have: evaluate the predictions with this threshold")
	}
	u.threshold = &threshold
	return nil
}

// decided returns the confusion matrix that the threshold makes of the scores of a partial.
func (u *Reuse) decided(partial *Partial) (*confusion, error) {
	e, _ := partial.stats[kindExamples].(*examples)
	h, _ := partial.stats[kindLabelHistograms].(*labelHistograms)
	made := &confusion{classes: u.to.classes()}
	if e == nil || h == nil || e.all.Empty() {
		return made, nil
	}
	if e.weightless > 0 {
		return nil, errors.New("there are examples of weight 0, whose scores no histogram has: evaluate the predictions with this threshold")
	}
	below, above, ok := h.of(0).Split(*u.threshold)
	if !ok {
		return nil, fmt.Errorf("the threshold %v is within a bin of scores: choose one of the thresholds of curves, or evaluate the predictions with it", *u.threshold)
	}
	for truth := range below {
		made.Value(uint64(2 * truth)).Merge(&below[truth])
		made.Value(uint64(2*truth + 1)).Merge(&above[truth])
	}
	return made, nil
}

// Of returns the statistics of a partial, of a baseline or not; nil if a baseline has no metrics. It shares memory with
// the partial.
func (u *Reuse) Of(partial *Partial, baseline bool) (*Partial, error) {
	if baseline {
		if u.baseline == nil {
			return nil, nil
		}
		u = u.baseline
	}
	made := &Partial{mixed: partial.mixed || !partial.fits(u.from)}
	for k, s := range partial.stats {
		if s == nil || !u.keeps[k] {
			continue
		}
		if more, ok := s.(reusable); ok && !made.mixed {
			s = more.reused(u)
		}
		made.stats[k] = s
	}
	if u.threshold != nil && made.stats[kindConfusion] != nil && !made.mixed {
		matrix, err := u.decided(partial)
		made.stats[kindConfusion] = matrix
		return made, err
	}
	return made, nil
}

// examples counts all examples, with their weight, and the examples of weight 0.
type examples struct {
	all        exact.Tally
	weightless int64
}

func (s *examples) Fold(b *Batch, rows []int32) {
	if b.Weight == nil {
		s.all.AddOnes(int64(len(rows)))
		return
	}
	var weights [blockOfRows]float64
	for block := range slices.Chunk(rows, blockOfRows) {
		for i, r := range block {
			weights[i] = b.Weight[r]
			if weights[i] == 0 {
				s.weightless++
			}
		}
		s.all.AddAll(weights[:len(block)])
	}
}

func (s *examples) visit(v *fields.Visitor, from statistic) {
	f := from.(*examples)
	fields.Visit(v, &s.all, &f.all)
	v.Count(&s.weightless, f.weightless)
}
func (s *examples) fits(*Params) bool { return true }

// Digest identifies the examples of a Partial in a few bytes. Two sets of examples with equal
// digests are the same, unless two sums of hashes happen to be equal.
type Digest struct {
	Rows int64
	// Sum is the sum, modulo 2^64, of a hash of the key and the truth of each example. It does not
	// depend on predictions and weights. For the queries of a ranking and for grades and ratings, only the keys are
	// hashed, because the items depend on what was retrieved, and grades and ratings are the result.
	Sum uint64
}

// Digest returns the digest of the folded examples, if Params asked for one.
func (p *Partial) Digest() Digest {
	if s, ok := p.stats[kindDigest].(*digest); ok {
		return s.Digest
	}
	return Digest{}
}

// Positives returns the numbers of positive and negative examples with weight of a label or, in a multiclass
// task, of a class, among the examples of the digest. A binary task has only label 0.
func (p *Partial) Positives(label int) (positive, negative int64) {
	s, ok := p.stats[kindDigest].(*digest)
	if !ok {
		return 0, 0
	}
	if n := s.positives.Lookup(uint64(label)); n != nil {
		positive = int64(*n)
	}
	return positive, p.Weighty() - positive
}

// digest is the statistic of a Digest. It also counts the examples of each label that have weight.
type digest struct {
	Digest
	positives fields.Keyed[rowCount, *rowCount]
}

// rowCount is a number of rows.
type rowCount int64

func (n *rowCount) Empty() bool                              { return *n == 0 }
func (n *rowCount) Fields(v *fields.Visitor, from *rowCount) { v.Count((*int64)(n), int64(*from)) }

func (s *digest) Fold(b *Batch, rows []int32) {
	s.Rows += int64(len(rows))
	for _, r := range rows {
		h := hash.Mix(b.Key[r])
		weighty := b.weight(r) != 0
		add := func(label int32, truth uint64) {
			if weighty {
				*s.positives.Value(uint64(label))++
			}
			h += hash.Mix(truth + 1)
		}
		switch {
		case b.Target != nil:
			h += hash.Mix(math.Float64bits(b.Target[r] + 0)) // -0 + 0 is 0
		case b.True.Offset != nil:
			for _, label := range b.True.Row(r) {
				add(label, uint64(label))
			}
		case b.Outcome != nil:
			h += hash.Mix(uint64(b.Outcome[r]) + 1)
			add(b.First[r], uint64(b.First[r]))
			h = hash.Mix(h) // the order of both counts
			add(b.Second[r], uint64(b.Second[r]))
		case b.RatingOffset != nil: // a rating is a result
			for _, rater := range b.Rater[b.RatingOffset[r]:b.RatingOffset[r+1]] {
				if weighty {
					*s.positives.Value(uint64(rater))++
				}
			}
		case b.Class != nil && b.Labels > 1:
			add(b.Class[r], uint64(b.Class[r]))
		case b.Class != nil && b.Class[r] == 1:
			add(0, 1)
		}
		s.Sum += hash.Mix(h)
	}
}

// foldUnlabelled adds rows without a label.
func (s *digest) foldUnlabelled(b *Batch, rows []int32) {
	s.Rows += int64(len(rows))
	for _, r := range rows {
		s.Sum += hash.Mix(hash.Mix(b.Key[r]) + unlabelledRow)
	}
}

// unlabelledRow tells the digest of a row without a label from digests of rows with one.
const unlabelledRow = 0x9e3779b97f4a7c15

func (s *digest) visit(v *fields.Visitor, from statistic) {
	f := from.(*digest)
	v.Count(&s.Rows, f.Rows)
	fields.Number(v, &s.Sum, f.Sum, math.MaxUint64)
	s.positives.Fields(v, &f.positives)
}

func (s *digest) fits(p *Params) bool { return s.positives.Below(uint64(max(p.scored(), 1))) }

func (s *digest) relabelled(to []int32, _ int) statistic {
	more := &digest{Digest: Digest{Rows: s.Rows, Sum: hash.Mix(s.Sum ^ uint64(len(to)))}}
	more.positives = s.positives.Rekeyed(func(label uint64) uint64 { return uint64(to[label]) })
	return more
}

// tally is an exact.Tally in a Keyed: it counts the rows of a key.
type tally struct{ exact.Tally }

func (t *tally) Fields(v *fields.Visitor, from *tally) { fields.Visit(v, &t.Tally, &from.Tally) }

// numberOfRows evaluates the number of examples, whatever their weights.
var numberOfRows = evaluator{from: kindExamples, overall: func(e *evaluation, _ choice) Value {
	return defined(float64(e.partial.Examples()))
}}
