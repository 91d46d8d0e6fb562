package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/transforms"
)

// mostUnused is how many unused columns are named.
const mostUnused = 5

// unused says which columns are not used though their names say that they may be
// scores or labels: what was inferred may not be what was meant.
func (p *planner) unused(context.Context) error {
	used := slices.Concat(p.withRoles(), transforms.SliceColumns(p.plan.spec.Slices), p.left)
	var found []string
	for _, f := range p.in.files[0].schema.Fields {
		if looksUseful(f) && !slices.Contains(used, f.Path) {
			found = append(found, fmt.Sprintf("%q (%s)", f.Path, f.Physical))
		}
	}
	switch n := len(found) - mostUnused; {
	case len(found) == 0:
		return nil
	case len(found) == 1:
		p.note("not used: column %s, which looks like scores or labels; set input.columns to use it", found[0])
		return nil
	case n > 1:
		found = append(found[:mostUnused], fmt.Sprintf("%d more", n))
	}
	last := len(found) - 1
	p.note("not used: columns %s and %s, which look like scores or labels; set input.columns to use them", strings.Join(found[:last], ", "), found[last])
	return nil
}

// looksUseful says whether the words in the name of a column, without their numbers,
// have one of the names that stand for scores, of which there must be numbers, or for
// labels.
func looksUseful(f columns.Field) bool {
	words := strings.FieldsFunc(strings.ToLower(f.Path), func(r rune) bool { return !unicode.IsLetter(r) })
	name := "_" + strings.Join(words, "_") + "_"
	has := func(known string) bool { return strings.Contains(name, "_"+known+"_") }
	return slices.ContainsFunc(namesOfRole("label"), has) || slices.ContainsFunc(namesOfRole("prediction"), has) ||
		slices.Contains(numbers, f.Type) && slices.ContainsFunc(namesOfRole("score"), has)
}
