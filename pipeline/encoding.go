package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/transforms/input"
)

// findIntegers determines what integers and booleans mean in columns of labels if labels have names: the
// label of that name if all names are integers, or all are booleans; an index if none is. If only some are,
// input.label_encoding must decide. A ClassLabel column always holds indexes.
func (l *labels) findIntegers(t *tables) error {
	number, err := l.numberOfLabel(t)
	if err != nil || number.Path == "" {
		return err
	}
	known := l.Vocabulary // a copy, because its interpretation of integers is not settled yet
	integers := known.IntegerNames()
	coded, err := l.coded(t)
	if err != nil {
		return err
	}
	isClassLabel := func(o origin) bool { return o.isClassLabel(o.column(o.role)) }
	boolean := number.Type == columns.Bool
	switch byName := l.written == config.EncodingNames; {
	case len(integers) == 0 || l.written == config.EncodingIndices:
	case !byName && !known.Numbered() && slices.ContainsFunc(coded, isClassLabel):
		l.written = config.EncodingIndices
		t.note("label_encoding: %s (column %q is a ClassLabel)", config.EncodingIndices, number.Path)
	case len(integers) < known.Len() && !byName:
		return t.cfg.Errorf("labels", "column %q is %s, and %d of the %d labels are integers, but not all: set input.label_encoding to %s if %s means the label of that name, or to %s if it means the index of the label, from 0",
			number.Path, number.Physical, len(integers), known.Len(), config.EncodingNames, integers[0], config.EncodingIndices)
	case boolean && !byName && !known.Booleans() && !known.Numbered():
		return t.cfg.Errorf("labels", "column %q is %s, and the labels are numbers in another order than 0 and 1: write the labels as true and false, or set input.label_encoding to %s if true means 1, or to %s if it means the index 1 of the labels",
			number.Path, number.Physical, config.EncodingNames, config.EncodingIndices)
	case byName || !known.Numbered():
		l.Numbers = true
	}
	if a, b, same := known.SameInteger(); l.Numbers && same {
		return t.cfg.Errorf("labels", "%q and %q are the same in column %q, which is %s: leave one out", a, b, number.Path, number.Physical)
	}
	if l.Numbers && t.task == metrics.Multiclass {
		t.note("label_encoding: %s (column %q is %s: %s match labels by value)", config.EncodingNames, number.Path, number.Physical, map[bool]string{false: "integers", true: "booleans"}[boolean])
	}
	return nil
}

// numberOfLabel returns the first column of numbers that refer to labels, if there is one.
func (l *labels) numberOfLabel(t *tables) (columns.Field, error) {
	naming, err := t.naming()
	if err != nil {
		return columns.Field{}, err
	}
	switch l.written {
	case config.EncodingIndicator: // only scores can name labels
		naming = slices.DeleteFunc(naming[1:], func(f columns.Field) bool { return f.Path != t.predictions.column(roles.ScoreLabel) })
	case config.EncodingDistribution:
		naming = naming[1:]
	}
	wide := func(f columns.Field) bool { // several columns do not refer to labels by numbers
		return slices.ContainsFunc(t.wideOrigins(), func(o origin) bool { return o.column(o.role) == f.Path })
	}
	i := slices.IndexFunc(naming, func(f columns.Field) bool { return (numeric(f) || f.Type == columns.Bool && !f.List) && !wide(f) })
	if i < 0 {
		return columns.Field{}, nil
	}
	return naming[i], nil
}

// findEncoding determines how the labels of multilabel examples are encoded.
func (l *labels) findEncoding(t *tables) error {
	field, err := t.labelled().field(roles.Label)
	if t.task != metrics.Multilabel || err != nil {
		return err
	}
	if !field.List {
		if l.written == config.EncodingIndicator {
			return t.cfg.Errorf("input.label_encoding", "says how lists of labels are written, but column %q is %s", field.Path, field.Physical)
		}
		return nil
	}
	if naming, err := t.naming(); err != nil {
		return err
	} else if field.Null {
		field.Type = naming[0].Type
	}
	wide := t.labelled().columns[roles.Label].Wide != nil
	if l.written == "" {
		why := ""
		l.written, l.guessed, why = l.guessEncoding(field, wide)
		t.note("label_encoding: %s (%s)", l.written, why)
	}
	if l.written != config.EncodingIndicator && (wide || t.predictions.columns[roles.Prediction].Wide != nil) {
		return t.cfg.Errorf("input.label_encoding", "%s, but there is a column for each label, which means %s: true labels and predictions must be written alike", l.written, config.EncodingIndicator)
	}
	if named := l.written == config.EncodingNames; named != (field.Type == columns.String) && !(named && l.Numbers) {
		return t.cfg.Errorf("input.label_encoding", "%s, but column %q is %s", l.written, field.Path, field.Physical)
	}
	l.encoding = input.Encoding(l.written)
	return nil
}

// guessEncoding infers the encoding of lists of labels from the type of their column.
func (l *labels) guessEncoding(field columns.Field, wide bool) (written string, guessed bool, why string) {
	why = fmt.Sprintf("column %q is %s", field.Path, field.Physical)
	switch {
	case wide:
		return config.EncodingIndicator, false, "a column for each label"
	case field.Type == columns.String:
		return config.EncodingNames, true, why
	case field.Type == columns.Bool:
		return config.EncodingIndicator, false, why
	case l.Numbers:
		return config.EncodingNames, true, why + ": integers match labels by value"
	}
	return config.EncodingIndices, true, why
}

// firstLists is the number of lists that must look like indicators to be taken for such.
const firstLists = 4096

// refuseIndicators rejects lists of 0 and 1 if nothing says whether they have an indicator for each
// label or the indexes of labels. If they are indexes, one of the first lists nearly always has
// another number or another length.
func (l *labels) refuseIndicators(ctx context.Context, t *tables) error {
	if !l.guessed {
		return nil
	}
	field, err := t.labelled().field(roles.Label)
	if err != nil {
		return err
	}
	advice := fmt.Sprintf("set it to %s if they have a 0 or 1 for each label, or to %s if they list the labels 0 and 1", input.Indicator, input.Indices)
	if field.Type == columns.String {
		advice = fmt.Sprintf("column %q has names of labels: predictions must be lists of names, too", field.Path)
	}
	for _, in := range []origin{{t.labelled(), roles.Label}, {t.predictions, roles.Prediction}} {
		first, err := l.findIndicators(ctx, in)
		switch {
		case err != nil:
			return err
		case first != "":
			return t.cfg.Errorf("input.label_encoding", "%s: all lists have only 0 and 1: %s", first, advice)
		}
	}
	return nil
}

// findIndicators returns the place and the values of the first list in a column if all of the first
// lists may be indicators; otherwise "".
func (l *labels) findIndicators(ctx context.Context, o origin) (first string, err error) {
	column := o.column(o.role)
	if column == "" {
		return "", nil
	}
	if field, err := o.field(o.role); err != nil || field.Type == columns.String {
		return "", err
	}
	lists := 0
	err = o.scan(ctx, column, 64, func(at place, batch *columns.Batch) (more bool) {
		c := &batch.Columns[0]
		for r := range batch.Rows {
			from, to := int(c.Offsets[r]), int(c.Offsets[r+1])
			switch {
			case from == to:
				continue
			case !mayIndicate(c, from, to, l.Len()):
				first = ""
				return false
			case first == "":
				first = fmt.Sprintf("%s: column %q: %s", at.of(batch, r), column, listOf(c, from, to))
			}
			if lists++; lists == firstLists {
				return false
			}
		}
		return true
	})
	return first, err
}

// mayIndicate reports whether a list may have a 0 or 1 for each label: it has as many elements as
// there are labels (0 if unknown), or a duplicate, which a list of labels never has.
func mayIndicate(c *columns.Column, from, to, labels int) bool {
	var met [2]bool
	twice := false
	for i := from; i < to; i++ {
		x := textOf(c, i)
		if c.IsNull(i) || x != "0" && x != "1" {
			return false
		}
		at := int(x[0] - '0')
		twice = twice || met[at]
		met[at] = true
	}
	return twice || to-from == labels || labels == 0 && to-from > 1
}

// listOf formats a list for messages. If the list is long, it shows the first values.
func listOf(c *columns.Column, from, to int) string {
	const most = 10
	var values []string
	for i := from; i < min(to, from+most); i++ {
		values = append(values, textOf(c, i))
	}
	if to-from > most {
		values = append(values, "…")
	}
	return "[" + strings.Join(values, ",") + "]"
}
