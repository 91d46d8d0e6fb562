package groupby

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
)

func TestShare(t *testing.T) {
	for _, test := range []struct {
		a, b *columns.Column
		typ  columns.Type
	}{
		{texts("b", "a", "b"), texts("c", "a", "b", "c"), columns.String},
		{texts("a"), withNull(texts("b", "c"), true, false), columns.String},
		{ints(1, 2), ints(2), columns.Int},
		{ints(1, 2), floats(2, .5), columns.Float},
		{floats(2, .5), ints(1, 2), columns.Float},
		{floats(.5), floats(.5), columns.Float},
		{bools(1), bools(0, 1), columns.Bool},
	} {
		keys := func(c *columns.Column) (all []any) {
			for _, v := range values(c) {
				if i, ok := v.(int64); ok && test.typ == columns.Float {
					v = values(floats(float64(i)))[0]
				}
				all = append(all, v)
			}
			return all
		}
		a, b := keys(test.a), keys(test.b)
		require.NoError(t, Share(test.a, test.b))
		require.Equal(t, a, values(test.a))
		require.Equal(t, b, values(test.b))
		require.Equal(t, []columns.Type{test.typ, test.typ}, []columns.Type{test.a.Type, test.b.Type})
		require.Same(t, test.a.Dict, test.b.Dict)
		for i := range a {
			for j := range b {
				require.Equal(t, a[i] == b[j], b[j] != nil && Key(test.a, i) == Key(test.b, j))
			}
		}
	}
	require.EqualError(t, Share(texts("1"), ints(1)), "string and int cannot be equal")
	require.EqualError(t, Share(ints(1), bools(1)), "int and bool cannot be equal")
}
