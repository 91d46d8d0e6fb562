package columns

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/stretchr/testify/require"
)

func TestStringsHaveCodesInOrderOfAppearance(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 0))
		given := []string{"given", "", "too"}
		table := StringsOf(given[:rng.IntN(4)])
		var want []string
		codes := map[string]int32{}
		add := func(s string) int32 {
			if _, ok := codes[s]; !ok {
				codes[s] = int32(len(want))
				want = append(want, s)
			}
			return codes[s]
		}
		for _, s := range table.Values() {
			add(s)
		}
		for range 5000 {
			s := strings.Repeat("x", rng.IntN(3)*rng.IntN(90)) + fmt.Sprint(rng.IntN(3000))
			code, found := table.Find(s)
			known, met := codes[s]
			require.Equal(t, met, found)
			if met {
				require.Equal(t, known, code)
			}
			if rng.IntN(2) == 0 {
				text := []byte(s)
				require.Equal(t, add(s), table.Code(text))
				clear(text)
			} else {
				require.Equal(t, add(s), table.CodeOf(s))
			}
		}
		require.Equal(t, want, table.Values())
		require.Equal(t, len(want), table.Len())
		for code, hash := range table.Hashes() {
			require.Equal(t, xxhash.Sum64String(want[code]), hash)
		}
	}
}

func TestStringsOfNothing(t *testing.T) {
	var table Strings
	_, found := table.Find("")
	require.False(t, found)
	require.Empty(t, table.Hashes())
	require.Zero(t, table.CodeOf(""))
}

func BenchmarkStrings(b *testing.B) {
	var texts [][]byte
	for i := range 50_000 {
		texts = append(texts, fmt.Append(nil, "query ", i))
	}
	b.ReportAllocs()
	for b.Loop() {
		var table Strings
		for _, s := range texts {
			table.Code(s)
		}
	}
	b.ReportMetric(float64(len(texts))*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mstrings/s")
}
