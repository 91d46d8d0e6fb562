package curves

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/wire"
)

// FuzzDecode feeds arbitrary bytes to every decoder, and uses what they decode.
func FuzzDecode(f *testing.F) {
	s := drawSample(source(1), 50)
	points, totals := s.points()
	var pairs Pairs
	pairs.Add(2, 0.5, 1, 3)
	var bins Bins
	bins.add(3, 1, 1, 2)
	bins.add(200, 0, 0.5, 3)
	bins.addScores(3, 0.5, 0.75)
	for i, from := range []statistic{
		accumulated(points, totals), outlined(points, totals, 3), &pairs, folded(7, s, s.rows()), folded(100, s, s.rows()), &bins,
	} {
		f.Add(uint8(i), from.Append(nil))
	}
	f.Fuzz(func(t *testing.T, kind uint8, data []byte) {
		d := wire.NewDecoder(data)
		switch kind % 5 {
		case 0:
			a := new(Accumulator)
			a.Decode(d)
			again(t, d, a, new(Accumulator))
			a.areas()
			for _, c := range everyCriterion {
				a.Operating(c)
			}
			_ = a.Merge(accumulated(points, totals))
			require.NoError(t, a.Merge(a))
			a.Add([]Point{{1, 2, 3}}, true)
		case 1:
			o := new(Outline)
			o.Decode(d)
			again(t, d, o, new(Outline))
			o.ROC()
			o.PR()
			_ = o.Merge(outlined(points, totals, 3))
			require.NoError(t, o.Merge(o))
			o.Add([]Point{{1, 2, 3}})
		case 2:
			var p Pairs
			p.Decode(d)
			again(t, d, &p, new(Pairs))
			p.Add(1, 2, 3, 4)
			p.Merge(&p)
			OneVsOneROCAUC([]Pairs{p, p, p}, []float64{1, 2, 3}, true)
		case 3:
			h := new(Histogram)
			h.Decode(d)
			again(t, d, h, new(Histogram))
			_ = h.Merge(folded(7, s, s.rows()))
			s.addTo(h, s.rows())
			require.NoError(t, h.Merge(h))
			h.Bounds(everyCriterion...).areas()
		case 4:
			b := new(Bins)
			b.Decode(d)
			again(t, d, b, new(Bins))
			b.Merge(&bins)
			b.Curve().Accumulator(everyCriterion...)
		}
	})
}

// again checks that what was decoded encodes so that it can be decoded. (Sums
// of what hostile sums hold may not.)
func again(t *testing.T, d *wire.Decoder, from, into statistic) {
	if d.Err() == nil {
		throughBytes(t, from, into)
	}
}
