package pipeline

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/quote"
)

// notes tell people what was inferred.
type notes struct {
	lines    []string
	warnings []string // of lines, those that the report repeats
}

func (n *notes) note(format string, args ...any) {
	n.lines = append(n.lines, fmt.Sprintf(format, quote.Args(args)...))
}

// warn adds a note that the report repeats.
func (n *notes) warn(format string, args ...any) {
	n.note(format, args...)
	n.warnings = append(n.warnings, n.lines[len(n.lines)-1])
}

// mostUnused is how many unused columns are named.
const mostUnused = 5

// noteUnused names columns that are not used although their names suggest scores or labels:
// they may have been meant.
func (t *tables) noteUnused() {
	used := slices.Concat(t.predictions.taken(), t.left)
	for _, set := range t.cfg.AllSlices() {
		for _, c := range set {
			used = append(used, c.Column)
		}
	}
	var found []string
	for _, f := range t.predictions.files[0].schema.Fields {
		if looksUseful(f) && !slices.Contains(used, f.Path) {
			found = append(found, fmt.Sprintf("%q (%s)", f.Path, f.Physical))
		}
	}
	if n := len(found) - mostUnused; n > 1 {
		found = append(found[:mostUnused], fmt.Sprintf("%d more", n))
	}
	if found != nil {
		t.note("not used, but named like scores or labels: %s; set input.columns to use them", strings.Join(found, ", "))
	}
}

// mostTypes is of how many columns the inferred types are named.
const mostTypes = 20

// noteTypes names the types of columns that were inferred from their values.
func (t *tables) noteTypes(d *dataset, of string) {
	if !d.inferred {
		return
	}
	var types []string
	for _, f := range d.files[0].schema.Fields {
		types = append(types, fmt.Sprintf("%q %s", f.Path, f.Physical))
	}
	if n := len(types) - mostTypes; n > 1 {
		types = append(types[:mostTypes], fmt.Sprintf("%d more", n))
	}
	t.note("types of columns%s, by all their values: %s", of, strings.Join(types, ", "))
}

// looksUseful says whether the words in a column's name, without their numbers, contain a
// usual name of labels or, if the column has numbers, of scores.
func looksUseful(f columns.Field) bool {
	words := strings.FieldsFunc(strings.ToLower(f.Path), func(r rune) bool { return !unicode.IsLetter(r) })
	name := "_" + strings.Join(words, "_") + "_"
	has := func(known string) bool { return strings.Contains(name, "_"+known+"_") }
	return slices.ContainsFunc(roleLabel.names(), has) || slices.ContainsFunc(rolePrediction.names(), has) ||
		slices.Contains(numbers, f.Type) && slices.ContainsFunc(roleScore.names(), has)
}
