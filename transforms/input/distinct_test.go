package input

import (
	"iter"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
)

// coded is a row group with a dictionary, which counts the batches that are read.
type coded struct {
	columns.File
	dictionary []string // nil if it is not complete
	rows       [][]string
	numbers    bool
	read       int
}

func (c *coded) Dictionary(_ int, _ string, into *columns.Strings) (bool, error) {
	for _, text := range c.dictionary {
		into.CodeOf(text)
	}
	return c.dictionary != nil, nil
}

func (c *coded) Peek(int, []string, []*columns.Strings, int) iter.Seq2[*columns.Batch, error] {
	return func(yield func(*columns.Batch, error) bool) {
		for _, rows := range c.rows {
			c.read++
			column := columns.Column{Type: columns.String, Dict: new(columns.Strings), Null: make([]bool, len(rows))}
			for i, text := range rows {
				column.Null[i] = text == ""
				column.Codes = append(column.Codes, column.Dict.CodeOf(text))
			}
			if c.numbers {
				column = columns.Column{Type: columns.Int, Null: column.Null}
				for _, text := range rows {
					n, _ := strconv.ParseInt(text, 10, 64)
					column.Ints = append(column.Ints, n)
				}
			}
			if !yield(&columns.Batch{Rows: len(rows), Columns: []columns.Column{column}}, nil) {
				return
			}
		}
	}
}

// TestDistinctOfGroups: a value of a dictionary counts if a row has it, and rows are read until each was met.
func TestDistinctOfGroups(t *testing.T) {
	for _, numbers := range []bool{false, true} {
		var d Distinct
		add := func(dictionary []string, rows ...[]string) (n, read int) {
			c := &coded{dictionary: dictionary, rows: rows, numbers: numbers}
			n, err := d.AddGroup(c, 0, "", 4)
			require.NoError(t, err)
			return n, c.read
		}
		check := func(wantN, wantRead int, dictionary []string, rows ...[]string) {
			t.Helper()
			n, read := add(dictionary, rows...)
			require.Equal(t, []int{wantN, wantRead}, []int{n, read})
		}
		check(2, 1, []string{"1", "2"}, []string{"2", "1"}, []string{"1", "2"})     // met in the first batch
		check(2, 0, []string{"2"}, []string{"2"})                                   // met before
		check(3, 2, []string{"1", "3", "9"}, []string{"1", "", "3"}, []string{"3"}) // nobody has 9
		check(3, 2, nil, []string{"1"}, []string{"1"})                              // nothing is known
		check(3, 1, []string{"1", "9"}, []string{"1"})                              // still nobody
		check(5, 1, nil, []string{"4", "5"}, []string{"6"})                         // more than 4
		var all Distinct
		c := &coded{rows: [][]string{{"1", "2", "3", "4", "5"}}, numbers: numbers}
		_, err := all.AddGroup(c, 0, "", 100)
		require.NoError(t, err)
		require.Equal(t, all.Hashes(), d.Hashes())
		require.True(t, slices.IsSorted(d.Hashes()))
	}
}
