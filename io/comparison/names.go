package comparison

import (
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
		ends := Ends(c.A.Name, c.B.Name)
		a, b = ends[0], ends[1]
	}
	short := func(s string) string { return document.Cut(document.OneLine(s), nameWidth) }
	n := names{short(a), short(b)}
	if a == "" || b == "" || n[0] == n[1] {
		return names{sides[0], sides[1]}
	}
	return n
}

// Ends returns the shortest ends of paths of which no two are the same, made of as many whole
// elements of each. If two paths are the same, it returns the paths.
func Ends(paths ...string) []string {
	split, most := make([][]string, len(paths)), 1
	for i, path := range paths {
		split[i] = strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
		most = max(most, len(split[i]))
	}
	var ends []string
	for n := 1; n <= most; n++ {
		met := map[string]bool{}
		ends = ends[:0]
		for _, path := range split {
			end := strings.Join(path[max(0, len(path)-n):], "/")
			ends, met[end] = append(ends, end), true
		}
		if len(met) == len(paths) {
			break
		}
	}
	return ends
}

// difference says what is subtracted from what.
func (n names) difference() string { return n[1] + " − " + n[0] }
