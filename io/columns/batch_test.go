package columns

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCopiesStayAsTheyAre: a copy does not change when the original column is read further.
func TestCopiesStayAsTheyAre(t *testing.T) {
	table := new(Strings)
	from := Column{Type: String, Codes: []int32{table.CodeOf("a"), table.CodeOf("b"), 0}, Null: []bool{false, false, true}, Dict: table}
	var first, second Column
	first.Copy(&from)
	second.Copy(&from)
	require.Same(t, first.Dict, second.Dict, "what is known of the strings holds for both")

	from.Codes[0], from.Null[2] = table.CodeOf("c"), false
	require.Equal(t, []int32{0, 1, 0}, first.Codes)
	require.Equal(t, []bool{false, false, true}, first.Null)
	require.Equal(t, []string{"a", "b"}, first.Dict.Values())

	second.Copy(&from)
	require.Equal(t, []string{"a", "b", "c"}, second.Dict.Values())

	lists := Column{Type: Float, Offsets: []int32{0, 0}, Floats: []float64{}}
	second.Copy(&lists)
	require.Equal(t, lists, second)
}
