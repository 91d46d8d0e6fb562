package metrics

import (
	"iter"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/exact"
)

// confusion is the confusion matrix: the examples of each (true class,
// predicted class), of which only those met take memory. Binary tasks have
// the classes 0 and 1.
type confusion struct {
	cells[exact.Tally, *exact.Tally]
	classes int
}

func (s *confusion) fold(b *Batch, rows []int32) {
	for _, r := range rows {
		s.at(uint64(b.Class[r])*uint64(s.classes) + uint64(b.Predicted[r])).Add(b.weight(r))
	}
}

func (s *confusion) merge(from statistic) {
	f := from.(*confusion)
	s.classes = max(s.classes, f.classes)
	s.mergeCells(&f.cells)
}

func (s *confusion) append(dst []byte) []byte {
	return s.cells.append(wire.AppendUint(dst, uint64(s.classes)))
}

func (s *confusion) decode(d *wire.Decoder) {
	s.classes = d.Count(1 << 31)
	s.cells.decode(d)
	for key := range s.all() {
		if s.classes == 0 || key/uint64(s.classes) >= uint64(s.classes) {
			d.Fail("confusion matrix: cell %d of %d classes", key, s.classes)
			return
		}
	}
}

func (s *confusion) fits(p *Params) bool {
	return s.classes == p.classes() || s.classes == 0
}

// entry is a cell of the confusion matrix.
type entry struct {
	truth, predicted int
	tally            *exact.Tally
}

// entries yields the cells that are not empty, row by row.
func (s *confusion) entries() iter.Seq[entry] {
	return func(yield func(entry) bool) {
		for key, t := range s.all() {
			if !yield(entry{int(key / uint64(s.classes)), int(key % uint64(s.classes)), t}) {
				return
			}
		}
	}
}
