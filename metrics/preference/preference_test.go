package preference

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTwoSystems(t *testing.T) {
	m := Fit(2, []Pair{{0, 1, 3, 1, 0}}, Options{Reference: 1})
	require.InDelta(t, math.Log(3), m.Strength[0], 1e-14)
	require.InDelta(t, 1000+400*math.Log10(3), Elo(m.Strength[0]), 1e-11)
	require.InDelta(t, math.Sqrt(4./3), m.StdError[0], 1e-14)
	require.Zero(t, m.Strength[1])
	require.Zero(t, m.StdError[1])

	half := Fit(2, []Pair{{0, 1, 2, 0, 2}}, Options{Reference: 1})
	require.Equal(t, m.Strength, half.Strength)
}

// TestDavidson has the formulas for two systems: e^(a-b) is the ratio of wins, and ν = ties / √(wins
// · losses).
func TestDavidson(t *testing.T) {
	m := Fit(2, []Pair{{0, 1, 9, 4, 3}}, Options{Davidson: true, Reference: 1})
	require.InDelta(t, math.Log(9./4), m.Strength[0], 1e-13)
	require.InDelta(t, 0.5, m.Ties, 1e-13)
}

func TestUndefined(t *testing.T) {
	all := func(why string) []string { return []string{why, why} }
	for _, c := range []struct {
		name  string
		pairs []Pair
		o     Options
		want  []string
	}{
		{"nothing", nil, Options{Reference: -1}, all(noComparisons)},
		{"a winner", []Pair{{0, 1, 1, 0, 0}}, Options{Reference: -1}, []string{alwaysWins, neverWins}},
		{"a winner as reference", []Pair{{0, 1, 1, 0, 0}}, Options{}, []string{alwaysWins, neverWins}},
		{"no weight", []Pair{{0, 1, 0, 0, 0}}, Options{Reference: -1}, all(noComparisons)},
		{"a winner above others", []Pair{{0, 1, 5, 0, 0}, {1, 2, 1, 1, 0}}, Options{Reference: -1}, []string{alwaysWins, "", ""}},
		{"one above as reference", []Pair{{0, 1, 5, 0, 0}, {1, 2, 1, 1, 0}}, Options{}, []string{alwaysWins, noReference + alwaysWins, noReference + alwaysWins}},
		{"two sets", []Pair{{0, 1, 1, 1, 0}, {2, 3, 1, 1, 0}}, Options{Reference: -1}, []string{"", "", disconnected, disconnected}},
		{"two sets, the second with the reference", []Pair{{0, 1, 1, 1, 0}, {2, 3, 1, 1, 0}}, Options{Reference: 3}, []string{disconnected, disconnected, "", ""}},
		{"sets in order", []Pair{{0, 1, 1, 1, 0}, {1, 2, 1, 0, 0}, {2, 3, 1, 1, 0}}, Options{Reference: -1}, []string{"", "", disconnected, disconnected}},
		{"a chain", []Pair{{0, 1, 1, 0, 0}, {1, 2, 1, 0, 0}}, Options{Reference: -1}, []string{alwaysWins, disconnected, neverWins}},
		{"only ties", []Pair{{0, 1, 0, 0, 3}}, Options{Davidson: true, Reference: -1}, all(onlyTies)},
		{"ties and wins of one", []Pair{{0, 1, 3, 0, 3}}, Options{Davidson: true, Reference: -1}, all(onlyTies)},
		{"ties as halves", []Pair{{0, 1, 3, 0, 3}}, Options{Reference: -1}, all("")},
		{"huge differences", []Pair{{0, 1, 1e300, 1e-300, 0}}, Options{Reference: -1}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := max(len(c.want), 2)
			m := Fit(n, c.pairs, c.o)
			if c.want != nil {
				require.Equal(t, c.want, m.Undefined)
			}
			for s, why := range m.Undefined {
				require.Equal(t, why != "", math.IsNaN(m.Strength[s]))
				require.Equal(t, why != "", math.IsNaN(m.StdError[s]))
			}
		})
	}
}

// TestScale requires that strengths do not depend on the unit of weights, and that systems which the
// set always beats do not change it.
func TestScale(t *testing.T) {
	g := readGoldens(t)[1]
	want := Fit(g.Systems, g.pairs(), Options{Reference: -1})
	scaled := g.pairs()
	for i := range scaled {
		p := &scaled[i]
		p.WinsA, p.WinsB, p.Tie = p.WinsA*0x1p300, p.WinsB*0x1p300, p.Tie*0x1p300
	}
	require.Equal(t, want.Strength, Fit(g.Systems, scaled, Options{Reference: -1}).Strength)
	more := append(g.pairs(), Pair{2, g.Systems, 4, 0, 0})
	got := Fit(g.Systems+1, more, Options{Reference: -1})
	require.Equal(t, want.Strength, got.Strength[:g.Systems])
	require.Equal(t, neverWins, got.Undefined[g.Systems])
}

// TestGradient requires of drawn comparisons, however sparse, that estimates are where the likelihood
// is level, or undefined.
func TestGradient(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 0))
		n := 2 + r.IntN(8)
		var pairs []Pair
		for a := range n {
			for b := a + 1; b < n; b++ {
				draw := func() float64 { return float64(max(r.IntN(8)-4, 0)) }
				pairs = append(pairs, Pair{a, b, draw(), draw(), draw()})
			}
		}
		m := Fit(n, pairs, Options{Davidson: seed%2 == 0, Reference: -1})
		slope, total := make([]float64, n), make([]float64, n)
		for _, p := range pairs {
			a, b := m.Strength[p.A], m.Strength[p.B]
			if math.IsNaN(a) || math.IsNaN(b) {
				continue
			}
			tie := m.Ties * math.Exp((a+b)/2)
			sum, count := math.Exp(a)+math.Exp(b)+tie, p.WinsA+p.WinsB+p.Tie
			slope[p.A] += p.WinsA + p.Tie/2 - count*(math.Exp(a)+tie/2)/sum
			slope[p.B] += p.WinsB + p.Tie/2 - count*(math.Exp(b)+tie/2)/sum
			total[p.A] += count
			total[p.B] += count
		}
		for s := range n {
			require.InDelta(t, 0, slope[s], 1e-9*max(total[s], 1), "seed %d", seed)
			require.NotEqual(t, notConverged, m.Undefined[s], "seed %d", seed)
		}
	}
}
