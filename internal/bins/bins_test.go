package bins

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// edges returns the edges of a scale, in order.
func edges(s Scale) []float64 {
	list := make([]float64, 0, Number+1)
	for bin := range Number {
		from, to := s.Edges(bin)
		if bin == 0 {
			list = append(list, from)
		}
		list = append(list, to)
	}
	return list
}

func TestEdges(t *testing.T) {
	unit := edges(Unit)
	require.Len(t, unit, 65)
	for i, edge := range unit {
		require.Equal(t, math.Ldexp(float64(i), -6), edge)
	}
	var half []float64
	for k := -5; k <= 9; k++ {
		half = append(half, math.Ldexp(1, k), math.Ldexp(1.5, k))
	}
	require.Len(t, half, 30)
	want := []float64{math.Inf(-1), math.Inf(-1)}
	for _, edge := range slices.Backward(half) {
		want = append(want, -edge)
	}
	want = append(append(append(want, 0), half...), math.Inf(1), math.Inf(1))
	require.Equal(t, want, edges(Real))
}

// Each number is in the bin between whose edges it is, also next to an edge.
func TestNumbersAreBetweenEdges(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, s := range []Scale{Unit, Real} {
		var numbers []float64
		for _, edge := range edges(s) {
			numbers = append(numbers, edge, math.Nextafter(edge, math.Inf(-1)), math.Nextafter(edge, math.Inf(1)))
		}
		numbers = append(numbers, math.Copysign(0, -1), 5e-324, -5e-324, math.MaxFloat64, -math.MaxFloat64)
		for range 10_000 {
			numbers = append(numbers, r.Float64(), 3*r.NormFloat64(), math.Ldexp(r.NormFloat64(), r.IntN(2100)-1050))
		}
		met := map[int]bool{}
		for _, x := range numbers {
			if s == Unit && !(x >= 0 && x <= 1) {
				continue
			}
			bin := s.Of(x)
			met[bin] = true
			from, to := s.Edges(bin)
			switch {
			case math.IsInf(x, 0):
				require.Equal(t, []float64{x, x}, []float64{from, to})
			case s == Unit && x == 1:
				require.Equal(t, Number-1, bin)
			default:
				require.True(t, x >= from && x < to, "%v is in bin %d from %v to %v", x, bin, from, to)
				require.NotEqual(t, from, to, "%v", x)
			}
		}
		require.Len(t, met, Number)
	}
}

func BenchmarkOf(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	numbers := make([]float64, 4096)
	for i := range numbers {
		numbers[i] = 3 * r.NormFloat64()
	}
	sum := 0
	for i := 0; b.Loop(); i++ {
		sum += Real.Of(numbers[i%len(numbers)])
	}
	b.Log(sum)
}

// TestGolden compares with numpy.histogram, whose bins are half open as well, except for the last.
func TestGolden(t *testing.T) {
	data, err := os.ReadFile("testdata/histograms.json") // written by histograms.py
	require.NoError(t, err)
	var golden struct {
		Cases []struct {
			Scale           string
			Numbers, Edges  []string
			Counts          []int
			MinusInfinities int `json:"minus_infinities"`
			Infinities      int
		}
	}
	require.NoError(t, json.Unmarshal(data, &golden))
	require.Len(t, golden.Cases, 2)
	parse := func(text string) float64 {
		x, err := strconv.ParseFloat(text, 64)
		require.NoError(t, err)
		return x
	}
	for _, c := range golden.Cases {
		s, want := Unit, c.Counts
		if c.Scale == "real" {
			s, want = Real, slices.Concat([]int{c.MinusInfinities}, c.Counts, []int{c.Infinities})
			for bin := 2; bin < Number-1; bin++ {
				from, _ := s.Edges(bin)
				require.Equal(t, parse(c.Edges[bin-1]), from)
			}
		}
		counts := make([]int, Number)
		for _, text := range c.Numbers {
			counts[s.Of(parse(text))]++
		}
		require.Equal(t, want, counts, c.Scale)
	}
}

// TestDocsHaveEdges: docs/histograms.md lists the edges of the scale Real above 0.
func TestDocsHaveEdges(t *testing.T) {
	page, err := os.ReadFile("../../docs/histograms.md")
	require.NoError(t, err)
	_, list, found := strings.Cut(string(page), "<!-- edges -->\n\n    ")
	require.True(t, found)
	list, _, _ = strings.Cut(list, "\n")
	var want []string
	for _, edge := range edges(Real) {
		if edge > 0 && !math.IsInf(edge, 1) {
			want = append(want, strconv.FormatFloat(edge, 'g', -1, 64))
		}
	}
	require.Equal(t, strings.Join(want, " "), list)
}
