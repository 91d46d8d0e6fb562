package batches

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// group is what Grouping yields, copied.
type group struct {
	tuple int32
	rows  []int32
}

// naive groups rows by tuple through a map.
func naive(tuples, rows []int32) []group {
	at := make(map[int32]int)
	var list []group
	for _, r := range rows {
		tuple := tuples[r]
		if _, ok := at[tuple]; !ok {
			at[tuple] = len(list)
			list = append(list, group{tuple: tuple})
		}
		g := &list[at[tuple]]
		g.rows = append(g.rows, r)
	}
	return list
}

// TestGrouping compares random groupings with those through a map, some of
// them stopped early. Nothing is left over from the call before.
func TestGrouping(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var g Grouping
	for range 2000 {
		tuples := make([]int32, r.IntN(60))
		numbers := 1 + r.IntN(20)
		for i := range tuples {
			tuples[i] = int32(r.IntN(numbers))
		}
		var rows []int32
		for i := range tuples {
			if r.IntN(4) > 0 {
				rows = append(rows, int32(i))
			}
		}
		want := naive(tuples, rows)
		most := len(want)
		if r.IntN(3) == 0 {
			most = r.IntN(len(want) + 1)
		}
		var got []group
		if most > 0 {
			for tuple, rows := range g.By(tuples, rows) {
				if got = append(got, group{tuple, append([]int32(nil), rows...)}); len(got) == most {
					break
				}
			}
			require.Equal(t, want[:most], got)
		}
		for tuple, n := range g.count {
			require.Zero(t, n, "count of tuple %d", tuple)
		}
	}
}

func TestGroupingOfNothing(t *testing.T) {
	var g Grouping
	for range g.By(nil, nil) {
		t.Fatal("there are no tuples")
	}
}
