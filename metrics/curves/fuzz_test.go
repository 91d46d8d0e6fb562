package curves

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics/internal/fields"
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
	for i, data := range [][]byte{
		encode(accumulated(points, totals)), encode(outlined(points, totals, 3)), encode(&pairs), encode(folded(7, s, s.rows())), encode(&bins),
	} {
		f.Add(uint8(i), data)
	}
	f.Add(uint8(3), encode(folded(100, s, s.rows())))
	f.Fuzz(func(t *testing.T, kind uint8, data []byte) {
		switch kind % 5 {
		case 0:
			a := new(Accumulator)
			again(t, data, a)
			a.areas()
			for _, c := range everyCriterion {
				a.Operating(c)
			}
			_ = merge(a, accumulated(points, totals))
			require.NoError(t, merge(a, a))
			a.Add([]Point{{1, 2, 3}}, true)
		case 1:
			o := new(Outline)
			again(t, data, o)
			o.ROC()
			o.PR()
			_ = merge(o, outlined(points, totals, 3))
			require.NoError(t, merge(o, o))
			o.Add([]Point{{1, 2, 3}})
		case 2:
			var p Pairs
			again(t, data, &p)
			p.Add(1, 2, 3, 4)
			require.NoError(t, merge(&p, &p))
			OneVsOneROCAUC([]Pairs{p, p, p}, []float64{1, 2, 3}, true)
		case 3:
			h := new(Histogram)
			again(t, data, h)
			_ = merge(h, folded(7, s, s.rows()))
			s.addTo(h, s.rows())
			require.NoError(t, merge(h, h))
			h.Bounds(everyCriterion...).areas()
		case 4:
			b := new(Bins)
			again(t, data, b)
			b.merge(&bins)
			b.Curve(new(BinnedCurve)).Accumulator(true, true, everyCriterion...)
		}
	})
}

// again decodes data, and requires that the result can be encoded and decoded. (After a merge of
// hostile sums that may fail.)
func again[T any, P fields.Record[T]](t *testing.T, data []byte, x P) {
	if decode(data, x) == nil {
		throughBytes(t, x)
	}
}
