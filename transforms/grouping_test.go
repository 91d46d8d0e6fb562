package transforms

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// group is what grouping yields, copied.
type group struct {
	cell int32
	rows []int32
}

// naive groups rows by cell through a map.
func naive(cells, rows []int32) []group {
	at := make(map[int32]int)
	var list []group
	for _, r := range rows {
		cell := cells[r]
		if _, ok := at[cell]; !ok {
			at[cell] = len(list)
			list = append(list, group{cell: cell})
		}
		g := &list[at[cell]]
		g.rows = append(g.rows, r)
	}
	return list
}

// TestGrouping compares random groupings with those through a map, some of
// them stopped early. Nothing is left over from the call before.
func TestGrouping(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var g grouping
	for range 2000 {
		cells := make([]int32, r.IntN(60))
		numbers := 1 + r.IntN(20)
		for i := range cells {
			cells[i] = int32(r.IntN(numbers))
		}
		var rows []int32
		for i := range cells {
			if r.IntN(4) > 0 {
				rows = append(rows, int32(i))
			}
		}
		want := naive(cells, rows)
		most := len(want)
		if r.IntN(3) == 0 {
			most = r.IntN(len(want) + 1)
		}
		var got []group
		if most > 0 {
			for cell, rows := range g.by(cells, rows) {
				if got = append(got, group{cell, append([]int32(nil), rows...)}); len(got) == most {
					break
				}
			}
			require.Equal(t, want[:most], got)
		}
		for cell, n := range g.count {
			require.Zero(t, n, "count of cell %d", cell)
		}
	}
}

func TestGroupingOfNothing(t *testing.T) {
	var g grouping
	for range g.by(nil, nil) {
		t.Fatal("there are no cells")
	}
}
