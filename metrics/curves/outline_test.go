package curves

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func outlined(points []Point, totals Totals, m int) *Outline {
	o := NewOutline(totals, m)
	o.Add(movingOf(Point{}, points))
	return o
}

// rocArea and prArea are of the trapezoids between points.
func rocArea(list []ROCPoint) float64 {
	sum := 0.0
	for i := 1; i < len(list); i++ {
		sum += (list[i].FPR - list[i-1].FPR) * (list[i].TPR + list[i-1].TPR) / 2
	}
	return sum
}

func prArea(list []PRPoint) float64 {
	sum := 0.0
	for i := 1; i < len(list); i++ {
		sum += (list[i].Recall - list[i-1].Recall) * (list[i].Precision + list[i-1].Precision) / 2
	}
	return sum
}

func TestDrawingsKeepTheArea(t *testing.T) {
	for seed := range uint64(150) {
		r := source(seed)
		points, totals := drawCurve(r, 1+r.IntN(4000))
		a := accumulated(points, totals)
		for _, m := range []int{1, 2, 3, 10, 100} {
			o := outlined(points, totals, m)
			if totals.Negatives > 0 && totals.Positives > 0 {
				roc := o.ROC()
				require.LessOrEqual(t, len(roc), 4*m+2)
				require.InDelta(t, a.Area(ROCAUC).Number, rocArea(roc), 1/float64(2*m)+1e-12)
				require.Equal(t, ROCPoint{0, 0, math.Inf(1)}, roc[0])
				require.Equal(t, ROCPoint{1, 1, 1}, roc[len(roc)-1])
			}
			if totals.Positives > 0 {
				pr := o.PR()
				require.LessOrEqual(t, len(pr), 4*m+2)
				require.InDelta(t, a.Area(PRAUC).Number, prArea(pr), 5/float64(m)+1e-12)
				require.Equal(t, PRPoint{0, 1, math.Inf(1)}, pr[0])
				require.Equal(t, 1.0, pr[len(pr)-1].Recall)
			}
		}
		all := outlined(points, totals, 1<<30)
		if totals.Negatives > 0 && totals.Positives > 0 {
			require.InDelta(t, a.Area(ROCAUC).Number, rocArea(all.ROC()), 1e-9)
		}
	}
}

// TestDrawingsKeepBothSidesOfALine looks at every point and its neighbours.
func TestDrawingsKeepBothSidesOfALine(t *testing.T) {
	for seed := range uint64(100) {
		r := source(seed)
		points, totals := drawCurve(r, 2+r.IntN(500))
		if totals.Positives == 0 || totals.Negatives == 0 {
			continue
		}
		o := outlined(points, totals, 1+r.IntN(20))
		kept := func(cellOf func(Point) square) (thresholds []float64) {
			thresholds = append(thresholds, math.Inf(1))
			for i, p := range points {
				if i == len(points)-1 || cellOf(p) != cellOf(before(points, i)) || cellOf(p) != cellOf(points[i+1]) {
					thresholds = append(thresholds, p.Score)
				}
			}
			return thresholds
		}
		var roc, pr []float64
		for _, p := range o.ROC() {
			roc = append(roc, p.Threshold)
		}
		for _, p := range o.PR() {
			pr = append(pr, p.Threshold)
		}
		require.Equal(t, kept(o.rocSquare), roc)
		require.Equal(t, kept(o.prSquare), pr)
	}
}

func TestCutsDoNotMatterToDrawings(t *testing.T) {
	for seed := range uint64(300) {
		r := source(seed)
		points, totals := drawCurve(r, r.IntN(300))
		m := 1 + r.IntN(30)
		whole := outlined(points, totals, m)
		ends := cuts(r, len(points))
		merged := new(Outline)
		for _, i := range r.Perm(len(ends) - 1) {
			part := NewOutline(totals, m)
			part.MoveTo(before(points, ends[i]))
			part.Add(movingOf(before(points, ends[i]), points[ends[i]:ends[i+1]]))
			switch r.IntN(3) {
			case 0:
				part = throughBytes(t, part)
			case 1: // twice the same points are the same points
				require.NoError(t, merge(merged, part))
			}
			require.NoError(t, merge(merged, part))
		}
		require.Equal(t, whole.ROC(), merged.ROC())
		require.Equal(t, whole.PR(), merged.PR())
		require.NoError(t, merge(merged, new(Outline)))
		require.Equal(t, encode(merged), encode(throughBytes(t, merged)))
	}
}

// TestRangesOfOneOutline gives several ranges, in any order, to one outline.
func TestRangesOfOneOutline(t *testing.T) {
	points, totals := drawCurve(source(3), 500)
	whole := outlined(points, totals, 10)
	o := NewOutline(totals, 10)
	for _, i := range []int{2, 0, 4, 1, 3} {
		o.MoveTo(before(points, 100*i))
		o.Add(movingOf(before(points, 100*i), points[100*i:100*(i+1)]))
	}
	require.Equal(t, whole.ROC(), o.ROC())
	require.Equal(t, whole.PR(), o.PR())
}

// TestSpans: spans have all examples, follow each other, do not depend on cuts, and are tied where they say so.
func TestSpans(t *testing.T) {
	for seed := range uint64(150) {
		r := source(seed)
		points, totals := drawCurve(r, 1+r.IntN(400))
		whole := outlined(points, totals, 1+r.IntN(40))
		spans := whole.Spans()
		if totals.Positives == 0 || totals.Negatives == 0 {
			require.Empty(t, spans)
			continue
		}
		cut := NewOutline(totals, whole.lines)
		moving, at := movingOf(Point{}, points), r.IntN(len(points))
		at = min(at, len(moving))
		cut.Add(moving[:at])
		if at > 0 {
			cut.MoveTo(moving[at-1])
		}
		cut.Add(moving[at:])
		require.Equal(t, spans, cut.Spans())
		high, tp, fp := math.Inf(1), 0.0, 0.0
		for _, s := range spans {
			require.Equal(t, high, s.High)
			require.Less(t, s.Low, high)
			within := 0
			for _, p := range moving {
				if p.Score >= s.Low && p.Score < s.High {
					within++
				}
			}
			require.GreaterOrEqual(t, within, 1)
			require.True(t, !s.Tied || within == 1)
			high, tp, fp = s.Low, tp+s.Positives, fp+s.Negatives
		}
		require.InDelta(t, totals.Positives, tp, 1e-9*totals.Positives)
		require.InDelta(t, totals.Negatives, fp, 1e-9*totals.Negatives)
	}
}

func TestDrawingsOfOneClass(t *testing.T) {
	o := outlined([]Point{{2, 1, 0}, {1, 2, 0}}, Totals{2, 0}, 5)
	require.Nil(t, o.ROC())
	require.Equal(t, []PRPoint{{0, 1, math.Inf(1)}, {0.5, 1, 2}, {1, 1, 1}}, o.PR())
	o = outlined([]Point{{2, 0, 1}, {1, 0, 2}}, Totals{0, 2}, 5)
	require.Nil(t, o.ROC())
	require.Nil(t, o.PR())
}

func TestMergingOtherOutlinesIsRefused(t *testing.T) {
	require.ErrorIs(t, merge(NewOutline(Totals{1, 1}, 5), NewOutline(Totals{1, 2}, 5)), errDifferent)
	require.ErrorIs(t, merge(NewOutline(Totals{1, 1}, 5), NewOutline(Totals{1, 1}, 6)), errDifferent)
}

func BenchmarkOutline(b *testing.B) {
	points, totals := drawCurve(source(1), 1<<16)
	for b.Loop() {
		outlined(points, totals, 500)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(points)), "ns/point")
}

// TestOutlinesThroughBytes keeps every bit of scores and weights, whatever their kinds, and takes
// little room for scores that were float32 and for counts.
func TestOutlinesThroughBytes(t *testing.T) {
	r := source(5)
	for name, draw := range map[string]struct {
		score, weight func() float64
		most          int // bytes a point
	}{
		"float32 and counts":  {func() float64 { return float64(float32(r.Float64())) }, func() float64 { return float64(r.IntN(9)) }, 7},
		"float64 and counts":  {r.NormFloat64, func() float64 { return float64(r.IntN(9)) }, 12},
		"float32 and weights": {func() float64 { return float64(float32(r.Float64())) }, r.Float64, 21},
		"far apart":           {func() float64 { return math.Ldexp(r.NormFloat64(), r.IntN(2000)-1000) }, func() float64 { return math.Ldexp(1, r.IntN(90)) }, 26},
		"infinite":            {func() float64 { return math.Inf(1 - 2*r.IntN(2)) }, func() float64 { return 1 }, 13},
	} {
		o := NewOutline(Totals{1e300, 1e300}, 9)
		var p Point
		for range 2000 {
			o.kept = append(o.kept, Point{Score: draw.score()})
		}
		o.tidy()
		for i := range o.kept {
			p.TP, p.FP = p.TP+draw.weight(), p.FP+draw.weight()
			o.kept[i].TP, o.kept[i].FP = p.TP, p.FP
		}
		got := throughBytes(t, o)
		require.Equal(t, o.kept, got.kept, name)
		require.LessOrEqual(t, len(encode(o)), 40+draw.most*len(o.kept), name)
	}
}
