package metrics

import (
	"github.com/beameval/beameval/metrics/curves"
	"github.com/beameval/beameval/metrics/internal/fields"
)

// labelHistograms holds the scores of each label in a bounded number of bins, from which the
// metrics of its curves are known within an interval.
type labelHistograms struct {
	fields.Keyed[histogram, *histogram]
	params *Params
	wrong  bool // histograms with different bounds were merged

	// coarsest is an empty histogram whose bins the histogram of all labels together must not
	// refine; nil if it may have any bins. It is not encoded: see bins.
	coarsest histogram
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

func (h *histogram) Fields(v *fields.Visitor, _ *histogram) {
	if h.Histogram == nil {
		h.Histogram = new(curves.Histogram)
	}
	v.Value(h.Histogram)
}

func (s *labelHistograms) Fold(b *Batch, rows []int32) {
	if len(rows) == 0 {
		return
	}
	scores := b.CurveScores(s.params.Task)
	for label := range b.Labels {
		h := s.of(label)
		for _, r := range rows {
			at := int(r)*b.Labels + label
			h.Add(scores[at], s.isPositive(b, r, at, label), b.weight(r))
		}
	}
}

// of returns the histogram of a label.
func (s *labelHistograms) of(label int) *curves.Histogram {
	h := s.Value(uint64(label))
	if h.Histogram == nil {
		h.Histogram = s.params.newHistogram()
	}
	return h.Histogram
}

// newHistogram returns an empty histogram of bounded curves.
func (p *Params) newHistogram() *curves.Histogram {
	if p.ofGroup {
		return curves.NewEvenHistogram(p.CurveBins)
	}
	return curves.NewHistogram(p.CurveBins)
}

func (s *labelHistograms) isPositive(b *Batch, r int32, at, label int) bool {
	if s.params.Task == Multiclass {
		return int(b.Class[r]) == label
	}
	return b.Truth[at]
}

func (s *labelHistograms) visit(v *fields.Visitor, from statistic) {
	f := from.(*labelHistograms)
	if !v.Merges() {
		s.Keyed.Fields(v, &f.Keyed)
		return
	}
	s.wrong = s.wrong || f.wrong
	s.coarsest.Merge(&f.coarsest)
	for key, h := range f.All() {
		if s.Value(key).join(h) != nil {
			s.wrong = true
		}
	}
}

func (s *labelHistograms) fits(p *Params) bool { return !s.wrong && s.Below(uint64(p.scored())) }

// pooled returns the histogram of all labels together. It is the same as if all scores had been
// added to it one by one.
func (s *labelHistograms) pooled() histogram {
	var sum histogram
	sum.Merge(&s.coarsest)
	for _, h := range s.All() {
		sum.Merge(h)
	}
	return sum
}

// bins returns empty histograms, of each label and of all together. A histogram that is merged into
// them has no finer bins than s, and exactly the same bins if s has all of its examples.
func (s *labelHistograms) bins() *labelHistograms {
	b := &labelHistograms{params: s.params}
	for key, h := range s.All() {
		b.Value(key).Histogram = h.Bins()
	}
	if s.Size() > 1 {
		b.coarsest.Histogram = s.pooled().Bins()
	}
	return b
}
