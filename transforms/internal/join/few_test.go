package join

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
)

// TestFewStrings: only the strings of a dictionary page that are far fewer than the rows get a dictionary, and the
// values stay the same.
func TestFewStrings(t *testing.T) {
	for _, c := range []struct {
		name   string
		page   int // strings of the dictionary page
		rows   int64
		values func(i int) string
		few    bool
	}{
		{"a page for many rows", 100, 1600, func(i int) string { return fmt.Sprint(i * 37 % 100) }, true},
		{"a page for few rows", 100, 1599, func(i int) string { return fmt.Sprint(i * 37 % 100) }, false},
		{"a page in order", 100, 1600, func(i int) string { return fmt.Sprint(i / 3) }, false},
		{"no page", 0, 1600, func(i int) string { return fmt.Sprint(i) }, false},
	} {
		var f fewStrings
		for range 2 { // row groups
			dict := columns.Loose(nil, nil)
			code := make(map[string]int32)
			for i := range c.page {
				code[fmt.Sprint(i)] = dict.Append([]byte(fmt.Sprint(i)))
			}
			for batch := range 2 {
				col := &columns.Column{Type: columns.String, Dict: dict}
				var want []string
				for i := range 80 {
					value := c.values(i)
					want = append(want, value)
					of, known := code[value]
					if !known {
						of = dict.Append([]byte(value))
					}
					col.Codes = append(col.Codes, of)
				}
				got := f.column(col, c.rows)
				require.Equal(t, c.few, !got.Dict.Loose(), "%s, batch %d", c.name, batch)
				require.Equal(t, want, textsOf(got), c.name)
			}
			if c.few { // then a page without codes follows
				col := &columns.Column{Type: columns.String, Dict: dict, Codes: []int32{3, dict.Append([]byte("new"))}}
				got := f.column(col, c.rows)
				require.True(t, got.Dict.Loose())
				require.Equal(t, []string{"3", "new"}, textsOf(got))
			}
		}
	}
	numbers := &columns.Column{Type: columns.Int}
	require.Same(t, numbers, new(fewStrings).column(numbers, 10))
	require.Nil(t, new(fewStrings).column(nil, 10))
}

func textsOf(c *columns.Column) (texts []string) {
	for _, code := range c.Codes {
		texts = append(texts, c.Dict.At(code))
	}
	return texts
}
