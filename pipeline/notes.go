package pipeline

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/transforms/checks"
)

// notes tell people what was inferred.
type notes struct {
	lines []string
	found []checks.Said // the lines that the report repeats
}

func (n *notes) note(format string, args ...any) {
	n.lines = append(n.lines, fmt.Sprintf(format, quote.Args(args)...))
}

// warn adds a note that the report repeats, as what a check found.
func (n *notes) warn(check, format string, args ...any) {
	n.note(format, args...)
	n.found = append(n.found, checks.Said{Name: check, Message: n.lines[len(n.lines)-1]})
}

// warnOfTruth warns of labels that are compared with themselves.
func (t *tables) warnOfTruth() {
	p := t.predictions
	for _, r := range []roles.Role{roles.Score, roles.Prediction, roles.BaselinePrediction, roles.BaselineScore, roles.Judged} {
		if p.has(r) && p.column(r) == p.column(roles.Label) {
			t.warn("compared_with_itself", "label and %s are both column %q, which is compared with itself: name another column for one of them", r, p.column(r))
		}
	}
}

// mostUnused is the maximum number of unused columns that a note names.
const mostUnused = 5

// noteUnused names unused columns whose names suggest scores or labels, because they may have been
// intended for use.
func (t *tables) noteUnused() {
	used := slices.Concat(t.predictions.taken(), t.left)
	for _, set := range t.cfg.AllSlices() {
		for _, c := range set {
			used = append(used, c.Column)
		}
	}
	for r := range roles.All() {
		used = append(used, t.warnPartly(r, used)...)
	}
	t.warnWeightsOfTruth()
	t.warnOfTruth()
	var found []string
	for _, f := range t.predictions.files[0].schema.Fields {
		if looksUseful(f) && !slices.Contains(used, f.Path) {
			found = append(found, fmt.Sprintf("%q (%s)", f.Path, f.Physical))
		}
	}
	for r := range roles.All() {
		others := t.alsoNamed(r, used)
		if len(others) > 0 {
			t.note("%s: column %q is taken; %s of the same meaning by name: not used", r, t.predictions.column(r), strings.Join(others, ", "))
		}
	}
	if n := len(found) - mostUnused; n > 1 {
		found = append(found[:mostUnused], fmt.Sprintf("%d more", n))
	}
	if found != nil {
		t.note("not used, but named like scores or labels: %s; set input.columns to use them", strings.Join(found, ", "))
	}
}

// warnPartly warns of columns with a usual name of a role that some files have and others lack. They are not used, as
// weights that not all rows have, and are returned.
func (t *tables) warnPartly(r roles.Role, used []string) (partly []string) {
	p, of := t.predictions, r.Of()
	if !p.vacant(r) || r == roles.Label && t.truth != nil || of.Tasks != 0 && of.Tasks&roles.Task(t.task) == 0 || t.needless(r) {
		return nil
	}
	for _, k := range p.kinds {
		for _, f := range k.schema.Fields {
			usual := slices.ContainsFunc(of.Names, func(name string) bool { return strings.EqualFold(name, f.Path) })
			if !usual || slices.Contains(used, f.Path) || slices.Contains(partly, f.Path) || p.everywhere(f.Path) {
				continue
			}
			partly = append(partly, f.Path)
			lacking := p.kinds[slices.IndexFunc(p.kinds, func(k *kind) bool { return !k.has(f.Path) })]
			t.warn("unused_columns", "column %q is not used: %s has it, but %s does not; write it to all files, or set %s to null if it is not meant", f.Path, k.file, lacking.file, p.key(r))
		}
	}
	return partly
}

// warnWeightsOfTruth warns of weights that only the truth has: only the predictions' weights are
// used.
func (t *tables) warnWeightsOfTruth() {
	if t.truth == nil || !t.predictions.vacant(roles.Weight) {
		return
	}
	if column := t.truth.find(roles.Weight.Of().Names, anyColumn); column != "" {
		t.warn("unused_columns", "column %q of the truth is not used: weights are read from the predictions; write it there, or set %s to null if it is not meant", column, t.predictions.key(roles.Weight))
	}
}

// needless reports whether a role is of ids that nothing uses.
func (t *tables) needless(r roles.Role) bool {
	return r.IsID() && !t.byID() && t.listed() == "" && t.cfg.Confidence == nil
}

// alsoNamed returns the unused columns that have a usual name of a role whose column was found by its name. Those that
// are named like scores or labels are noted anyway, and ids that nothing uses do not matter.
func (t *tables) alsoNamed(r roles.Role, used []string) (others []string) {
	p := t.predictions
	if !p.found[r] || !p.has(r) || t.needless(r) {
		return nil
	}
	for _, f := range p.files[0].schema.Fields {
		same := func(name string) bool { return roles.Same(f.Path, name) }
		if slices.ContainsFunc(r.UsualNames(roles.OfInput), same) && !slices.Contains(used, f.Path) && !looksUseful(f) {
			others = append(others, fmt.Sprintf("%q", f.Path))
		}
	}
	return others
}

// mostTypes is the maximum number of columns whose inferred types a note names.
const mostTypes = 20

// noteTypes names the types of columns that were inferred from their values.
func (t *tables) noteTypes(d *dataset, of string) {
	for _, k := range d.kinds {
		if k.warning != "" {
			t.warn("odd_files", "%s: %s", k.file, k.warning)
		}
	}
	if first := &d.files[0]; d.recognized != "" {
		t.note("%s: read as %s, by its lines; set %s if it is something else", first.info.Name, first.whole.Format, d.recognized)
	}
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

// looksUseful reports whether the words in a column's name, without numbers, contain a usual name
// of labels or, for a column of numbers, of scores.
func looksUseful(f columns.Field) bool {
	words := strings.FieldsFunc(strings.ToLower(f.Path), func(r rune) bool { return !unicode.IsLetter(r) })
	name := "_" + strings.Join(words, "_") + "_"
	has := func(known string) bool { return strings.Contains(name, "_"+known+"_") }
	return slices.ContainsFunc(roles.Label.Of().Names, has) || slices.ContainsFunc(roles.Prediction.Of().Names, has) ||
		slices.Contains(numbers, f.Type) && slices.ContainsFunc(roles.Score.Of().Names, has)
}
