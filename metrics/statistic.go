package metrics

import (
	"fmt"
	"slices"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/exact"
)

// Statistic is what metrics are computed from: a commutative monoid over examples, with a
// codec. These laws hold, bit for bit; package metricstest has tests of them:
//
//   - Folding some rows and then others is the same as folding them apart and merging that,
//     in whatever order. So sums of floats must be exact, as those of package exact are.
//   - An empty statistic changes nothing that it is merged with.
//   - Equal statistics have equal encodings, which decode to the same. What Append never
//     wrote makes Decode fail, but never panic or take much more memory than it has bytes.
//   - No statistic keeps a reference into a batch, or into one that was merged into it.
//
// A program that adds metrics of its own may add statistics, too; see [OfStatistic].
type Statistic interface {
	// Fold adds the given rows of a batch.
	Fold(b *Batch, rows []int32)
	// Merge adds what from holds, which has the same type. It does not change from.
	Merge(from Statistic)
	// Append appends the canonical encoding.
	Append(dst []byte) []byte
	// Decode replaces the statistic by what Append wrote.
	Decode(d *Decoder)
	// Reset empties the statistic, and may keep its memory.
	Reset()
}

// Decoder reads what a Statistic has appended, value by value. After the first error every
// read returns zero, so that nothing has to be checked in between. Sums and tallies of
// package exact decode themselves. Of other values, Uint and Int read varints, as
// binary.AppendUvarint and binary.AppendVarint write them; Float what
// binary.LittleEndian.AppendUint64 wrote of the bits of a float64; Byte and Bytes bytes.
// Count reads a number up to a limit, Elements the length of a list, each element of which
// takes a byte or more: it is no more than the bytes that are left. Fail makes the decoder
// fail for a value that no statistic has.
type Decoder = wire.Decoder

// statistic is a Statistic of the table below.
type statistic interface {
	Fold(b *Batch, rows []int32)
	// fields lists the fields: v encodes, decodes, merges or empties them. from has the same type; it
	// is the statistic itself if nothing is merged.
	fields(v *visitor, from statistic)
	// fits reports whether the statistic can have been folded under p.
	fits(p *Params) bool
}

// kind identifies a statistic. Kinds are part of encodings, which live no longer than a
// run: they may change.
type kind uint8

const (
	kindExamples kind = iota
	kindConfusion
	kindLabelCounts
	kindSetSizes
	kindLabelLosses
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
	numKinds
)

// statistics is the table of statistics: what each is called, and how to make an empty
// one. Made for the zero Params, it can be merged into and decoded, but cannot fold.
var statistics = [numKinds]struct {
	name  string
	empty func(*Params) statistic
}{
	kindExamples:        {"examples", func(*Params) statistic { return new(examples) }},
	kindConfusion:       {"confusion", func(p *Params) statistic { return &confusion{classes: p.classes()} }},
	kindLabelCounts:     {"labelCounts", func(*Params) statistic { return new(labelCounts) }},
	kindSetSizes:        {"setSizes", func(*Params) statistic { return new(setSizes) }},
	kindLabelLosses:     {"labelLosses", func(p *Params) statistic { return &labelLosses{eps: p.LogLossEps} }},
	kindCalibration:     {"calibration", func(p *Params) statistic { c := newCalibration(p.Bins); return &c }},
	kindTopCalibration:  {"topCalibration", func(p *Params) statistic { return &topCalibration{newCalibration(p.Bins)} }},
	kindMeans:           {"means", func(p *Params) statistic { return newMeans(p) }},
	kindResiduals:       {"residuals", func(*Params) statistic { return new(residuals) }},
	kindKappaLoss:       {"kappaLoss", func(*Params) statistic { return new(kappaLosses) }},
	kindLabelCurves:     {"labelCurves", func(*Params) statistic { return new(labelCurves) }},
	kindLabelHistograms: {"labelHistograms", func(p *Params) statistic { return &labelHistograms{params: p} }},
	kindLabelBins:       {"labelBins", func(*Params) statistic { return new(labelBins) }},
	kindDigest:          {"digest", func(*Params) statistic { return new(digest) }},
	kindOwn:             {"own", newOwn},
	kindPanic:           {"panic", func(*Params) statistic { return new(panicked) }},
	kindErrorSpread:     {"errorSpread", func(*Params) statistic { return newErrorSpread() }},
	kindQuerySpread:     {"querySpread", func(p *Params) statistic { return newQuerySpread(p) }},
}

// Partial holds the statistics of some examples. The zero Partial is empty and can be
// merged; Params.New makes one that can fold, too.
type Partial struct {
	stats [numKinds]statistic
}

// New returns an empty Partial with the statistics that the metrics need, or an error
// if p cannot be evaluated.
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
	}
	if p.histogrammed() {
		partial.need(kindLabelHistograms, p)
	}
	if k, confused := p.confusionKind(); confused {
		partial.need(k, p)
	}
	return partial, nil
}

// histogrammed reports whether histograms of scores are needed, as bounded curves are.
func (p *Params) histogrammed() bool {
	for c := range p.chosen() {
		if p.kindOf(c) == kindLabelHistograms {
			return true
		}
	}
	return p.Tuning != nil && p.Curves == BoundedCurves
}

// NewHistograms returns an empty Partial with the histograms of bounded curves alone, or nil if
// the metrics need none; see OfGroups.
func (p *Params) NewHistograms() (*Partial, error) {
	p, err := p.completed()
	if err != nil || !p.histogrammed() {
		return nil, err
	}
	partial := new(Partial)
	partial.need(kindLabelHistograms, p)
	return partial, nil
}

// groupBins is how many bins the histograms of groups have at most: of many groups, larger ones
// would fill the memory. With 512, standard errors of calibrated scores are within 5 % of those of exact curves; with 256
// that of max_f1 is not always.
const groupBins = 512

// OfGroups returns the parameters of what is folded of a group of examples. Its histograms of
// bounded curves are coarser, and even (see curves.NewEvenHistogram), so that those of all examples are folded by themselves.
func (p *Params) OfGroups() *Params {
	some := *p.orNothing()
	some.CurveBins, some.ofGroup = min(some.CurveBins, groupBins), true
	return &some
}

// zeroParams make statistics that cannot fold. They are not changed.
var zeroParams = new(Params)

// need adds an empty statistic, unless the partial has it already.
func (p *Partial) need(k kind, params *Params) {
	if p.stats[k] == nil {
		p.stats[k] = statistics[k].empty(params)
	}
}

// confusionKind returns the statistic of the confusion matrix. Every report has one if
// examples have decisions, whatever the metrics; ok says whether they have.
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

// swept reports whether p has what sweeps find: exact curves, or the bins of folds.
func (p *Partial) swept() bool {
	if s, ok := p.stats[kindLabelCurves].(*labelCurves); ok && s.size() > 0 {
		return true
	}
	s, ok := p.stats[kindLabelBins].(*labelBins)
	return ok && s.size() > 0
}

// Fold adds the given rows of a batch.
func (p *Partial) Fold(b *Batch, rows []int32) { p.fold(nil, b, rows) }

// fold is Fold, in which the means add the values of queries to spread, unless that is nil.
func (p *Partial) fold(spread *querySpread, b *Batch, rows []int32) {
	defer p.note()
	for _, s := range p.stats {
		if m, ok := s.(*means); ok {
			m.foldWith(spread, b, rows)
		} else if s != nil {
			s.Fold(b, rows)
		}
	}
}

// Merge adds the examples of from, and does not change from.
func (p *Partial) Merge(from *Partial) {
	defer p.note()
	for k, s := range from.stats {
		if s != nil {
			p.need(kind(k), zeroParams)
			p.stats[k].fields(merging, s)
		}
	}
}

// MergeGroup is Merge for what is known of a group, but without its histograms and bins, which are for replicates.
func (p *Partial) MergeGroup(from *Partial) {
	some := *from
	some.stats[kindLabelHistograms], some.stats[kindLabelBins] = nil, nil
	p.Merge(&some)
}

// Reset empties the partial, and keeps its memory for what is folded next.
func (p *Partial) Reset() {
	defer p.note()
	for _, s := range p.stats {
		if s != nil {
			s.fields(emptying, s)
		}
	}
}

// Examples returns how many examples were folded, whatever their weights.
func (p *Partial) Examples() int64 {
	if e, ok := p.stats[kindExamples].(*examples); ok {
		return e.all.Rows()
	}
	return 0
}

// Weighted says whether an example that was folded has another weight than 1.
func (p *Partial) Weighted() bool {
	e, ok := p.stats[kindExamples].(*examples)
	return ok && !e.all.Ones()
}

// Append appends the canonical encoding: partials of the same examples have equal bytes,
// but for the outlines of curves. Those may hold more points if a curve was swept in
// ranges; the points are not drawn (see curves.Outline).
func (p *Partial) Append(dst []byte) (out []byte) {
	defer appendPanic(dst, &out)
	out, _ = wire.Append(dst, p, code) // only numbers that are read are checked
	return out
}

// DecodePartial reads what Append wrote. Whatever the bytes, it does not panic, nor does it
// take much more memory than they do. The result can be merged and evaluated, but cannot
// fold.
func DecodePartial(data []byte) (*Partial, error) {
	p := new(Partial)
	if err := wire.Decode(data, p, code); err != nil {
		return nil, fmt.Errorf("decoding statistics: %w", err)
	}
	return p, nil
}

// code lists the statistics, each after its kind.
func code(c *wire.Coder, p *Partial) {
	v := &visitor{Coder: c}
	for k, s := range p.stats {
		if s != nil {
			k := uint64(k)
			c.Uint(&k)
			s.fields(v, s)
		}
	}
	for c.More() {
		var k uint64
		if c.Uint(&k); k >= uint64(numKinds) || p.stats[k] != nil {
			c.Fail("unexpected kind %d", k)
			return
		}
		p.need(kind(k), zeroParams)
		p.stats[k].fields(v, p.stats[k])
	}
}

// examples is the statistic of the number and weight of all examples.
type examples struct{ all exact.Tally }

func (s *examples) Fold(b *Batch, rows []int32) {
	if b.Weight == nil {
		s.all.AddOnes(int64(len(rows)))
		return
	}
	var weights [blockOfRows]float64
	for block := range slices.Chunk(rows, blockOfRows) {
		for i, r := range block {
			weights[i] = b.Weight[r]
		}
		s.all.AddAll(weights[:len(block)])
	}
}

func (s *examples) fields(v *visitor, from statistic) { v.tally(&s.all, &from.(*examples).all) }
func (s *examples) fits(*Params) bool                 { return true }

// numberOfRows is the number of examples, whatever their weights.
var numberOfRows = evaluator{from: kindExamples, overall: func(e *evaluation, _ choice) Value {
	return defined(float64(e.partial.Examples()))
}}
