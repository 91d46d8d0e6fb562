package comparison

import (
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/collections"
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

// called returns the whole name of a, which is side 0, or of b; see [Names].
func (c *Comparison) called(side int) string {
	both := Names([]string{c.A.Model, c.B.Model}, []string{c.A.Name, c.B.Name})
	if !distinct(both) {
		return sides[side]
	}
	return document.OneLine(both[side])
}

// Names returns what reports are called: their models if the configurations of all name different
// ones, and otherwise as much of the ends of their locations as distinguishes them.
func Names(models, paths []string) []string {
	if distinct(models) {
		return models
	}
	return shortest(paths)
}

// distinct reports whether no names are empty or the same.
func distinct(names []string) bool {
	set := collections.Set(slices.Values(names))
	return len(set) == len(names) && !set[""]
}

// shortest returns the shortest ends of paths of which no two are the same, made of as many whole
// elements of each. If two paths are the same, it returns the paths.
func shortest(paths []string) []string {
	split, most := make([][]string, len(paths)), 1
	for i, path := range paths {
		split[i] = strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
		most = max(most, len(split[i]))
	}
	var short []string
	for n := 1; n <= most; n++ {
		short = collections.Map(split, func(path []string) string { return strings.Join(path[max(0, len(path)-n):], "/") })
		if len(collections.Set(slices.Values(short))) == len(paths) {
			break
		}
	}
	return short
}

// difference says what is subtracted from what.
func (n names) difference() string { return n[1] + " − " + n[0] }
