package batches

import (
	"fmt"
	"math"
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

	// Beside decimal numbers, whole numbers must be ones that float64 holds.
	read[score] = &columns.Column{Type: columns.Float, Floats: []float64{0.5}}
	read[score+2] = &columns.Column{Type: columns.Bool, Ints: []int64{1}}
	for x, held := range map[int64]bool{1 << 60: true, math.MinInt64: true, math.MaxInt64: false, 1<<53 + 1: false, -1<<53 - 1: false} {
		read[score+1] = &columns.Column{Type: columns.Int, Ints: []int64{x}}
		_, err = w.widen(1, read)
		if held {
			require.NoError(t, err, x)
			continue
		}
		require.EqualError(t, err, fmt.Sprintf(`column "p_b" has %d, which float64 does not hold, and columns beside it in one role have decimal numbers: subtract the same number from all, or divide them`, x))
	}
}

// withoutNil is a column whose slices are not nil.
func withoutNil(c *columns.Column) *columns.Column {
	if c.Ints == nil {
		c.Ints = []int64{}
	}
	return c
}

// TestWidenRatings: texts of several raters share a table; a rater without ratings fits all others.
func TestWidenRatings(t *testing.T) {
	names := make([]string, roles.Count)
	names[roles.Raters] = "r_*"
	w := newWidener(map[string][]string{"r_*": {"r_a", "r_b", "r_c"}}, names)
	read := make([]*columns.Column, len(w.names))
	const at = int(roles.Raters)
	text := func(codes []int32, values ...string) *columns.Column {
		return &columns.Column{Type: columns.String, Codes: codes, Dict: columns.StringsOf(values)}
	}
	read[at], read[at+1] = text([]int32{0, 1}, "good", "bad"), text([]int32{1, 1}, "good", "bad")
	read[at+2] = &columns.Column{Type: columns.Int, Ints: []int64{0, 0}, Null: []bool{true, true}}
	for range 2 {
		got, err := w.widen(2, read)
		require.NoError(t, err)
		all := got[roles.Raters]
		var values []string
		for i, code := range all.Codes {
			if value := "null"; all.Null[i] {
				values = append(values, value)
			} else {
				values = append(values, all.Dict.At(code))
			}
		}
		require.Equal(t, []string{"good", "bad", "null", "bad", "bad", "null"}, values)
		require.Equal(t, []int32{0, 3, 6}, all.Offsets)
	}
	read[at], read[at+1] = &columns.Column{Type: columns.Bool, Ints: []int64{1, 0}}, &columns.Column{Type: columns.Bool, Ints: []int64{1, 1}}
	got, err := w.widen(2, read)
	require.NoError(t, err)
	require.Equal(t, columns.Bool, got[roles.Raters].Type)
	require.Equal(t, []int64{1, 1, 0, 0, 1, 0}, got[roles.Raters].Ints)
	read[at] = &columns.Column{Type: columns.Int, Ints: []int64{1, 0}}
	_, err = w.widen(2, read)
	require.EqualError(t, err, `column "r_b" has values of type bool, but column "r_a" int: ratings must all be numbers, all texts or all booleans`)
}
