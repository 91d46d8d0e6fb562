package raters

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics/internal/fields"
)

// none is a missing rating.
var none = math.NaN()

// canonical are the data of Krippendorff (2011), "Computing Krippendorff's alpha-reliability": four raters, twelve examples.
var canonical = [][]float64{
	{1, 2, 3, 3, 2, 1, 4, 1, 2, none, none, none},
	{1, 2, 3, 3, 2, 2, 4, 1, 2, 5, none, 3},
	{none, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, none},
	{1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, none},
}

// tabulate adds the ratings of raters, a list of each.
func tabulate(limit int, byRater [][]float64) (*Table, *Pairs) {
	t, pairs := NewTable(limit), NewPairs(len(byRater), limit)
	for example := range byRater[0] {
		addTo(t, pairs, byRater, example)
	}
	return t, pairs
}

func addTo(t *Table, pairs *Pairs, byRater [][]float64, example int) {
	var ratings []float64
	var by []int32
	for rater := range byRater {
		if x := byRater[rater][example]; !math.IsNaN(x) {
			ratings, by = append(ratings, x), append(by, int32(rater))
		}
	}
	t.Add(1, ratings, by)
	pairs.Add(1, ratings, by)
}

func defined(t *testing.T) func(x float64, why string) float64 {
	return func(x float64, why string) float64 {
		require.Empty(t, why)
		return x
	}
}

func TestAlphaOfCanonicalData(t *testing.T) {
	table, _ := tabulate(1000, canonical)
	is := defined(t)
	require.InDelta(t, 0.743421, is(table.Alpha(Nominal, "")), 5e-7)
	require.InDelta(t, 0.815388, is(table.Alpha(Ordinal, "")), 5e-7)
	require.InDelta(t, 0.849107, is(table.AlphaOfIntervals()), 5e-7)
	require.InDelta(t, 0.797403, is(table.Alpha(Ratio, "")), 5e-7)
	require.EqualValues(t, 41, table.Ratings())
	require.EqualValues(t, 1, table.Single())
	_, why := table.FleissKappa("")
	require.Equal(t, "examples have 1 to 4 ratings, and must have equally many", why)
}

// TestUndefined: what cannot be computed says why.
func TestUndefined(t *testing.T) {
	few := func(byRater ...[]float64) *Table { table, _ := tabulate(3, byRater); return table }
	for _, c := range []struct {
		table *Table
		why   string
	}{
		{few([]float64{none, none}), NoRatings},
		{few([]float64{1, 2, 3}), NoneTwice},
		{few([]float64{1, 2, none}, []float64{none, none, 3}), NoneTwice},
		{few([]float64{2, 2}, []float64{2, 2}), AllEqual},
		{few([]float64{1, 2}, []float64{3, 4}), "more than 3 different ratings: do this"},
	} {
		over := ": do this"
		for _, level := range []Level{Nominal, Ordinal, Ratio} {
			_, why := c.table.Alpha(level, over)
			require.Equal(t, c.why, why)
		}
		for _, weights := range []Weights{Identity, Quadratic, Linear} {
			_, why := c.table.Gwet(weights, over)
			require.Equal(t, c.why, why)
		}
		_, why := c.table.FleissKappa(over)
		if c.why != NoneTwice {
			require.Equal(t, c.why, why)
		}
		if _, why := c.table.AlphaOfIntervals(); c.table.values.over {
			require.Empty(t, why, "moments need no values")
		} else {
			require.Equal(t, c.why, why)
		}
	}
	_, why := few([]float64{-1, 2}, []float64{1, 2}).Alpha(Ratio, "")
	require.Equal(t, noRatio, why)
	_, why = few([]float64{-1e300, 1e300}, []float64{1e300, -1e300}).AlphaOfIntervals()
	require.Equal(t, TooLarge, why)
}

// TestLimitOfValues: whether there are too many values does not depend on the order, and 2,000 values have an interval α alone.
func TestLimitOfValues(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	byRater := make([][]float64, 2)
	for i := range 2000 {
		byRater[0], byRater[1] = append(byRater[0], float64(i)), append(byRater[1], float64(i)+r.NormFloat64())
	}
	all, pairs := tabulate(1000, byRater)
	parts := [2]*Table{NewTable(1000), NewTable(1000)}
	for i := range byRater[0] {
		addTo(parts[r.IntN(2)], NewPairs(2, 1000), byRater, i)
	}
	fields.Merge(parts[1], parts[0])
	for _, table := range []*Table{all, parts[1]} {
		alpha := defined(t)(table.AlphaOfIntervals())
		require.InDelta(t, 1, alpha, 1e-4)
		_, why := table.Alpha(Ordinal, "")
		require.Equal(t, "more than 1000 different ratings", why)
	}
	require.Equal(t, "more than 1000 different ratings", pairs.All("")[0].Undefined)
	large, _ := tabulate(4000, byRater)
	require.InDelta(t, defined(t)(large.AlphaOfIntervals()), defined(t)(large.Alpha(Ordinal, "")), 1e-4)
}

// TestPairs compares κ with counts by hand.
func TestPairs(t *testing.T) {
	_, pairs := tabulate(10, [][]float64{
		{1, 1, 2, 2, 1, none},
		{1, 2, 2, 2, none, 1},
		{none, none, none, none, none, 1},
	})
	list := pairs.All("")
	require.Len(t, list, 2)
	require.Equal(t, Pair{A: 0, B: 1, Examples: 4, Agreement: 0.75, Kappa: 0.5, weight: 4, chance: 0.5}, list[0])
	require.Equal(t, AllEqual, list[1].Undefined)
	mean, without, why := MeanKappa(list)
	require.Equal(t, 0.5, mean)
	require.Equal(t, 1, without)
	require.Empty(t, why)
	kappa, why := KappaOf(1, list)
	require.Empty(t, why)
	require.InDelta(t, (0.8-0.6)/(1-0.6), kappa, 1e-15)
	_, why = KappaOf(2, list)
	require.Equal(t, AllEqual, why)
}
