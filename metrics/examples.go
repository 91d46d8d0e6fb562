package metrics

import (
	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/exact"
)

// examples counts and weighs all examples.
type examples struct{ all exact.Tally }

func (s *examples) fold(b *Batch, rows []int32) {
	if b.Weight == nil {
		s.all.AddOnes(int64(len(rows)))
		return
	}
	for _, r := range rows {
		s.all.Add(b.Weight[r])
	}
}

func (s *examples) merge(from statistic)     { s.all.Merge(&from.(*examples).all) }
func (s *examples) append(dst []byte) []byte { return s.all.Append(dst) }
func (s *examples) decode(d *wire.Decoder)   { s.all.Decode(d) }
func (s *examples) fits(*Params) bool        { return true }
func (s *examples) reset()                   { s.all.Reset() }
