package metrics

import (
	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/exact"
)

// calibration is the reliability diagram of each label: probabilities in bins
// of equal width, bin i holding (i/B, (i+1)/B], the first with 0. A binary
// task has the one label 0; in multiclass tasks each class is a label.
type calibration struct {
	cells[bin, *bin]
	bins  int
	edges []float64 // i/bins; nil if the statistic cannot fold
}

func newCalibration(bins int) calibration {
	edges := make([]float64, bins+1)
	for i := range edges {
		edges[i] = float64(i) / float64(bins)
	}
	return calibration{bins: bins, edges: edges}
}

// bin counts the negatives and positives of a bin and totals their
// probabilities.
type bin struct {
	negative, positive exact.Tally
	prediction         exact.Sum
}

func (b *bin) Empty() bool { return b.negative.Empty() && b.positive.Empty() }

func (b *bin) Merge(from *bin) {
	b.negative.Merge(&from.negative)
	b.positive.Merge(&from.positive)
	b.prediction.Merge(&from.prediction)
}

func (b *bin) Append(dst []byte) []byte {
	return b.prediction.Append(b.positive.Append(b.negative.Append(dst)))
}

func (b *bin) Decode(d *wire.Decoder) {
	b.negative.Decode(d)
	b.positive.Decode(d)
	b.prediction.Decode(d)
}

func (s *calibration) add(label int, p float64, positive bool, w float64) {
	c := s.at(uint64(label*s.bins + binOf(p, s.edges)))
	if positive {
		c.positive.Add(w)
	} else {
		c.negative.Add(w)
	}
	c.prediction.Add(times(w, p))
}

// binOf returns the bin of probability p: the i with edges[i] < p <= edges[i+1].
func binOf(p float64, edges []float64) int {
	bins := len(edges) - 1
	i := min(max(int(p*float64(bins)), 0), bins-1)
	// An edge belongs to the bin below it, and rounding may have taken the product
	// up to the next edge; never down, as edges are the nearest floats to i/bins.
	if i > 0 && p <= edges[i] {
		i--
	}
	return i
}

func (s *calibration) fold(b *Batch, rows []int32) {
	for _, r := range rows {
		w := b.weight(r)
		for label := range b.Labels {
			i := int(r)*b.Labels + label
			positive := false
			if b.Truth != nil {
				positive = b.Truth[i]
			} else {
				positive = int(b.Class[r]) == label
			}
			s.add(label, b.Probability[i], positive, w)
		}
	}
}

func (s *calibration) merge(from statistic) {
	f := from.(*calibration)
	s.bins = max(s.bins, f.bins)
	s.mergeCells(&f.cells)
}

func (s *calibration) append(dst []byte) []byte {
	return s.cells.append(wire.AppendUint(dst, uint64(s.bins)))
}

func (s *calibration) decode(d *wire.Decoder) {
	s.bins = d.Count(1 << 31)
	s.cells.decode(d)
	if s.bins == 0 && s.size() != 0 {
		d.Fail("calibration: no bins")
	}
}

func (s *calibration) fits(p *Params) bool {
	return s.bins == p.Bins && s.below(uint64(p.scored()*p.Bins)) || s.bins == 0
}

// topCalibration is the reliability diagram of the top class: of the highest
// probability of an example, and whether that class is right.
type topCalibration struct{ calibration }

func (s *topCalibration) fold(b *Batch, rows []int32) {
	for _, r := range rows {
		s.add(0, b.Confidence[r], b.Correct[r], b.weight(r))
	}
}

func (s *topCalibration) fits(p *Params) bool {
	return s.bins == p.Bins && s.below(uint64(p.Bins)) || s.bins == 0
}

func (s *topCalibration) merge(from statistic) {
	s.calibration.merge(&from.(*topCalibration).calibration)
}
