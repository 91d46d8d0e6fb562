package document

import (
	"bytes"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOnlyLongTablesFold: a table whose rows are all shown has nothing to unfold.
func TestOnlyLongTablesFold(t *testing.T) {
	require.Nil(t, TableOf[int](nil).Folded())
	for rows, folds := range map[int]bool{1: false, FirstRows: false, FirstRows + 1: true} {
		table := TableOf(slices.Repeat([]int{7}, rows), Text("row", strconv.Itoa))
		require.False(t, table.Long(), "a table that was not asked to fold")
		d := &Document{Output: Page}
		d.Add(Section{In: Page, Title: "Rows", Table: table.Folded()})
		var page bytes.Buffer
		require.NoError(t, d.Write(&page))
		require.Equal(t, folds, bytes.Contains(page.Bytes(), []byte("Show all")), "%d rows", rows)
	}
}
