package comparison

import (
	"strings"

	"github.com/beameval/beameval/io/report/document"
)

// names are what people read for a and b.
type names [2]string

// nameWidth is the greatest width of a name: it heads narrow columns.
const nameWidth = 16

// names returns what a and b are [Comparison.called], shortened. If they look alike, they are a and b.
func (c *Comparison) names() names {
	short := document.CutAll([]string{c.called(0), c.called(1)}, nameWidth)
	n := names{short[0], short[1]}
	if n[0] == n[1] {
		return names{sides[0], sides[1]}
	}
	return n
}

// called returns the whole name of a, which is side 0, or of b: its model if the configurations of both
// name different ones, and otherwise as much of the end of its location as distinguishes it.
func (c *Comparison) called(side int) string {
	both := [2]string{c.A.Model, c.B.Model}
	if both[0] == "" || both[1] == "" || both[0] == both[1] {
		copy(both[:], Ends(c.A.Name, c.B.Name))
	}
	if both[0] == "" || both[1] == "" || both[0] == both[1] {
		return sides[side]
	}
	return document.OneLine(both[side])
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
