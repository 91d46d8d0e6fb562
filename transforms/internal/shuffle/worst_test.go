package shuffle

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
)

// drawWorst returns examples, with many ties, of some labels.
func drawWorst(r *rand.Rand, count int) *Worst {
	w := &Worst{Count: count}
	for range r.IntN(30) {
		e := WorstExample{
			Loss: []float64{1, 2, math.Inf(1)}[r.IntN(3)], Margin: float64(r.IntN(2)), True: []string{"", "a"}[r.IntN(2)], Predicted: []string{"a", "b"}[r.IntN(2)],
			ID: []slice.Value{slice.Null(), slice.Int(3), slice.String("x")}[r.IntN(3)], Score: []float64{.5, math.NaN()}[r.IntN(2)],
			Baseline: []string{"", "b"}[r.IntN(2)], BaselineScore: []float64{0, math.NaN()}[r.IntN(2)],
			At: report.SkippedRow{File: "f", RowGroup: r.IntN(2), Row: int64(r.IntN(9))},
		}
		w.Merge(&Worst{Count: count, Lists: map[int32][]WorstExample{int32(r.IntN(3)) - 1: {e}}})
	}
	return w
}

func encodedWorst(t testing.TB, w *Worst) string {
	data, err := wire.Encode(w, worstFields)
	require.NoError(t, err)
	return string(data)
}

// TestLawsOfWorst: merging is associative and commutative, has an identity, leaves its right
// argument unchanged, and survives encoding.
func TestLawsOfWorst(t *testing.T) {
	sum := func(all ...*Worst) *Worst {
		total := new(Worst)
		for _, w := range all {
			total.Merge(w)
		}
		return total
	}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		count := 1 + r.IntN(6)
		x, y, z := drawWorst(r, count), drawWorst(r, count), drawWorst(r, count)
		before := encodedWorst(t, y)
		want := encodedWorst(t, sum(x, y, z))
		require.Equal(t, want, encodedWorst(t, sum(z, y, x)))
		require.Equal(t, want, encodedWorst(t, sum(x, sum(y, z))))
		require.Equal(t, encodedWorst(t, x), encodedWorst(t, sum(new(Worst), x)))
		require.Equal(t, before, encodedWorst(t, y))
		back := new(Worst)
		require.NoError(t, wire.Decode([]byte(before), back, worstFields))
		require.Equal(t, before, encodedWorst(t, back))
	}
}

func TestDecodeWorstErrors(t *testing.T) {
	one, two := WorstExample{Loss: 1}, WorstExample{Loss: 2}
	for why, w := range map[string]Worst{
		"20000 worst examples of a slice or label":       {Count: 20_000},
		"worst examples that are too many or not sorted": {Count: 5, Lists: map[int32][]WorstExample{0: {one, two}}},
	} {
		require.ErrorContains(t, wire.Decode([]byte(encodedUnchecked(&w)), new(Worst), worstFields), why)
	}
	w := Worst{Count: 1, Lists: map[int32][]WorstExample{0: {two, one}}}
	require.ErrorContains(t, wire.Decode([]byte(encodedUnchecked(&w)), new(Worst), worstFields), "too many")
}

func TestChangeOf(t *testing.T) {
	for _, label := range []int32{AllLabels, 0, 1, 7, 999_999} {
		for _, improved := range []bool{false, true} {
			back, is := OfChange(ChangeOf(label, improved))
			require.Equal(t, label, back)
			require.Equal(t, improved, is)
		}
	}
}

// encodedUnchecked encodes what worstFields refuses.
func encodedUnchecked(w *Worst) []byte {
	data, _ := wire.Encode(w, func(c *wire.Coder, w *Worst) {
		wire.Int(c, &w.Count)
		wire.Map(c, &w.Lists, wire.Int, func(c *wire.Coder, list *[]WorstExample) { wire.List(c, list, worstExampleFields) })
	})
	return data
}

// FuzzWorst: arbitrary bytes are an error or examples that can be merged, and that encode to bytes
// of the same examples.
func FuzzWorst(f *testing.F) {
	for seed := range uint64(5) {
		f.Add([]byte(encodedWorst(f, drawWorst(rand.New(rand.NewPCG(seed, 2)), 4))))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		w := new(Worst)
		if wire.Decode(data, w, worstFields) != nil {
			return
		}
		once, again := encodedWorst(t, w), new(Worst)
		require.NoError(t, wire.Decode([]byte(once), again, worstFields))
		require.Equal(t, once, encodedWorst(t, again))
		w.Merge(again)
		require.LessOrEqual(t, w.Count, MostWorst)
		for _, list := range w.Lists {
			require.LessOrEqual(t, len(list), w.Count)
		}
	})
}
