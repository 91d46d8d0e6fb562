package comparison

import (
	"slices"
	"strings"

	"github.com/beameval/beameval/io/report/document"
)

// names are what people read for a and b.
type names [2]string

// nameWidth is the greatest width of a name: it heads narrow columns.
const nameWidth = 16

// names returns the models of both reports if their configurations name different ones, and
// otherwise as much of the ends of their locations as distinguishes them. If they are the same, or
// are when shortened, they are called a and b.
func (c *Comparison) names() names {
	a, b := c.A.Model, c.B.Model
	if a == "" || b == "" || a == b {
		a, b = lastOf(c.A.Name, c.B.Name)
	}
	short := func(s string) string { return document.Cut(document.OneLine(s), nameWidth) }
	n := names{short(a), short(b)}
	if a == "" || b == "" || n[0] == n[1] {
		return names{sides[0], sides[1]}
	}
	return n
}

// lastOf returns the shortest ends of two paths that differ, made of whole elements.
func lastOf(a, b string) (string, string) {
	split := func(path string) []string {
		return strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
	}
	x, y := split(a), split(b)
	last := func(path []string, n int) []string { return path[max(0, len(path)-n):] }
	n := 1
	for n < max(len(x), len(y)) && slices.Equal(last(x, n), last(y, n)) {
		n++
	}
	return strings.Join(last(x, n), "/"), strings.Join(last(y, n), "/")
}

// reason returns the reason of a difference, in which a and b may be the last word.
func (n names) reason(text string) string {
	for i, side := range sides {
		if before, found := strings.CutSuffix(text, " in "+side); found {
			return before + " in " + n[i]
		}
	}
	return text
}

// difference says what is subtracted from what.
func (n names) difference() string { return n[1] + " − " + n[0] }
