package conformance

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/text"
)

// judge reads a file in all roles, and compares it with the answers of other libraries.
func (r *Result) judge(path, name, format string, ask Oracle) error {
	src, err := sourceOf(path, name)
	if err != nil {
		return err
	}
	answers, err := ask(path, format)
	if err != nil {
		return err
	}
	if format == besideFormat {
		format = text.CSV
	}
	if r.Counts[format] == nil {
		r.Counts[format] = new(Counts)
	}
	j := &judgement{Result: r, Counts: r.Counts[format], format: format, file: name, answers: readable(answers)}
	j.Files++
	for _, role := range newRoles() {
		f, err := role.open(src, format)
		if err != nil {
			j.refused("", err)
			return nil // in all roles
		}
		j.columns(f, &role)
	}
	if len(j.answers) == 0 && j.read > 0 {
		j.find(Alone, "", answers[0].By+": "+answers[0].Refused)
	}
	return nil
}

// readable returns the answers of libraries that read the file.
func readable(answers []Answer) []Answer {
	return slices.DeleteFunc(slices.Clone(answers), func(a Answer) bool { return a.Refused != "" })
}

// judgement is about one file.
type judgement struct {
	*Result
	*Counts
	format, file string
	answers      []Answer // of libraries that read it
	read         int      // columns, in any role
	met          map[Finding]bool
}

// find adds a finding, once for all roles.
func (j *judgement) find(kind Kind, column, what string) {
	f := Finding{Kind: kind, Format: j.format, File: j.file, Column: column, What: firstLine(what)}
	if j.met[f] {
		return
	}
	if j.met == nil {
		j.met = map[Finding]bool{}
	}
	j.met[f] = true
	if kind == Refused || kind == Against {
		f.Reason = reasonOf(j.Corpus, j.file, f.What)
	}
	if kind == Crashed {
		f.What = what
	}
	j.Findings = append(j.Findings, f)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// refused adds the finding for an error: of a column, or of the file.
func (j *judgement) refused(column string, err error) {
	lacks, bad := wrongDictionary{}, crash{}
	switch {
	case errors.As(err, &bad):
		j.Counts.Crashed++
		j.find(Crashed, column, bad.what)
	case errors.As(err, &lacks):
		j.Counts.Wrong++
		j.find(Wrong, column, err.Error())
	case len(j.answers) == 0:
		j.find(Agreed, column, err.Error())
	default:
		j.find(Refused, column, err.Error())
	}
}

// columns reads all columns in a role.
func (j *judgement) columns(f columns.File, role *role) {
	schema := f.Schema()
	leaves := slices.Concat(schema.Fields, schema.Unreadable)
	slices.SortStableFunc(leaves, func(a, b columns.Field) int { return cmp.Compare(a.Leaf, b.Leaf) })
	first := role.name == "score"
	if first {
		j.Columns += len(leaves)
		j.missing(leaves)
	}
	for place, field := range leaves {
		switch {
		case field.Reason != "":
			if first {
				j.refused(field.Path, errors.New(field.Reason))
			}
			continue
		case !first && (field.Type == columns.Float || field.Type != columns.String && !role.dictionary):
			continue // it is read as in the first role
		}
		values, err := role.read(f, field)
		if err != nil {
			j.refused(field.Path, err)
			continue
		}
		j.read++
		j.compare(place, len(leaves), field, values, role)
	}
}

// missing finds columns that another library has, with values, and that were not found.
func (j *judgement) missing(leaves []columns.Field) {
	for _, a := range j.answers[:min(len(j.answers), 1)] {
		for place := range a.Columns {
			c := &a.Columns[place]
			found := j.format != text.JSON && len(a.Columns) == len(leaves) || slices.ContainsFunc(leaves, func(f columns.Field) bool {
				return bare(f.Path) == c.Path || strings.HasPrefix(c.Path, bare(f.Path)+".") // below a column that cannot be read
			})
			if !found && slices.ContainsFunc(c.Values, func(v any) bool { return v != nil }) {
				j.Counts.Wrong++
				j.find(Wrong, c.Path, "a column of "+a.By+" that was not found")
			}
		}
	}
}

// compare compares a column with what other libraries read, until one agrees.
func (j *judgement) compare(place, leaves int, field columns.Field, values []any, role *role) {
	if len(j.answers) == 0 {
		return
	}
	j.Values += len(values)
	var differences []string
	for _, a := range j.answers {
		difference := j.difference(a, place, leaves, field, values)
		if difference == "" {
			j.Equal += len(values)
			if differences != nil {
				j.find(Against, field.Path, strings.Join(differences, "; "))
			}
			return
		}
		differences = append(differences, a.By+": "+difference)
	}
	what := strings.Join(differences, "; ")
	if reasonOf(j.Corpus, j.file, what) != nil {
		j.Counts.Against += len(values)
		j.find(Against, field.Path, what)
		return
	}
	j.Counts.Wrong += len(values)
	j.find(Wrong, field.Path, "as "+role.name+": "+what)
}

// difference says how values differ from an answer, or returns "".
func (j *judgement) difference(a Answer, place, leaves int, field columns.Field, values []any) string {
	want := columnOf(a, j.format, place, leaves, field)
	switch {
	case want == nil:
		return "no such column"
	case len(want.Values) != len(values):
		return fmt.Sprintf("%d rows, and %d were read", len(want.Values), len(values))
	}
	for row, v := range values {
		if !same(v, want.Values[row], field) {
			return fmt.Sprintf("row %d is %s, and %s was read", row, shown(want.Values[row]), shown(v))
		}
	}
	return ""
}

func shown(v any) string { return fmt.Sprintf("%.60q", fmt.Sprint(v)) }

// columnOf returns the column of an answer: at its place among all leaves, or by its path.
func columnOf(a Answer, format string, place, leaves int, field columns.Field) *Column {
	if format != text.JSON && len(a.Columns) == leaves {
		return &a.Columns[place]
	}
	for i := range a.Columns {
		if a.Columns[i].Path == bare(field.Path) {
			return &a.Columns[i]
		}
	}
	return nil
}

// bare returns a path without backquotes.
func bare(path string) string { return strings.ReplaceAll(path, "`", "") }
