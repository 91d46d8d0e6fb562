package metrics

import (
	"github.com/beameval/beameval/metrics/curves"
)

// labelBins holds the examples of one fold in the bins of the curve of each label, or of all labels
// pooled. The labelBins of all examples holds the scores of the bins. Like labelCurves, it comes
// from sweeping all scores of a label in order, and not from folding examples.
type labelBins struct {
	keyed[binsOfCurve, *binsOfCurve] // by Params.curveKey
}

type binsOfCurve struct{ curves.Bins }

func (b *binsOfCurve) fields(v *visitor, from *binsOfCurve) {
	if v.merging {
		b.Merge(&from.Bins)
	} else {
		v.Value(&b.Bins)
	}
}

func (s *labelBins) Fold(*Batch, []int32) {} // see Sweeper.Sweep

func (s *labelBins) fields(v *visitor, from statistic) { s.keyed.fields(v, &from.(*labelBins).keyed) }

// without returns s without the examples of p, which must have been merged into s.
func (s *labelBins) without(p *Partial) *labelBins {
	rest, part := new(labelBins), new(labelBins)
	if p != nil && p.stats[kindLabelBins] != nil {
		part = p.stats[kindLabelBins].(*labelBins)
	}
	for key, all := range s.all() {
		of := part.lookup(key)
		if of == nil {
			of = new(binsOfCurve)
		}
		rest.value(key).Bins = all.Without(&of.Bins)
	}
	return rest
}

func (s *labelBins) fits(p *Params) bool { return s.below(uint64(p.scored()) + 2) }
