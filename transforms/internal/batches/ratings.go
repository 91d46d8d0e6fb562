package batches

import (
	"fmt"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/columns"
)

// ratings makes lists of the columns of several raters, which may have texts, all in one table.
type ratings struct {
	dict  *columns.Strings
	codes []recoded // by column
}

// recoded maps the codes of a table of strings to codes of another.
type recoded struct {
	from *columns.Strings
	to   []int32
}

// interleave is like the function interleave, but all columns have texts, or all have booleans, or all have numbers. Columns in which
// everything is null fit all others.
func (t *ratings) interleave(to *columns.Column, rows int, from []*columns.Column, names []string) error {
	first := -1
	for i, c := range from {
		switch {
		case c.Offsets != nil:
			return fmt.Errorf("column %q is %s: the ratings of a rater must be one value a row", names[i], c.Shape())
		case !slices.Contains(c.Null, false) && len(c.Null) == rows:
		case first < 0:
			first = i
		case kindOf(c) != kindOf(from[first]):
			return fmt.Errorf("column %q has values of type %s, but column %q %s: ratings must all be numbers, all texts or all booleans", names[i], c.Type, names[first], from[first].Type)
		}
	}
	kind := columns.Int
	if first >= 0 {
		kind = kindOf(from[first])
	}
	alike := slices.Clone(from)
	for i, c := range alike {
		if kindOf(c) != kind {
			alike[i] = &columns.Column{Type: kind, Ints: make([]int64, rows), Codes: make([]int32, rows), Dict: new(columns.Strings), Null: c.Null}
		}
	}
	if kind == columns.String {
		t.interleaveTexts(to, rows, alike)
		return nil
	}
	err := interleave(to, rows, alike, names)
	if kind == columns.Bool {
		to.Type = columns.Bool
	}
	return err
}

// kindOf returns the type of a column, Int for all numbers.
func kindOf(c *columns.Column) columns.Type {
	if c.Type == columns.Float {
		return columns.Int
	}
	return c.Type
}

func (t *ratings) interleaveTexts(to *columns.Column, rows int, from []*columns.Column) {
	if t.dict == nil {
		t.dict = new(columns.Strings)
	}
	width := len(from)
	t.codes = collections.Resize(t.codes, width)
	*to = columns.Column{Type: columns.String, Dict: t.dict, Codes: collections.Resize(to.Codes, rows*width), Offsets: to.Offsets[:0]}
	for r := range rows + 1 {
		to.Offsets = append(to.Offsets, int32(r*width))
	}
	for i, c := range from {
		for r, code := range c.Codes {
			null := c.IsNull(r)
			if null && to.Null == nil {
				to.Null = make([]bool, rows*width)
			}
			if at := r*width + i; null {
				to.Codes[at], to.Null[at] = 0, true
			} else {
				to.Codes[at] = t.codes[i].code(code, c.Dict, t.dict)
			}
		}
	}
}

// notCoded is a code that has not been mapped.
const notCoded = -1

// code returns the code in a table of a string that has a code in another.
func (m *recoded) code(code int32, from, in *columns.Strings) int32 {
	if m.from != from {
		m.from, m.to = from, m.to[:0]
	}
	for len(m.to) <= int(code) {
		m.to = append(m.to, notCoded)
	}
	if m.to[code] == notCoded {
		m.to[code] = in.CodeOf(from.At(code))
	}
	return m.to[code]
}
