package slice_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/slice"
)

func TestIntervals(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		low, high float64
		text, key string
	}{
		{18, 40, "[18, 40)", "age in [18, 40)"},
		{-inf, 18, "< 18", "age < 18"},
		{65, inf, ">= 65", "age >= 65"},
		{-0.5, 1e6, "[-0.5, 1000000)", "age in [-0.5, 1000000)"},
		{1e-7, 1e21, "[1e-7, 1e+21)", "age in [1e-7, 1e+21)"},
	} {
		v := slice.Interval(c.low, c.high)
		require.Equal(t, slice.String(c.text), v)
		require.Equal(t, c.key, slice.Key{{Column: "age", Value: v}}.String())
		require.Equal(t, v, v.AsText(), "as gates name it")
		data, err := json.Marshal(v)
		require.NoError(t, err)
		var read slice.Value
		require.NoError(t, json.Unmarshal(data, &read))
		require.Equal(t, v, read)
	}
	require.Equal(t, `age="[18, 40]"`, slice.Key{{Column: "age", Value: slice.String("[18, 40]")}}.String(), "only what Interval writes is one")
}

func TestEnds(t *testing.T) {
	for _, ends := range [][2]float64{{math.Inf(-1), 18}, {18, 40.5}, {65, math.Inf(1)}} {
		low, high, ok := slice.Interval(ends[0], ends[1]).Ends()
		require.True(t, ok)
		require.Equal(t, ends, [2]float64{low, high})
	}
	for _, v := range []slice.Value{slice.Null(), slice.Int(3), slice.String("[1, 2]")} {
		_, _, ok := v.Ends()
		require.False(t, ok)
	}
}
