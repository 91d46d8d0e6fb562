package columns

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
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

// A loose table has a code for each run of equal strings.
func TestLooseStrings(t *testing.T) {
	table := Loose([]byte("given"), []int{5})
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		if seed > 0 {
			table = table.Renew()
			require.Zero(t, table.Len())
			table.CodeOf("given")
		}
		want, codes := []string{"given"}, []int32(nil)
		for range 1000 {
			s := strings.Repeat("\xff", rng.IntN(3)) + fmt.Sprint(rng.IntN(3))[rng.IntN(2):]
			if s != want[len(want)-1] {
				want = append(want, s)
			}
			codes = append(codes, int32(len(want)-1))
			code := int32(-1)
			if rng.IntN(2) == 0 {
				text := []byte(s)
				code = table.Code(text)
				clear(text)
			} else {
				code = table.CodeOf(s)
			}
			require.Equal(t, codes[len(codes)-1], code)
			require.Equal(t, s, table.At(code))
			require.Equal(t, s, string(table.Bytes(code)))
			require.Equal(t, xxhash.Sum64String(s), table.Hash(code))
		}
		require.True(t, table.Loose())
		require.False(t, new(Strings).Loose())
		require.Equal(t, want, table.Values())
		require.Equal(t, len(want), table.Len())
		var copied Column
		copied.Copy(&Column{Type: String, Codes: codes, Dict: table})
		require.EqualValues(t, table.Len(), table.Append([]byte(want[len(want)-1])))
		require.True(t, copied.Dict.Loose())
		require.Equal(t, want, copied.Dict.Values())
	}
}

// However often long texts alternate, a loose table has bounded memory.
func TestLooseStringsOfLongTexts(t *testing.T) {
	table := Loose(nil, nil)
	texts := [][]byte{[]byte(strings.Repeat("a", 1<<20)), []byte(strings.Repeat("b", 1<<20)), []byte("c")}
	for i := range 1000 {
		code := table.Code(texts[i%3])
		if i%2 == 0 {
			code = table.Append(texts[i%3])
		}
		require.True(t, bytes.Equal(texts[i%3], table.Bytes(code)))
	}
	require.LessOrEqual(t, len(table.Text()), looseBytes+3<<20)
	require.Less(t, table.Len(), 200)
	require.Zero(t, table.Renew().Len())
}

// Copies of a column share a dictionary, which goroutines hash at the same time.
func TestCopiesAreHashedTogether(t *testing.T) {
	for range 200 {
		from := Column{Type: String, Dict: new(Strings)}
		for i := range 100 {
			from.Codes = append(from.Codes, from.Dict.CodeOf(fmt.Sprint(i)))
		}
		var group sync.WaitGroup
		copies := make([]Column, 4)
		for i := range copies {
			copies[i].Copy(&from)
		}
		for i := range copies {
			group.Go(func() { copies[i].Dict.Hashes() })
		}
		group.Wait()
		hashes := copies[0].Dict.Hashes()
		require.Len(t, hashes, 100)
		for i, hash := range hashes {
			require.Equal(t, xxhash.Sum64String(fmt.Sprint(i)), hash)
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
