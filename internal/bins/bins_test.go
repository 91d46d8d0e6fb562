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

// mapping divides the numbers from least to most into bins, the last of which is last.
type mapping struct {
	least, most float64
	last        int
	of          func(float64) int
	edges       func(bin int) (from, to float64)
}

func scaled(s Scale, least, most float64) mapping {
	return mapping{least, most, Number - 1, s.Of, s.Edges}
}

func byOctave(o Octaves) mapping {
	of := func(x float64) int { return int(o.Of(math.Float64bits(x))) }
	return mapping{0, math.Inf(1), of(math.Inf(1)), of, func(bin int) (from, to float64) { return o.From(uint64(bin)), o.From(uint64(bin + 1)) }}
}

// TestLaws: a number is between the edges of its bin, greater numbers are in no lower bins, and each bin has its lower
// edge and its middle, but not the number below its lower edge.
func TestLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	extremes := []float64{0, 5e-324, 0x1p-1022, math.MaxFloat64, math.Inf(1)}
	for _, x := range extremes {
		extremes = append(extremes, -x)
	}
	for name, m := range map[string]mapping{
		"unit": scaled(Unit, 0, 1), "real": scaled(Real, math.Inf(-1), math.Inf(1)),
		"halves": byOctave(halves), "from 0": byOctave(Octaves{Fine: 6}), "finest": byOctave(Octaves{Fine: 7, Lowest: 0x1p-6}),
	} {
		numbers := slices.Clone(extremes)
		for range 10_000 {
			numbers = append(numbers, r.Float64(), 3*r.NormFloat64(), math.Ldexp(r.NormFloat64(), r.IntN(2100)-1050))
		}
		numbers = slices.DeleteFunc(numbers, func(x float64) bool { return x < m.least || x > m.most })
		slices.Sort(numbers)
		before := 0
		for _, x := range numbers {
			bin := m.of(x + 0)
			from, to := m.edges(bin)
			if bin < before || bin > m.last || x < from || x >= to && x != m.most && !math.IsInf(x, -1) {
				t.Fatalf("%s: %v is in bin %d from %v to %v, after bin %d", name, x, bin, from, to, before)
			}
			before = bin
		}
		for bin := range m.last + 1 {
			from, to := m.edges(bin)
			if math.IsInf(from, 0) {
				continue
			}
			if below := math.Nextafter(from, math.Inf(-1)); m.of(from) != bin || from > m.least && m.of(below) != bin-1 {
				t.Fatalf("%s: bin %d begins at %v, which is in bin %d, and %v in bin %d", name, bin, from, m.of(from), below, m.of(below))
			}
			if middle := from + (to-from)/2; middle < m.most && m.of(middle) != bin {
				t.Fatalf("%s: bin %d has the middle %v, which is in bin %d", name, bin, middle, m.of(middle))
			}
		}
	}
	require.Equal(t, Real.Of(0), Real.Of(math.Copysign(0, -1)))
}

// TestWidth: where octaves have bins of their own, a bin is as narrow as Octaves promises.
func TestWidth(t *testing.T) {
	for _, o := range []Octaves{halves, {Fine: 6}, {Fine: 7, Lowest: 0x1p-6}} {
		for bin := o.Of(math.Float64bits(max(o.Lowest, 0x1p-1022))); bin < o.Of(math.Float64bits(math.Inf(1)))-1; bin++ {
			from, to := o.From(bin), o.From(bin+1)
			if width := math.Ldexp(1, math.Ilogb(from)-int(o.Fine)); to-from != width {
				t.Fatalf("bin %d from %v to %v is not as wide as %v", bin, from, to, width)
			}
		}
	}
}

// TestPlacesKeepTheOrder: places are in the order of scores, and AtPlace returns a score near the
// place.
func TestPlacesKeepTheOrder(t *testing.T) {
	scores := []float64{math.Inf(-1), -math.MaxFloat64, -2, -1, -1 + 0x1p-53, -0.5, -1e-30, 0, 5e-324, 1e-60, 1e-30, 0.5, 1 - 0x1p-53, 1, 2, math.MaxFloat64, math.Inf(1)}
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		scores = append(scores, r.NormFloat64()*math.Pow(10, r.Float64()*200-190))
	}
	slices.Sort(scores)
	last := uint64(0)
	for _, s := range scores {
		at := Place(s)
		require.GreaterOrEqual(t, at, last)
		require.InDelta(t, float64(at), float64(Place(AtPlace(at))), 0x1p12, s)
		last = at
	}
	for range 1000 {
		require.False(t, math.IsNaN(AtPlace(r.Uint64())))
	}
	require.False(t, math.Signbit(AtPlace(1<<63-1)))
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
