package metrics

import (
	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/exact"
)

// labelCounts holds, for each label met, how often it was true, predicted and
// both. True negatives are what remains of all examples, so that the cost of
// an example does not depend on the number of labels.
type labelCounts struct {
	cells[outcomes, *outcomes]
}

// outcomes counts true positives, false positives and false negatives.
type outcomes struct{ tp, fp, fn exact.Tally }

func (o *outcomes) Empty() bool { return o.tp.Empty() && o.fp.Empty() && o.fn.Empty() }

func (o *outcomes) Merge(from *outcomes) {
	o.tp.Merge(&from.tp)
	o.fp.Merge(&from.fp)
	o.fn.Merge(&from.fn)
}

func (o *outcomes) Append(dst []byte) []byte {
	return o.fn.Append(o.fp.Append(o.tp.Append(dst)))
}

func (o *outcomes) Decode(d *wire.Decoder) {
	o.tp.Decode(d)
	o.fp.Decode(d)
	o.fn.Decode(d)
}

func (s *labelCounts) fold(b *Batch, rows []int32) {
	for _, r := range rows {
		w := b.weight(r)
		truth, predicted := b.True.Row(r), b.PredictedSet.Row(r)
		for len(truth) > 0 && len(predicted) > 0 {
			switch t, p := truth[0], predicted[0]; {
			case t == p:
				s.at(uint64(t)).tp.Add(w)
				truth, predicted = truth[1:], predicted[1:]
			case t < p:
				s.at(uint64(t)).fn.Add(w)
				truth = truth[1:]
			default:
				s.at(uint64(p)).fp.Add(w)
				predicted = predicted[1:]
			}
		}
		for _, t := range truth {
			s.at(uint64(t)).fn.Add(w)
		}
		for _, p := range predicted {
			s.at(uint64(p)).fp.Add(w)
		}
	}
}

func (s *labelCounts) merge(from statistic) { s.mergeCells(&from.(*labelCounts).cells) }

func (s *labelCounts) fits(p *Params) bool { return s.below(uint64(p.Labels)) }
