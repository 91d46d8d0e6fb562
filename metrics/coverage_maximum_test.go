package metrics

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/simulation"
)

// scoredOf is an example with a score and a group.
type scoredOf struct {
	score    float64
	positive bool
	group    int
}

// drawScored draws examples; the mean score of positives is 1.5 standard deviations higher.
func drawScored(r *rand.Rand, n int, prevalence float64) []scoredOf {
	return fill(n, func() scoredOf {
		e := scoredOf{r.NormFloat64(), r.Float64() < prevalence, r.IntN(groupsDrawn)}
		e.score += 1.5 * float64(oneIf(e.positive))
		return e
	})
}

// trueMaxF1 is the max_f1 of what drawScored draws from.
func trueMaxF1(prevalence float64) (most float64) {
	above := func(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }
	for t := -3.0; t < 5; t += 1e-4 {
		tp, fp := prevalence*above(t-1.5), (1-prevalence)*above(t)
		most = max(most, 2*tp/(tp+fp+prevalence))
	}
	return most
}

// maxF1 returns max_f1 of all examples, and of all examples without each group. No two scores are
// equal.
func maxF1(list []scoredOf) (all Result, without [][]Result) {
	slices.SortFunc(list, func(a, b scoredOf) int { return cmp.Compare(b.score, a.score) })
	var positives, tp, fp [groupsDrawn + 1]float64 // of groups, and last of all
	for _, e := range list {
		positives[e.group] += float64(oneIf(e.positive))
		positives[groupsDrawn] += float64(oneIf(e.positive))
	}
	var most [groupsDrawn + 1]float64
	for _, e := range list {
		if !e.positive {
			fp[e.group]++
			fp[groupsDrawn]++
			continue
		}
		tp[e.group]++
		tp[groupsDrawn]++
		f1 := func(tp, fp, positives float64) float64 { return 2 * tp / (tp + fp + positives) }
		for g := range groupsDrawn {
			most[g] = max(most[g], f1(tp[groupsDrawn]-tp[g], fp[groupsDrawn]-fp[g], positives[groupsDrawn]-positives[g]))
		}
		most[groupsDrawn] = max(most[groupsDrawn], f1(tp[groupsDrawn], fp[groupsDrawn], positives[groupsDrawn]))
	}
	result := func(x float64) Result { return Result{"max_f1", -1, defined(x), int64(len(list))} }
	for _, x := range most[:groupsDrawn] {
		without = append(without, []Result{result(x)})
	}
	return result(most[groupsDrawn]), without
}

// The maximum over thresholds of a sample is too high. Less its bias, its interval covers the true
// value as often as others, and not much more often on the side that flatters.
func TestSimulatedCoverageOfMaximum(t *testing.T) {
	t.Parallel()
	p := &Params{Task: Binary, Metrics: []string{"max_f1"}, Scores: true, Curves: ExactCurves}
	r := source(31)
	list := drawScored(r, 300, 0.3)
	b := &Batch{Rows: len(list), Labels: 1}
	for _, e := range list {
		b.Class, b.Score = append(b.Class, int32(oneIf(e.positive))), append(b.Score, e.score)
	}
	want, _ := maxF1(list)
	require.InEpsilon(t, want.Number, results(t, p, collected(t, r, p, finish(b, Binary)), Options{})[key{"max_f1", -1}].Number, 1e-12)
	for _, prevalence := range []float64{0.05, 0.3} {
		truth := trueMaxF1(prevalence)
		for _, n := range []int{500, 2000, 10000} {
			c := hits{}
			for range simulation.Draws(trials) {
				all, without := maxF1(drawScored(r, n, prevalence))
				v := p.Intervals(IntervalOptions{Level: 0.95}, []Result{all}, without)[0]
				require.Empty(t, v.NoInterval)
				c["covered"] += oneIf(v.Low <= truth && truth <= v.High)
				c["too high"] += oneIf(truth < v.Low)
			}
			t.Logf("max_f1 of %d examples, %v of them positive:", n, prevalence)
			require.InDelta(t, 95, c.percent(t, "covered", ""), 2+slackOf(0.95))
			require.LessOrEqual(t, c.percent(t, "too high", ""), 6+slackOf(0.05))
		}
	}
}

// TestBiasOfTheSameBins: replicates from coarser bins than the value's do not measure its bias; the
// value from the same coarse bins must be compared with them.
func TestBiasOfTheSameBins(t *testing.T) {
	p := &Params{Task: Binary, Metrics: []string{"max_f1"}, Scores: true, Curves: BoundedCurves}
	all, without := maxF1(drawScored(source(32), 1000, 0.3))
	want := p.Intervals(IntervalOptions{Level: 0.95}, []Result{all}, without)[0]
	coarse := all
	coarse.Number -= 0x1p-8
	for i := range without {
		without[i][0].Number -= 0x1p-8
	}
	p.Align([]Result{all}, []Result{coarse}, without)
	got := p.Intervals(IntervalOptions{Level: 0.95}, []Result{all}, without)[0]
	require.InEpsilon(t, want.Low, got.Low, 1e-9)
	require.InEpsilon(t, want.High, got.High, 1e-9)
	p.Align([]Result{all}, []Result{{Value: defined(all.Number - 1)}}, without)
	require.Equal(t, 1.0, without[0][0].Number, "replicates stay within the range of the metric")
}
