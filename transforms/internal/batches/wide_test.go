package batches

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/columns"
)

// TestWiden: columns of labels become lists, whatever their types, and the others
// stay; a slice column that is also one of a label is read twice.
func TestWiden(t *testing.T) {
	names := make([]string, roles.Count, roles.Count+1)
	names[roles.Label], names[roles.Score] = "label", "p_*"
	w := newWidener(map[string][]string{"p_*": {"p_a", "p_b", "p_c"}}, append(names, "p_a"))
	const label, score = int(roles.Label), int(roles.Score)
	require.Equal(t, []string{"label", "p_a", "p_b", "p_c"}, w.names[label:score+3])
	require.Equal(t, "p_a", w.names[roles.Count+2])

	read := make([]*columns.Column, len(w.names))
	read[label] = &columns.Column{Type: columns.String, Codes: []int32{0, 0}}
	read[score] = &columns.Column{Type: columns.Float, Floats: []float64{0.25, 0.5}}
	read[score+1] = &columns.Column{Type: columns.Int, Ints: []int64{1, 0}, Null: []bool{false, true}}
	read[score+2] = &columns.Column{Type: columns.Bool, Ints: []int64{0, 1}}
	read[roles.Count+2] = read[score]
	got, err := w.widen(2, read)
	require.NoError(t, err)
	require.Same(t, read[label], got[roles.Label])
	require.Same(t, read[score], got[roles.Count])
	require.Equal(t, &columns.Column{
		Type: columns.Float, Floats: []float64{0.25, 1, 0, 0.5, 0, 1}, Offsets: []int32{0, 3, 6}, Ints: []int64{},
		Null: []bool{false, false, false, false, true, false},
	}, withoutNil(got[roles.Score]))

	read[score] = &columns.Column{Type: columns.Int, Ints: []int64{7}}
	read[score+1] = &columns.Column{Type: columns.Int, Ints: []int64{8}}
	read[score+2] = &columns.Column{Type: columns.Bool, Ints: []int64{1}}
	got, err = w.widen(1, read)
	require.NoError(t, err)
	require.Equal(t, &columns.Column{
		Type: columns.Int, Ints: []int64{7, 8, 1}, Floats: []float64{}, Offsets: []int32{0, 3},
	}, got[roles.Score])

	read[score+2] = &columns.Column{Type: columns.Int, Ints: []int64{8}, Offsets: []int32{0, 1}}
	_, err = w.widen(1, read)
	require.EqualError(t, err, `column "p_c" has no single number in each row, as the column of one label must`)
}

// withoutNil is a column whose slices are not nil.
func withoutNil(c *columns.Column) *columns.Column {
	if c.Ints == nil {
		c.Ints = []int64{}
	}
	return c
}
