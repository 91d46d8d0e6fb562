package ingest

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// randomFindings are what a converter might find, of two labels.
func randomFindings(rng *rand.Rand) *Findings {
	f := new(Findings)
	for range rng.IntN(4) {
		f.clip(rng.Float64() / 1000)
	}
	for range rng.IntN(200) {
		f.Meet(fmt.Sprint(rng.IntN(300)))
	}
	if rng.IntN(6) == 0 {
		f.positive()
	}
	for range rng.IntN(3) {
		f.follow(2)
		f.score(rng.IntN(2), rng.NormFloat64(), rng.IntN(2) == 0)
		f.count(rng.IntN(2) == 0, rng.IntN(2) == 0)
	}
	return f
}

func merged(list ...*Findings) *Findings {
	into := new(Findings)
	for _, f := range list {
		into.Merge(f)
	}
	return into
}

func TestFindingsMergeInAnyOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		a, b, c := randomFindings(rng), randomFindings(rng), randomFindings(rng)
		before := merged(a)
		require.Equal(t, merged(a, b), merged(b, a))
		require.Equal(t, merged(merged(a, b), c), merged(a, merged(b, c)))
		require.Equal(t, before, merged(a), "merging leaves its argument unchanged")

		data, err := json.Marshal(a)
		require.NoError(t, err)
		var again Findings
		require.NoError(t, json.Unmarshal(data, &again))
		require.Equal(t, merged(a), merged(&again))
	}
}

func TestFindingsAreBounded(t *testing.T) {
	f := new(Findings)
	for i := range 1000 {
		f.Meet(strings.Repeat("ü", 100) + fmt.Sprint(i))
		f.Meet(fmt.Sprintf("%04d", i))
	}
	require.Len(t, f.Met, mostMet)
	require.Equal(t, "0000", f.Met[0])
	f = new(Findings)
	f.Meet(strings.Repeat("ü", 100))
	require.Equal(t, []string{strings.Repeat("ü", 50) + "…"}, f.Met)
	f.follow(maxThresholds + 1)
	require.Empty(t, f.Highest)
	f.score(7, 1, true)
	f.follow(1)
	f.score(0, math.Inf(1), false)
	f.score(0, math.Inf(-1), true)
	require.False(t, f.Thresholds())
	_, err := json.Marshal(f)
	require.NoError(t, err)
}

func TestNear(t *testing.T) {
	for _, c := range []struct {
		a, b float64
		want bool
	}{{0, 0, true}, {1, 1 + 5e-7, true}, {1, 1.00001, false}, {-1, 1, false}, {math.Inf(1), math.Inf(1), true}, {math.Inf(1), 1, false}, {math.Inf(1), math.Inf(-1), false}, {1e-9, 0, false}} {
		require.Equal(t, c.want, near(c.a, c.b), "%v and %v", c.a, c.b)
		require.Equal(t, c.want, near(c.b, c.a))
	}
}
