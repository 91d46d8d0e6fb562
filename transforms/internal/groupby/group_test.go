package groupby

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
)

// naiveGroups is Group by a map.
func naiveGroups(c *columns.Column) (order, offsets []int32) {
	place := make(map[any]int)
	var groups [][]int32
	for r, v := range values(c) {
		if bits, ok := v.(uint64); ok {
			switch f := math.Float64frombits(bits); {
			case f != f:
				v = "NaN"
			case f == 0:
				v = "zero"
			}
		}
		i, ok := place[v]
		if !ok {
			i = len(groups)
			place[v] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], int32(r))
	}
	order, offsets = []int32{}, []int32{0}
	for _, g := range groups {
		order = append(order, g...)
		offsets = append(offsets, int32(len(order)))
	}
	return order, offsets
}

func requireGroups(t *testing.T, g *Grouper, c *columns.Column) {
	t.Helper()
	order, offsets := naiveGroups(c)
	gotOrder, gotOffsets := g.Group(c)
	require.Equal(t, order, append([]int32{}, gotOrder...))
	require.Equal(t, offsets, gotOffsets)
}

func TestGroup(t *testing.T) {
	nan, minus := math.NaN(), math.Copysign(0, -1)
	var g Grouper
	for _, c := range []*columns.Column{
		ints(),
		ints(7),
		ints(3, 3, 1, 1, 1, 2),
		ints(3, 1, 3, 3, 2, 1),
		ints(math.MinInt64, math.MaxInt64, -1, 0, math.MinInt64),
		bools(1, 0, 0, 1),
		floats(nan, math.Float64frombits(0xfff8000000000001), nan),
		floats(0, minus, 0, 1, minus),
		floats(minus, minus),
		floats(.5, 4602678819172646912, .5), // the bits of ½ as a number
		texts("b", "b", "a", "c", "a"),
		texts("", "", "a"),
	} {
		requireGroups(t, &g, c)
	}
}

func TestGroupOfRandomColumnsIsThatOfAMap(t *testing.T) {
	var g Grouper
	for seed := range uint64(400) {
		rng := random(seed)
		c := randomColumn(rng, rng.IntN(2000), types[rng.IntN(4)], false, false, new(columns.Strings))
		requireGroups(t, &g, c)
	}
}
