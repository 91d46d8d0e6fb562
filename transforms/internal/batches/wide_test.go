package batches

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
)

// TestWiden: columns of labels become lists, whatever their types, and the others
// stay; a slice column that is also one of a label is read twice.
func TestWiden(t *testing.T) {
	names := make([]string, RoleCount, RoleCount+1)
	names[LabelRole], names[ScoreRole] = "label", "p_*"
	w := newWidener(map[string][]string{"p_*": {"p_a", "p_b", "p_c"}}, append(names, "p_a"))
	require.Equal(t, []string{"label", "p_a", "p_b", "p_c", "", "", "", "", "", "", "", "", "", "", "", "", "", "", "", "", "", "", "p_a"}, w.names)

	read := make([]*columns.Column, len(w.names))
	read[0] = &columns.Column{Type: columns.String, Codes: []int32{0, 0}}
	read[1] = &columns.Column{Type: columns.Float, Floats: []float64{0.25, 0.5}}
	read[2] = &columns.Column{Type: columns.Int, Ints: []int64{1, 0}, Null: []bool{false, true}}
	read[3] = &columns.Column{Type: columns.Bool, Ints: []int64{0, 1}}
	read[RoleCount+2] = read[1]
	got, err := w.widen(2, read)
	require.NoError(t, err)
	require.Same(t, read[0], got[LabelRole])
	require.Same(t, read[1], got[RoleCount])
	require.Equal(t, &columns.Column{
		Type: columns.Float, Floats: []float64{0.25, 1, 0, 0.5, 0, 1}, Offsets: []int32{0, 3, 6}, Ints: []int64{},
		Null: []bool{false, false, false, false, true, false},
	}, withoutNil(got[ScoreRole]))

	read[1] = &columns.Column{Type: columns.Int, Ints: []int64{7}}
	read[2] = &columns.Column{Type: columns.Int, Ints: []int64{8}}
	read[3] = &columns.Column{Type: columns.Bool, Ints: []int64{1}}
	got, err = w.widen(1, read)
	require.NoError(t, err)
	require.Equal(t, &columns.Column{
		Type: columns.Int, Ints: []int64{7, 8, 1}, Floats: []float64{}, Offsets: []int32{0, 3},
	}, got[ScoreRole])

	read[3] = &columns.Column{Type: columns.Int, Ints: []int64{8}, Offsets: []int32{0, 1}}
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
