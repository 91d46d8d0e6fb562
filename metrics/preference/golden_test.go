package preference

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// golden is a case of testdata/golden.json, which make_golden.py there writes.
type golden struct {
	Name            string
	Davidson        bool
	Systems         int
	Pairs           [][5]float64
	Strength        []float64
	StdError        []float64 `json:"std_error"`
	StrengthToFirst []float64 `json:"strength_to_first"`
	StdErrorToFirst []float64 `json:"std_error_to_first"`
	Ties            float64
}

func (g *golden) pairs() (pairs []Pair) {
	for _, p := range g.Pairs {
		pairs = append(pairs, Pair{int(p[0]), int(p[1]), p[2], p[3], p[4]})
	}
	return pairs
}

func readGoldens(t *testing.T) []golden {
	data, err := os.ReadFile("testdata/golden.json")
	require.NoError(t, err)
	var file struct{ Cases []golden }
	require.NoError(t, json.Unmarshal(data, &file))
	require.NotEmpty(t, file.Cases)
	return file.Cases
}

func TestGoldens(t *testing.T) {
	for _, g := range readGoldens(t) {
		t.Run(g.Name, func(t *testing.T) {
			m := Fit(g.Systems, g.pairs(), Options{Davidson: g.Davidson, Reference: -1})
			require.InDeltaSlice(t, g.Strength, m.Strength, 1e-12)
			require.InDeltaSlice(t, g.StdError, m.StdError, 1e-12)
			require.InDelta(t, g.Ties, m.Ties, 1e-12)
			require.Equal(t, make([]string, g.Systems), m.Undefined)

			m = Fit(g.Systems, g.pairs(), Options{Davidson: g.Davidson})
			require.InDeltaSlice(t, g.StrengthToFirst, m.Strength, 1e-12)
			require.InDeltaSlice(t, g.StdErrorToFirst, m.StdError, 1e-12)
		})
	}
}

// TestCitations has the published strengths of journals: Stigler 1994, and the R package
// BradleyTerry2.
func TestCitations(t *testing.T) {
	g := readGoldens(t)[0]
	m := Fit(g.Systems, g.pairs(), Options{})
	require.InDeltaSlice(t, []float64{0, -2.9491, -0.4796, 0.2690}, m.Strength, 5e-5)
	require.InDeltaSlice(t, []float64{0, 0.1025, 0.0606, 0.0708}, m.StdError, 5e-5)
}
