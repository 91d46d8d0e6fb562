package metrics

import (
	"github.com/beameval/beameval/metrics/exact"
)

// setSizes counts examples by (|Y|, |h|, |Y∩h|): the numbers of true labels, of
// predicted ones, and of those in both. Every example-based multilabel metric
// is a mean of a function of these three.
type setSizes struct {
	cells[exact.Tally, *exact.Tally]
}

// sizeBits is the width of a size within a key.
const sizeBits = 21

func (s *setSizes) fold(b *Batch, rows []int32) {
	for _, r := range rows {
		truth, predicted := b.True.Row(r), b.PredictedSet.Row(r)
		key := uint64(len(truth))<<(2*sizeBits) | uint64(len(predicted))<<sizeBits | uint64(shared(truth, predicted))
		s.at(key).Add(b.weight(r))
	}
}

// shared returns how many elements two increasing lists have in common.
func shared(a, b []int32) int {
	n := 0
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] == b[0]:
			n++
			a, b = a[1:], b[1:]
		case a[0] < b[0]:
			a = a[1:]
		default:
			b = b[1:]
		}
	}
	return n
}

func (s *setSizes) merge(from statistic) { s.mergeCells(&from.(*setSizes).cells) }

func (s *setSizes) fits(*Params) bool { return true }

// sizes are the set sizes of an example.
type sizes struct{ truth, predicted, both float64 }

func unpackSizes(key uint64) sizes {
	const mask = 1<<sizeBits - 1
	return sizes{float64(key >> (2 * sizeBits)), float64(key >> sizeBits & mask), float64(key & mask)}
}
