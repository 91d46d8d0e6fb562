package metrics

import (
	"github.com/beameval/beameval/metrics/curves"
)

// labelBins holds the examples of a fold by the bins of the curve of each label, or of all labels pooled; that of all
// examples has the scores of the bins. It comes from sweeping all scores of a label in order, as labelCurves do, and not from
// folding examples.
type labelBins struct {
	keyed[curves.Bins, *curves.Bins] // by Params.curveKey
}

func (s *labelBins) Fold(*Batch, []int32) {} // see Sweeper.Sweep

func (s *labelBins) Merge(from Statistic) { s.mergeKeyed(&from.(*labelBins).keyed) }

// without returns s without what a partial, which was merged into it, holds.
func (s *labelBins) without(p *Partial) *labelBins {
	rest, part := new(labelBins), new(labelBins)
	if p != nil && p.stats[kindLabelBins] != nil {
		part = p.stats[kindLabelBins].(*labelBins)
	}
	for key, all := range s.unordered() {
		of := part.lookup(key)
		if of == nil {
			of = new(curves.Bins)
		}
		*rest.value(key) = all.Without(of)
	}
	return rest
}

func (s *labelBins) fits(p *Params) bool { return s.below(uint64(p.scored()) + 2) }
