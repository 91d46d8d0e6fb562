package metrics

import (
	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/curves"
)

// labelHistograms holds the scores of each label in a bounded number of bins, from which
// metrics of its curves are known within an interval.
type labelHistograms struct {
	keyed[histogram, *histogram]
	params *Params
	pooled bool // all labels together too
	wrong  bool // histograms of different bounds were merged

	scores, weights []float64
	positive        []bool
	rows            []int32
}

// histogram is nil if there are no examples.
type histogram struct{ *curves.Histogram }

func (h *histogram) Empty() bool           { return h.Histogram == nil }
func (h *histogram) Merge(from *histogram) { _ = h.join(from) }

func (h *histogram) join(from *histogram) error {
	if from.Histogram == nil {
		return nil
	}
	if h.Histogram == nil {
		h.Histogram = new(curves.Histogram)
	}
	return h.Histogram.Merge(from.Histogram)
}

func (h *histogram) Append(dst []byte) []byte { return h.Histogram.Append(dst) }

func (h *histogram) Decode(d *wire.Decoder) {
	h.Histogram = new(curves.Histogram)
	h.Histogram.Decode(d)
}

func (s *labelHistograms) fold(b *Batch, rows []int32) {
	if len(rows) == 0 {
		return
	}
	s.rows = AllRows(s.rows, len(rows))
	s.weights = s.weights[:0]
	for _, r := range rows {
		s.weights = append(s.weights, b.weight(r))
	}
	scores := b.CurveScores(s.params.Task)
	for label := range b.Labels {
		s.scores, s.positive = s.scores[:0], s.positive[:0]
		for _, r := range rows {
			at := int(r)*b.Labels + label
			s.scores = append(s.scores, scores[at])
			s.positive = append(s.positive, s.isPositive(b, r, at, label))
		}
		s.add(s.params.curveKey(label))
		if s.pooled {
			s.add(s.params.curveKey(pooled))
		}
	}
}

func (s *labelHistograms) isPositive(b *Batch, r int32, at, label int) bool {
	if s.params.Task == Multiclass {
		return int(b.Class[r]) == label
	}
	return b.Truth[at]
}

// add adds the examples in s.scores, s.positive and s.weights to a histogram.
func (s *labelHistograms) add(key uint64) {
	h := s.value(key)
	if h.Histogram == nil {
		h.Histogram = curves.NewHistogram(s.params.CurveBins)
	}
	h.AddBatch(s.scores, s.positive, s.weights, s.rows)
}

func (s *labelHistograms) merge(from statistic) {
	f := from.(*labelHistograms)
	s.wrong = s.wrong || f.wrong
	for key, h := range f.all() {
		if s.value(key).join(h) != nil {
			s.wrong = true
		}
	}
}

func (s *labelHistograms) fits(p *Params) bool { return !s.wrong && s.below(uint64(p.scored())+1) }

// newLabelHistograms returns the statistic that the metrics need.
func newLabelHistograms(p *Params) *labelHistograms {
	return &labelHistograms{params: p, pooled: p.curveNeeds().pooled}
}
