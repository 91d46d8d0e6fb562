package curves

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// pairsOf adds the examples of a multiclass task to Pairs, by the scores of one
// class.
func pairsOf(classes int, class []int, scores, weights []float64, of int) *Pairs {
	order := make([]int, len(class))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	p, above := new(Pairs), 0.0
	for len(order) > 0 {
		n := 1
		for n < len(order) && scores[order[n]] == scores[order[0]] {
			n++
		}
		here := make([]float64, classes)
		for _, i := range order[:n] {
			here[class[i]] += weights[i]
		}
		for other, w := range here {
			if other != of && w > 0 {
				p.Add(other, w, above, above+here[of])
			}
		}
		above += here[of]
		order = order[n:]
	}
	return p
}

func TestOneVsOneAgreesWithAllPairs(t *testing.T) {
	for seed := range uint64(200) {
		r := source(seed)
		const classes = 4
		n := r.IntN(40)
		class, weights := make([]int, n), make([]float64, n)
		totals := make([]float64, classes)
		scores := [classes][]float64{}
		for i := range n {
			class[i] = r.IntN(classes)
			weights[i] = []float64{1, 0, r.Float64()}[r.IntN(3)]
			totals[class[i]] += weights[i]
			for c := range classes {
				scores[c] = append(scores[c], float64(r.IntN(6)))
			}
		}
		pairs := make([]Pairs, classes)
		auc := func(i, j int) float64 { // A(i|j)
			won := 0.0
			for x := range n {
				for y := range n {
					if class[x] != i || class[y] != j {
						continue
					}
					switch w := weights[x] * weights[y]; cmp.Compare(scores[i][x], scores[i][y]) {
					case 1:
						won += w
					case 0:
						won += w / 2
					}
				}
			}
			return won / totals[i] / totals[j]
		}
		sum, weighted, number, all := 0.0, 0.0, 0.0, 0.0
		for i := range classes {
			pairs[i] = *pairsOf(classes, class, scores[i], weights, i)
			for j := range i {
				if totals[i] > 0 && totals[j] > 0 {
					a := (auc(i, j) + auc(j, i)) / 2
					sum += a
					number++
					weighted += a * (totals[i] + totals[j])
					all += totals[i] + totals[j]
				}
			}
		}
		if number == 0 {
			require.Equal(t, noPairs, OneVsOneROCAUC(pairs, totals, false).Undefined)
			require.Equal(t, noPairs, OneVsOneROCAUC(pairs, totals, true).Undefined)
			continue
		}
		agree(t, sum/number, OneVsOneROCAUC(pairs, totals, false).Number)
		agree(t, weighted/all, OneVsOneROCAUC(pairs, totals, true).Number)
	}
}

func TestPairsMerge(t *testing.T) {
	r := source(1)
	whole, left, right := new(Pairs), new(Pairs), new(Pairs)
	for range 200 {
		other, w, above := r.IntN(7), r.Float64(), r.Float64()*1e6
		whole.Add(other, w, above, above+1)
		[]*Pairs{left, right}[r.IntN(2)].Add(other, w, above, above+1)
	}
	bytes := encode(right)
	left = throughBytes(t, left)
	require.NoError(t, merge(left, right))
	require.Equal(t, bytes, encode(right))
	require.NoError(t, merge(left, new(Pairs)))
	require.Equal(t, encode(whole), encode(left))
	right.Add(1000, 0, 1, 1) // of no weight
	require.Equal(t, bytes, encode(right))
}

func TestPairsOfClassesThatAreNone(t *testing.T) {
	p := new(Pairs)
	p.Add(-1, 1, 1, 1)
	p.Add(math.MaxInt, 1, 1, 1)
	require.Equal(t, encode(new(Pairs)), encode(p))
	require.Zero(t, p.won(-1)+p.won(3))
	p.Add(1, math.MaxFloat64, math.MaxFloat64, math.MaxFloat64)
	require.Equal(t, tooLarge, OneVsOneROCAUC([]Pairs{*p, {}}, []float64{1, 1}, false).Undefined)
}

// TestPairsOfWholeStretches: integer products give the same bits as products of weights.
func TestPairsOfWholeStretches(t *testing.T) {
	r := source(9)
	for range 200 {
		s := Stretch{Before: Point{TP: float64(r.IntN(1 << 40))}}
		tp := s.Before.TP
		for range 1 + r.IntN(50) {
			for range 1 + r.IntN(3) {
				c := ClassWeight{int32(r.IntN(5)), float64(1 + r.IntN(1<<20))}
				s.Classes = append(s.Classes, c)
				if c.Class == 2 {
					tp += c.Weight
				}
			}
			s.Points, s.Ends = append(s.Points, Point{TP: tp}), append(s.Ends, len(s.Classes))
		}
		var whole, weighted Pairs
		weighted.AddStretch(&s, 2)
		s.Whole = true
		whole.AddStretch(&s, 2)
		require.Equal(t, encode(&weighted), encode(&whole))
		require.Zero(t, whole.won(2))
	}
}
