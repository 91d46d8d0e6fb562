package isotonic

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/curves"
	"github.com/beameval/beameval/metrics/internal/fields"
)

func encoded(t testing.TB, f *Fit) []byte {
	data, err := wire.Encode(f, func(c *wire.Coder, f *Fit) { f.Fields(fields.Coding(c), f) })
	require.NoError(t, err)
	return data
}

func decode(data []byte) (f Fit, err error) {
	return f, wire.Decode(data, &f, func(c *wire.Coder, f *Fit) { f.Fields(fields.Coding(c), f) })
}

// The weights of one more score: its positives and its negatives.
var weights = map[string]func(r *rand.Rand) (float64, float64){
	"rows":   func(r *rand.Rand) (float64, float64) { y := float64(r.IntN(2)); return y, 1 - y },
	"counts": func(r *rand.Rand) (float64, float64) { return float64(r.IntN(3)), float64(r.IntN(3)) },
	"any":    func(r *rand.Rand) (float64, float64) { return r.Float64(), r.Float64() },
	"wild": func(r *rand.Rand) (float64, float64) {
		return math.Ldexp(1, r.IntN(900)-500), float64(r.IntN(2)) * math.Ldexp(1, r.IntN(900)-500)
	},
	"equal shares": func(r *rand.Rand) (float64, float64) { x := r.Float64(); return x, 2 * x },
	"shares that fall": func(r *rand.Rand) (float64, float64) { // so that each score is a block
		return 1 + r.Float64(), 0.5
	},
}

// curve returns n points of a curve.
func curve(r *rand.Rand, n int, draw func(*rand.Rand) (float64, float64)) (points []curves.Point) {
	var at curves.Point
	for i := range n {
		tp, fp := draw(r)
		next := curves.Point{Score: float64(n - i), TP: at.TP + tp, FP: at.FP + fp}
		if next.TP != at.TP || next.FP != at.FP {
			points, at = append(points, next), next
		}
	}
	return points
}

// TestPartsInAnyOrder: the bits of a fit do not depend on how the points were divided, nor on the order
// of merging, whether or not the limit is exceeded.
func TestPartsInAnyOrder(t *testing.T) {
	for name, draw := range weights {
		for seed := range uint64(200) {
			r := rand.New(rand.NewPCG(seed, 1))
			points := curve(r, r.IntN(60), draw)
			limit, ones := 1+r.IntN(70), name == "rows"
			whole := New(limit)
			whole.Add(points)
			whole.Bound(ones)
			var parts []Fit
			for from := 0; from < len(points); {
				to := from + 1 + r.IntN(len(points)-from)
				part := New(limit)
				part.Add(points[from:to])
				part.Bound(ones)
				back, err := decode(encoded(t, &part))
				require.NoError(t, err, name)
				parts, from = append(parts, back), to
			}
			for len(parts) > 1 {
				i := r.IntN(len(parts))
				part := parts[i]
				parts = slices.Delete(parts, i, i+1)
				to := &parts[r.IntN(len(parts))]
				fields.Merge(to, &part)
				to.Bound(ones)
			}
			if len(parts) == 0 {
				parts = []Fit{New(limit)}
			}
			require.Equal(t, encoded(t, &whole), encoded(t, &parts[0]), "%s %d", name, seed)
			if !ones {
				require.LessOrEqual(t, len(whole.Blocks()), limit+1, name)
			}
		}
	}
}

// TestBound: the blocks that the limit joins change the squared error by at most a quarter of the square
// of a part of [0, 1].
func TestBound(t *testing.T) {
	for name, draw := range weights {
		r := rand.New(rand.NewPCG(1, 2))
		points := curve(r, 3000, draw)
		exactly, bounded := New(3000), New(100)
		exactly.Add(points)
		bounded.Add(points)
		bounded.Bound(false)
		last := points[len(points)-1]
		change := (bounded.SquaredErrors() - exactly.SquaredErrors()) / (last.TP + last.FP)
		require.GreaterOrEqual(t, change, -1e-15, name)
		require.LessOrEqual(t, change, 1e-4/4, name)
	}
}

// TestMostBlocks: blocks of rows of weight 1 are fewer than 1.5 n^⅔. A curve of all different slopes, the
// shortest first, has the most.
func TestMostBlocks(t *testing.T) {
	for size := 2; size < 200; size *= 2 {
		var sides []curves.Point
		for tp := range size {
			for fp := range size - tp {
				if gcd(tp, fp) == 1 {
					sides = append(sides, curves.Point{TP: float64(tp), FP: float64(fp)})
				}
			}
		}
		slices.SortFunc(sides, func(a, b curves.Point) int { return -int(math.Copysign(1, a.TP*b.FP-b.TP*a.FP)) })
		var f Fit
		var at curves.Point
		for i, side := range sides {
			at = curves.Point{Score: -float64(i), TP: at.TP + side.TP, FP: at.FP + side.FP}
			f.Add([]curves.Point{at})
		}
		require.Len(t, f.Blocks(), len(sides))
		require.Less(t, float64(len(sides)), 1.5*math.Pow(at.TP+at.FP, 2./3))
	}
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func TestDecodingRefusesWhatNoFitIs(t *testing.T) {
	of := func(points int64, vertices ...curves.Point) []byte {
		return encoded(t, &Fit{limit: 10, points: points, vertices: vertices})
	}
	_, err := decode(of(2, curves.Point{Score: 2, TP: 2, FP: 1}, curves.Point{Score: 1, TP: 3, FP: 3}))
	require.NoError(t, err)
	for name, data := range map[string][]byte{
		"more vertices than points": of(1, curves.Point{Score: 2, TP: 2, FP: 1}, curves.Point{Score: 1, TP: 3, FP: 3}),
		"no vertices":               of(1),
		"no majorant":               of(2, curves.Point{Score: 2, TP: 1, FP: 2}, curves.Point{Score: 1, TP: 3, FP: 3}),
		"one line":                  of(2, curves.Point{Score: 2, TP: 1, FP: 1}, curves.Point{Score: 1, TP: 3, FP: 3}),
		"falling":                   of(2, curves.Point{Score: 2, TP: 2, FP: 1}, curves.Point{Score: 1, TP: 1, FP: 3}),
		"a point twice":             of(2, curves.Point{Score: 2, TP: 2, FP: 1}, curves.Point{Score: 1, TP: 2, FP: 1}),
		"rising scores":             of(2, curves.Point{Score: 1, TP: 2, FP: 1}, curves.Point{Score: 2, TP: 3, FP: 3}),
		"infinite weights":          of(1, curves.Point{Score: 1, TP: math.Inf(1), FP: 1}),
		"no score":                  of(1, curves.Point{Score: math.NaN(), TP: 1, FP: 1}),
	} {
		_, err := decode(data)
		require.ErrorContains(t, err, "isotonic fit", name)
	}
}

func FuzzDecode(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, name := range []string{"rows", "any", "wild"} {
		fit := New(5)
		fit.Add(curve(r, 20, weights[name]))
		f.Add(encoded(f, &fit))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		fit, err := decode(data)
		if err != nil {
			return
		}
		require.Equal(t, data, encoded(t, &fit))
		fit.SquaredErrors()
		other := New(1)
		fields.Merge(&other, &fit)
		other.Bound(false)
		other.LogLosses()
	})
}

func BenchmarkAdd(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, name := range []string{"rows", "counts", "any"} {
		var at curves.Point
		const n = 1 << 20
		points := make([]curves.Point, n)
		for i := range points {
			tp, fp := weights[name](r)
			if name == "rows" {
				tp = float64(int(r.Float64() + float64(n-i)/n))
				fp = 1 - tp
			}
			at = curves.Point{Score: float64(n - i), TP: at.TP + tp, FP: at.FP + fp}
			points[i] = at
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				var f Fit
				f.Add(points)
				b.ReportMetric(float64(len(f.vertices)), "blocks")
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/point")
		})
	}
}
