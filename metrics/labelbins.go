package metrics

import (
	"github.com/beameval/beameval/metrics/curves"
	"github.com/beameval/beameval/metrics/internal/fields"
)

// labelBins holds the examples of one fold in the bins of the curve of each label, or of all labels
// pooled. The labelBins of all examples holds the scores of the bins. Like labelCurves, it comes
// from sweeping all scores of a label in order, and not from folding examples.
type labelBins struct {
	fields.Keyed[binsOfCurve, *binsOfCurve] // by Params.curveKey
}

type binsOfCurve struct{ curves.Bins }

func (b *binsOfCurve) Fields(v *fields.Visitor, from *binsOfCurve) {
	if v.Merges() {
		b.Merge(&from.Bins)
	} else {
		v.Value(&b.Bins)
	}
}

func (s *labelBins) Fold(*Batch, []int32) {} // see Sweeper.Sweep

func (s *labelBins) visit(v *fields.Visitor, from statistic) {
	s.Keyed.Fields(v, &from.(*labelBins).Keyed)
}

// without returns s without the examples of p, which must have been merged into s.
func (s *labelBins) without(p *Partial) *labelBins {
	rest, part := new(labelBins), new(labelBins)
	if p != nil && p.stats[kindLabelBins] != nil {
		part = p.stats[kindLabelBins].(*labelBins)
	}
	for key, all := range s.All() {
		of := part.Lookup(key)
		if of == nil {
			of = new(binsOfCurve)
		}
		rest.Value(key).Bins = all.Without(&of.Bins)
	}
	return rest
}

func (s *labelBins) fits(p *Params) bool { return s.Below(uint64(p.scored()) + 2) }
