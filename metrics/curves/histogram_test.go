package curves

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/scoreruns"
)

func folded(bound int, s *sample, rows []int32) *Histogram {
	h := NewHistogram(bound)
	s.addTo(h, rows)
	return h
}

// addTo adds examples to a histogram.
func (s *sample) addTo(h *Histogram, rows []int32) {
	for _, r := range rows {
		weight := 1.0
		if s.weights != nil {
			weight = s.weights[r]
		}
		h.Add(s.scores[r], s.positive[r], weight)
	}
}

func mergedAll(t require.TestingT, list ...*Histogram) *Histogram {
	sum := new(Histogram)
	for _, h := range list {
		require.NoError(t, merge(sum, h))
	}
	return sum
}

func TestHistogramLaws(t *testing.T) {
	for seed := range uint64(400) {
		r := source(seed)
		s := drawSample(r, []int{0, 1, 5, 60, 700}[seed%5])
		bound := []int{1, 2, 7, 64, 1000}[r.IntN(5)]
		empty := []func(int) *Histogram{NewHistogram, NewEvenHistogram}[seed/2%2]
		folded := func(bound int, s *sample, rows []int32) *Histogram {
			h := empty(bound)
			s.addTo(h, rows)
			return h
		}
		var rows [3][]int32
		for _, row := range s.rows() {
			i := r.IntN(3)
			rows[i] = append(rows[i], row)
		}
		x, y, z := folded(bound, s, rows[0]), folded(bound, s, rows[1]), folded(bound, s, rows[2])
		whole := folded(bound, s, s.rows()).Append(nil)
		bytes := func(h *Histogram) []byte { return h.Append(nil) }

		if seed%2 == 0 { // merging what waits, and what does not
			bytes(x)
			bytes(z)
		}
		waiting := y.waiting.len()
		xy := mergedAll(t, x, y)
		require.Equal(t, waiting, y.waiting.len(), "merging changed its argument")
		bx, by := bytes(x), bytes(y)
		require.Equal(t, bx, bytes(mergedAll(t, x)))
		require.Equal(t, bx, bytes(mergedAll(t, empty(bound), x, new(Histogram))))
		require.Equal(t, bytes(xy), bytes(mergedAll(t, y, x)))
		require.Equal(t, whole, bytes(mergedAll(t, xy, z)))
		require.Equal(t, whole, bytes(mergedAll(t, x, mergedAll(t, y, z))))
		require.Equal(t, whole, bytes(mergedAll(t, z, x, y)))
		// Other orders, other calls.
		order := s.rows()
		r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		cut := r.IntN(len(order) + 1)
		steps := folded(bound, s, order[:cut])
		if r.IntN(2) == 0 {
			bytes(steps)
		}
		s.addTo(steps, order[cut:])
		require.Equal(t, whole, bytes(steps))
		// Codec; what was decoded merges and folds.
		back := folded(3, s, s.rows())
		require.NoError(t, decode(encode(x), back))
		s.addTo(back, rows[1])
		require.NoError(t, merge(back, z))
		require.Equal(t, whole, bytes(back))
		// Sharing nothing.
		require.NoError(t, merge(back, x))
		require.NoError(t, merge(back, back))
		require.Equal(t, bytes(mergedAll(t, x, x, x, x, y, y, z, z)), bytes(back))
		require.Equal(t, bx, bytes(x))
		require.Equal(t, by, bytes(y))
		require.LessOrEqual(t, back.keys.n, bound)
	}
}

// TestMergingWithItself merges a histogram with itself while scores wait for bins. Twice as many
// scores are too many to wait.
func TestMergingWithItself(t *testing.T) {
	s := drawSample(source(0), minWaiting-1)
	for i := range s.scores {
		s.scores[i] = float64((i * 37) % 100)
	}
	h := folded(200, s, s.rows())
	require.Equal(t, minWaiting-1, h.waiting.len())
	want := mergedAll(t, h, h).Append(nil)
	require.NoError(t, merge(h, h))
	require.Equal(t, want, h.Append(nil))
}

// TestFewestBitsAreDropped compares with dropping one bit at a time until the bins fit.
func TestFewestBitsAreDropped(t *testing.T) {
	for seed := range uint64(200) {
		r := source(seed)
		s := drawSample(r, r.IntN(300))
		bound := 1 + r.IntN(50)
		dropped, images := 0, make([]uint64, len(s.scores))
		for ; ; dropped++ {
			for i, score := range s.scores {
				images[i] = scoreruns.Image(score) >> dropped
			}
			slices.Sort(images)
			images = slices.Compact(images)
			if len(images) <= bound {
				break
			}
			images = images[:len(s.scores)]
		}
		h := folded(bound, s, s.rows())
		require.Equal(t, dropped == 0, isExact(h))
		require.Equal(t, dropped, h.dropped)
		require.Equal(t, len(images), h.keys.n)
	}
}

func TestImagesKeepTheOrder(t *testing.T) {
	scores := []float64{math.Inf(-1), -math.MaxFloat64, -1, -5e-324, 0, 5e-324, 1, 1 + 0x1p-52, math.MaxFloat64, math.Inf(1)}
	for i, s := range scores {
		require.Equal(t, s, scoreOf(scoreruns.Image(s)))
		if i > 0 {
			require.Less(t, scoreruns.Image(scores[i-1]), scoreruns.Image(s))
		}
	}
	require.Equal(t, scoreruns.Image(0), scoreruns.Image(math.Copysign(0, -1)))
	require.False(t, math.Signbit(scoreOf(scoreruns.Image(math.Copysign(0, -1)))))
	require.False(t, math.Signbit(scoreOf(scoreruns.Image(0)-1)), "-0 is no score")
	require.Equal(t, math.Inf(1), scoreOf(scoreruns.Image(math.NaN())))
	require.Equal(t, math.Inf(-1), scoreOf(0))
}

// TestExactHistogramsHaveThePointsOfTheCurve: while there are enough bins, bounded curves are
// exact.
func TestExactHistogramsHaveThePointsOfTheCurve(t *testing.T) {
	for seed := range uint64(200) {
		s := drawSample(source(seed), int(seed))
		points, totals := s.points()
		h := folded(1000, s, s.rows())
		require.True(t, isExact(h))
		require.Equal(t, totals, totalsOf(h.Points()))
		require.Equal(t, len(points), len(h.Points()))
		for i, p := range h.Points() {
			require.True(t, p == points[i])
		}
		want, got := accumulated(points, totals), h.Bounds(everyCriterion...)
		require.Equal(t, encode(want), encode(got.known))
		for i, v := range got.areas() {
			w := want.areas()[i]
			require.Equal(t, fmt.Sprint(w, w.Number, w.Number), fmt.Sprint(v.Value, v.Low, v.High))
		}
		for _, c := range everyCriterion {
			w, v := want.Operating(c).Value, got.Operating(c)
			require.Equal(t, fmt.Sprint(w, w.Number, w.Number), fmt.Sprint(v.Value, v.Low, v.High))
		}
	}
}

func TestHistogramsOfOtherBoundsDoNotMerge(t *testing.T) {
	require.ErrorIs(t, merge(NewHistogram(1), NewHistogram(2)), errDifferent)
	require.Equal(t, NewHistogram(1), NewHistogram(-5))
	h := new(Histogram)
	h.Add(1, true, 1)
	require.Equal(t, new(Histogram).Append(nil), h.Append(nil))
}

func BenchmarkHistogram(b *testing.B) {
	r := source(1)
	const n = 1 << 20
	normal, uniform := new(sample), new(sample)
	for range n {
		positive := r.IntN(3) == 0
		normal.positive, uniform.positive = append(normal.positive, positive), append(uniform.positive, positive)
		normal.scores = append(normal.scores, r.NormFloat64())
		uniform.scores = append(uniform.scores, r.Float64())
	}
	weighted := *uniform
	for range n {
		weighted.weights = append(weighted.weights, r.Float64())
	}
	rows := uniform.rows()
	for name, s := range map[string]*sample{"uniform": uniform, "normal": normal, "weighted": &weighted} {
		for _, bound := range []int{64, 4096, 65536} {
			b.Run(fmt.Sprint(name, " ", bound), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					h := NewHistogram(bound)
					s.addTo(h, rows)
					h.tidy()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/row")
			})
		}
	}
}

// BenchmarkSmallHistograms measures the cost of a small slice: it is folded in four parts, which
// are encoded, decoded and merged.
func BenchmarkSmallHistograms(b *testing.B) {
	const parts, rows = 4, 50
	r := source(1)
	even, weighted := new(sample), new(sample)
	for range parts * rows {
		even.positive = append(even.positive, r.IntN(3) == 0)
		even.scores = append(even.scores, float64(r.Float32()))
		weighted.weights = append(weighted.weights, r.Float64())
	}
	weighted.positive, weighted.scores = even.positive, even.scores
	for name, s := range map[string]*sample{"even": even, "weighted": weighted} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			size := 0
			for b.Loop() {
				whole := NewHistogram(4096)
				for part := range slices.Chunk(s.rows(), rows) {
					sent := folded(4096, s, part).Append(nil)
					size += len(sent)
					received := new(Histogram)
					received.Decode(wire.NewDecoder(sent))
					require.NoError(b, merge(whole, received))
				}
				whole.Bounds()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*parts*rows), "ns/row")
			b.ReportMetric(float64(size)/float64(b.N*parts*rows), "B/row")
		})
	}
}

// BenchmarkMergeEncoded decodes and merges the histograms of a fold of 30 nights.
func BenchmarkMergeEncoded(b *testing.B) {
	for _, bound := range []int{512, 4096} {
		b.Run(fmt.Sprint(bound), func(b *testing.B) {
			var nights [][]byte
			for night := range 30 {
				r := rand.New(rand.NewPCG(uint64(night), 1))
				h := NewEvenHistogram(bound)
				for range 20_000 {
					x := r.Float64()
					h.Add(x, r.Float64() < x, 1)
				}
				nights = append(nights, h.Append(nil))
			}
			b.ReportAllocs()
			for b.Loop() {
				sum := new(Histogram)
				for _, data := range nights {
					h := new(Histogram)
					h.Decode(wire.NewDecoder(data))
					if err := sum.Merge(h); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
