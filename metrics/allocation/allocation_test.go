package allocation

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLaws: whatever the strata, a sample has its size, every stratum gets two rows and no more than it has, and
// nothing depends on the scale of the deviations.
func TestLaws(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		strata, rows := make([]Stratum, 1+random.IntN(12)), int64(0)
		for i := range strata {
			strata[i].Rows = Least + int64(math.Pow(10, 5*random.Float64()))
			if random.IntN(3) > 0 {
				strata[i].Deviation = math.Pow(10, 6*random.Float64()-3)
			}
			rows += strata[i].Rows
		}
		n := Least*int64(len(strata)) + random.Int64N(rows)
		counts := Allocate(n, strata)
		total, scaled := int64(0), make([]Stratum, len(strata))
		for i, s := range strata {
			require.GreaterOrEqual(t, counts[i], int64(Least))
			require.LessOrEqual(t, counts[i], s.Rows)
			total += counts[i]
			scaled[i] = Stratum{s.Rows, s.Deviation / 1024}
		}
		require.Equal(t, min(n, rows), total)
		require.Equal(t, counts, Allocate(n, scaled))
	}
}

// TestNeyman: where no bound binds, a fifth of the rows is as N, and the rest as N·S.
func TestNeyman(t *testing.T) {
	strata := []Stratum{{10_000, 0.5}, {20_000, 0.1}, {30_000, 0.3}, {40_000, 0}}
	require.Equal(t, []int64{20 + 250, 40 + 100, 60 + 450, 80}, Allocate(1000, strata))
}

// TestBounds: what a bound takes or leaves is divided among the others.
func TestBounds(t *testing.T) {
	for _, c := range []struct {
		name   string
		n      int64
		strata []Stratum
		want   []int64
	}{
		{"one stratum", 7, []Stratum{{100, 0.5}}, []int64{7}},
		{"all rows", 500, []Stratum{{100, 0.5}, {200, 0}}, []int64{100, 200}},
		{"all rows but one", 299, []Stratum{{100, 0.5}, {200, 0.5}}, []int64{100, 199}},
		{"nothing is expected to vary", 30, []Stratum{{100, 0}, {200, 0}}, []int64{10, 20}},
		{"a full stratum leaves rows to the others", 110, []Stratum{{10, 100}, {500, 1}, {500, 1}}, []int64{10, 50, 50}},
		{"nothing else is expected to vary", 110, []Stratum{{10, 1}, {500, 0}, {500, 0}}, []int64{10, 50, 50}},
		{"two rows for each", 6, []Stratum{{1000, 0.5}, {1000, 0}, {3, 0}}, []int64{2, 2, 2}},
		{"two rows take from all", 12, []Stratum{{1000, 0}, {1000, 0}, {1000, 0.5}}, []int64{2, 2, 8}},
		{"a fifth gives way to two rows", 7, []Stratum{{100_000, 0.5}, {3, 0}, {3, 0}}, []int64{3, 2, 2}},
		{"equal remainders go to the first", 10, []Stratum{{100, 1}, {100, 1}, {100, 1}}, []int64{4, 3, 3}},
	} {
		require.Equal(t, c.want, Allocate(c.n, c.strata), c.name)
	}
}

func TestMoments(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	grades := make([]float64, 1000)
	for i := range grades {
		grades[i] = 1e9 + random.Float64()
	}
	var all, first, second Moments
	for i, g := range grades {
		all.Add(g - 1e9)
		if part := &first; i%3 == 0 {
			part.Add(grades[len(grades)-1-i] - 1e9)
		} else {
			second.Add(grades[len(grades)-1-i] - 1e9)
		}
	}
	second.Merge(&first)
	got := all.Grades(1e9)
	require.Equal(t, got, second.Grades(1e9), "in another order")
	mean, squares := 0.0, 0.0
	for _, g := range grades {
		mean += (g - 1e9) / 1000
	}
	for _, g := range grades {
		squares += (g - 1e9 - mean) * (g - 1e9 - mean)
	}
	require.InDelta(t, 1e9+mean, got.Mean, 1e-6)
	require.InDelta(t, math.Sqrt(squares/1000), got.Deviation(), 1e-9)

	a, b := Grades{3, 2, 2}, Grades{2, 4.5, 0.5} // 1, 2, 3 and 4, 5
	require.Equal(t, Grades{5, 3, 10}, a.Plus(b))
	require.Equal(t, 0.5, Grades{Rows: 9, Mean: 0.5}.Accuracy())
	require.Zero(t, Grades{Rows: 9, Mean: 1}.Accuracy())
}

func TestMerge(t *testing.T) {
	at := func(group int, rows int64, mean float64) Cell { return Cell{group, Grades{Rows: rows, Mean: mean}} }
	for _, c := range []struct {
		name  string
		cells []Cell
		want  [][]int
	}{
		{"none is small", []Cell{at(0, 2, 0.1), at(0, 9, 0.2)}, [][]int{{0}, {1}}},
		{"with the nearest of its group", []Cell{at(0, 9, 0.1), at(0, 1, 0.4), at(0, 9, 0.6), at(1, 9, 0.4)}, [][]int{{0}, {1, 2}, {3}}},
		{"with another group", []Cell{at(0, 9, 0.1), at(0, 9, 0.9), at(1, 1, 0.8)}, [][]int{{0}, {1, 2}}},
		{"two small ones", []Cell{at(0, 1, 0.1), at(0, 1, 0.9), at(1, 9, 0.1)}, [][]int{{0, 1}, {2}}},
		{"a row for each group", []Cell{at(0, 1, 0.1), at(1, 1, 0.2), at(2, 1, 0.3)}, [][]int{{0, 1, 2}}},
		{"a single row", []Cell{at(0, 1, 0.1)}, [][]int{{0}}},
	} {
		require.Equal(t, c.want, Merge(c.cells), c.name)
	}
}
