package pipeline

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/transforms/input"
)

// Files may name the labels, too. If something else names them in another order, values in the
// order of the file's names would be attributed to the wrong labels.

// claim is a list of names of the labels in files.
type claim struct {
	names  []string
	in     *table
	file   string
	where  string // "the metadata "labels""
	column string // whose values are in the order of the names, or "" if there is none
}

// claims returns the names of the labels that files have. Those that cannot be read are left out:
// setting labels is a way around unreadable metadata.
func (l *labels) claims(t *tables) (all []claim, err error) {
	ordered, err := l.ordered(t)
	if err != nil {
		return nil, err
	}
	coded, err := l.coded(t)
	if err != nil {
		return nil, err
	}
	for _, in := range append([]*table{t.predictions}, t.others()...) {
		add := func(k *kind, names []string, where string, of func(origin) bool) {
			if names == nil {
				return
			}
			c := claim{names: names, in: in, file: k.file, where: where}
			if i := slices.IndexFunc(ordered, func(o origin) bool { return o.table == in && of(o) }); i >= 0 {
				c.column = in.column(ordered[i].role)
			}
			all = append(all, c)
		}
		for _, k := range in.kinds {
			if names, where, err := k.metadataLabels(); err == nil {
				add(k, names, where, func(o origin) bool { return !o.listed() })
			}
			for _, c := range coded {
				if c.table != in {
					continue
				}
				if names, where, err := k.classes(c.column(c.role)); err == nil {
					add(k, names, where, func(o origin) bool { return o.role == c.role })
				}
			}
		}
	}
	return all, nil
}

// checkNames compares the names of the labels with those in files. The same names in another order
// are an error if values depend on the order. Other names are a warning, which names no file,
// because the report must not depend on how rows are divided into files; but if values are in the
// order of names that other files have in another order, no labels suit both.
func (l *labels) checkNames(t *tables) error {
	if l.known == nil {
		return nil
	}
	claims, err := l.claims(t)
	if err != nil {
		return err
	}
	var others [][]string
	orders := make(map[string]claim) // by the sorted names
	for _, c := range claims {
		switch {
		case slices.Equal(c.names, l.known):
		case permuted(c.names, l.known):
			if c.column != "" {
				return t.refuseOrder(l.known, c)
			}
		default:
			others = append(others, c.names)
			if c.column == "" {
				continue
			}
			set := strings.Join(slices.Sorted(slices.Values(c.names)), "\x00")
			first, met := orders[set]
			if met && !slices.Equal(first.names, c.names) {
				a, b := differing(first.names, c.names)
				return fmt.Errorf("the labels in %s of %s are %s, but in %s of %s they are %s, and column %q is in that order: write files again, so that all have one order",
					first.where, quote.Short(first.file), a, c.where, quote.Short(c.file), b, quote.Short(c.column))
			}
			orders[set] = c
		}
	}
	if others != nil {
		ours, theirs := differing(l.known, slices.MinFunc(others, slices.Compare))
		t.warn("labels_of_files", "the labels are %s, but the metadata of files has %s: check which of them are right", ours, theirs)
	}
	return nil
}

// refuseOrder returns the error for a file that names the labels in another order than the
// configuration or other files do.
func (t *tables) refuseOrder(known []string, c claim) error {
	ours, theirs := differing(known, c.names)
	where, column := fmt.Sprintf("%s of %s", c.where, quote.Short(c.file)), c.column
	key := "labels"
	switch {
	case t.cfg.LabelsFile != "":
		key = "labels_file"
	case t.cfg.Labels == nil:
		return fmt.Errorf("the labels are %s, but %s has %s, and column %q is in that order: write files again, so that all have one order", ours, where, theirs, quote.Short(column))
	}
	return t.cfg.Errorf(key, "%s, but %s has %s, and column %q is in that order: put %s into that order, or leave it out", ours, where, theirs, column, key)
}

// ordered returns the roles whose values depend on the order of the labels: a value for each label,
// or indexes.
func (l *labels) ordered(t *tables) (all []origin, err error) {
	p, truth := t.predictions, t.labelled()
	candidates := append(t.judgements(), []origin{{p, roles.Score}, {p, roles.ScoreLabel}, {p, roles.Class}, {truth, roles.Label}, {truth, roles.Class}, {p, roles.Prediction}, {p, roles.PredictionSet}, {t.before(), roles.BaselinePrediction}, {t.before(), roles.BaselineScore}}...)
	for _, o := range candidates {
		if !o.has(o.role) || t.oneOfLabel(o) {
			continue
		}
		field, err := o.field(o.role)
		if err != nil {
			return nil, err
		}
		dense := o.role != roles.ScoreLabel && field.List && (l.encoding == input.Indicator || l.encoding == input.Distribution)
		dense = dense || o.role == roles.PredictionSet && field.Type == columns.Bool
		inOrder := dense || o.role == roles.Score || o.role == roles.BaselineScore || field.Type != columns.String && !l.Numbers
		if wide := o.wide(); wide != nil {
			unnamed := func(c config.WideColumn) bool { return !slices.Contains(l.known, c.Label) }
			inOrder = o.listed() || areNumbered(wide) && slices.ContainsFunc(wide, unnamed)
		}
		if inOrder {
			all = append(all, o)
		}
	}
	return all, nil
}

// oneOfLabel reports whether another column names the labels of the values.
func (t *tables) oneOfLabel(o origin) bool {
	switch o.role {
	case roles.Score, roles.BaselineScore:
		return o.has(roles.ScoreLabel) || o.has(roles.Class)
	case roles.Label, roles.Prediction, roles.BaselinePrediction:
		return o.has(roles.Class)
	}
	return false
}

// checkListed compares the names of the labels with those in the names of columns that are listed
// in the order of the labels.
func (t *tables) checkListed(o origin, known []string) error {
	if !o.listed() {
		return nil
	}
	names, pattern := namesIn(o.wide(), known)
	if names == nil || slices.Equal(names, known) {
		return nil
	}
	ours, theirs := differing(known, names)
	if permuted(names, known) {
		return fmt.Errorf("%s are named for the labels %s, but the labels are %s: list them in this order, or write %q, which finds it", listColumns(o.wide()), theirs, ours, pattern)
	}
	t.warn("labels_of_files", "the labels are %s, but %s are named for %s: check which of them are right", ours, listColumns(o.wide()), theirs)
	return nil
}

// namesIn returns the varying part of the names of columns, and their pattern, if the first of
// these names contains the name of a label there. If there are several such patterns, it prefers
// one by which all columns have names of labels.
func namesIn(wide []config.WideColumn, labels []string) (names []string, pattern string) {
	first := wide[0].Column
	for _, label := range labels {
		for at := range first {
			if !strings.HasPrefix(first[at:], label) {
				continue
			}
			prefix, suffix := first[:at], first[at+len(label):]
			found := between(wide, prefix, suffix)
			if names == nil || found != nil && permuted(found, labels) {
				names, pattern = found, prefix+"*"+suffix
			}
		}
	}
	return names, pattern
}

// between returns the parts of the names of columns between prefix and suffix, or nil if a name
// lacks either.
func between(wide []config.WideColumn, prefix, suffix string) (names []string) {
	for _, c := range wide {
		rest, begins := strings.CutPrefix(c.Column, prefix)
		name, ends := strings.CutSuffix(rest, suffix)
		if !begins || !ends {
			return nil
		}
		names = append(names, name)
	}
	return names
}

// permuted reports whether two lists without duplicates have the same names in any order.
func permuted(a, b []string) bool {
	return len(a) == len(b) && slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// differing formats two lists of names for messages. If lists are long, it shows some names around
// the first difference.
func differing(a, b []string) (string, string) {
	const most = 10
	from := 0
	for from < min(len(a), len(b)) && a[from] == b[from] {
		from++
	}
	if max(len(a), len(b)) <= most {
		from = 0
	}
	text := func(names []string) string {
		var some []string
		if from > 0 {
			some = append(some, "…")
		}
		for _, name := range names[from:min(len(names), from+most)] {
			some = append(some, strconv.Quote(name))
		}
		if len(names) > from+most {
			some = append(some, "…")
		}
		return quote.Short("[" + strings.Join(some, ", ") + "]")
	}
	return text(a), text(b)
}
