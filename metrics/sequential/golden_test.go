package sequential_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics/sequential"
)

// TestGoldens compares with testdata/golden.py.
func TestGoldens(t *testing.T) {
	data, err := os.ReadFile("testdata/golden.json")
	require.NoError(t, err)
	var golden struct {
		Watch []struct {
			Values   []float64
			Season   int
			TwoSided bool `json:"two_sided"`
			P        []*float64
			Evidence []*float64
		}
		Mean []struct {
			Values, Errors, Low, High []float64
			Alpha                     float64
		}
	}
	require.NoError(t, json.Unmarshal(data, &golden))
	for _, g := range golden.Watch {
		all := make([]sequential.Night, len(g.Values))
		for i, v := range g.Values {
			all[i] = sequential.Night{Name: fmt.Sprint("night ", i), Day: i, Value: v}
		}
		steps, _ := sequential.Gate{BurnIn: 14, Season: g.Season, Threshold: math.Inf(1), TwoSided: g.TwoSided}.Watch("series", all, 0)
		for i, s := range steps {
			require.Equal(t, g.P[i] == nil, math.IsNaN(s.P), "night %d", i)
			if g.P[i] != nil {
				require.InEpsilon(t, *g.P[i], s.P, 1e-12, "night %d", i)
				require.InEpsilon(t, *g.Evidence[i], s.Evidence, 1e-9, "night %d", i)
			}
		}
	}
	for _, g := range golden.Mean {
		var all []sequential.Measured
		for i, v := range g.Values {
			all = append(all, sequential.Measured{Value: v, StdError: g.Errors[i]})
		}
		for i, in := range sequential.Mean(all, 2, 0, g.Alpha)[1:] {
			require.InDelta(t, g.Low[i], in.Low, 1e-12)
			require.InDelta(t, g.High[i], in.High, 1e-12)
		}
	}
}
