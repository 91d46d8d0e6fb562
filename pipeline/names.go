package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/transforms/input"
)

// findNames takes the names of labels from the configuration, from its labels_file or from the
// files.
func (l *labels) findNames(ctx context.Context, t *tables) error {
	if t.cfg.LabelsFile != "" {
		return l.readFile(ctx, t.cfg.LabelsFile)
	}
	if l.Names = t.cfg.Labels; len(l.Names) == 0 && l.number == 0 {
		names, where, err := l.namesInFiles(t)
		if err != nil {
			return err
		}
		if l.Names = names; names != nil {
			t.note("labels: %d (from %s)", len(names), where)
		}
	}
	l.known = l.Names
	return nil
}

// manyNames is the maximum number of names of labels that are part of the pipeline. Runners copy
// the pipeline many times, and Dataflow rejects pipelines of more than 10 MB. Workers read a longer
// list of names from its file.
const manyNames = 20_000

// readFile takes the names of labels from labels_file.
func (l *labels) readFile(ctx context.Context, file string) error {
	names, version, err := input.ReadNames(ctx, file, "")
	if err != nil {
		return fmt.Errorf("labels_file: %w", err)
	}
	first := make(map[string]int, len(names))
	for i, n := range names {
		if j, twice := first[n]; twice {
			return fmt.Errorf("labels_file: %s: lines %d and %d have the same name %q", file, j+1, i+1, n)
		}
		first[n] = i
	}
	l.known = names
	if len(names) <= manyNames {
		l.Names = names
		return nil
	}
	l.number = len(names) // the report repeats it
	l.File, l.FileVersion, l.Count = file, version, len(names)
	return nil
}

// checkLengths returns an error if the name of a label is too long.
func (l *labels) checkLengths(t *tables) error {
	for i, name := range l.known {
		if err := t.predictions.options.CheckName(len(name)); err != nil {
			where := ""
			if t.cfg.LabelsFile != "" {
				where = fmt.Sprintf("labels_file: %s: line %d: ", t.cfg.LabelsFile, i+1)
			}
			return fmt.Errorf("%slabel %d is %w", where, i, err)
		}
	}
	return nil
}

// The metadata keys of a file that may hold the names of the labels. The value of the first is the
// names. The value of the second is an object that may have the first as a key: pandas writes the
// attrs of a DataFrame there. The value of the third describes the columns of a Hugging Face data
// set.
const (
	labelsKey   = "labels"
	attrsKey    = "PANDAS_ATTRS"
	featuresKey = "huggingface"
)

// namesInFiles returns the names of the labels that the files themselves have, which must agree, and
// where they are, or nil. The names of a ClassLabel column are used if the metadata have none for
// all columns.
func (l *labels) namesInFiles(t *tables) (names []string, where string, err error) {
	if names, where, err = t.predictions.agreedNames((*kind).metadataLabels); names != nil || err != nil {
		return names, where, err
	}
	coded, err := l.coded(t)
	for _, o := range coded {
		if names != nil || err != nil {
			break
		}
		names, where, err = o.agreedNames(func(k *kind) ([]string, string, error) { return k.classes(o.column(o.role)) })
	}
	return names, where, err
}

// agreedNames returns the names of labels in files, which must agree, and where they are.
func (d *dataset) agreedNames(of func(*kind) ([]string, string, error)) (names []string, where string, err error) {
	for i, k := range d.kinds {
		list, in, err := of(k)
		switch {
		case err != nil:
			return nil, "", fmt.Errorf("%s: %w; mend it or set labels", k.file, err)
		case i == 0:
			names, where = list, in
		case !slices.Equal(list, names):
			a, b := differing(names, list)
			return nil, "", fmt.Errorf("the labels in the metadata of %s are %s, but in %s they are %s: set labels; if values are in the order of these, write one of the files again", d.kinds[0].file, a, k.file, b)
		}
	}
	return names, where, nil
}

// metadataLabels returns the names of the labels in the metadata of a file, and where they are, or
// nil if there are none.
func (k *kind) metadataLabels() (names []string, where string, err error) {
	var attrs map[string]json.RawMessage
	if k.attrs != "" && json.Unmarshal([]byte(k.attrs), &attrs) != nil {
		return nil, "", fmt.Errorf("the metadata %q must be a JSON object", attrsKey)
	}
	for _, m := range []struct{ key, field, text string }{{labelsKey, labelsKey, k.labels}, {attrsKey, attrsKey + "." + labelsKey, string(attrs[labelsKey])}} {
		if m.text == "" {
			continue
		}
		list, err := labelsOfJSON(m.field, m.text)
		switch {
		case err != nil:
			return nil, "", err
		case names == nil:
			names, where = list, fmt.Sprintf("the metadata %q", m.key)
		case !slices.Equal(list, names):
			return nil, "", fmt.Errorf("the metadata %q and the %q of %q differ", labelsKey, labelsKey, attrsKey)
		}
	}
	return names, where, nil
}

// coded returns the roles of columns that may hold indexes of labels: columns of numbers that do not
// have a value for each label.
func (l *labels) coded(t *tables) (all []origin, err error) {
	for _, o := range t.namingRoles() {
		dense := l.written == config.EncodingIndicator || l.written == string(input.Distribution)
		if o.wide() != nil || dense && o.role != roles.ScoreLabel {
			continue
		}
		field, err := o.field(o.role)
		if err != nil {
			return nil, err
		}
		if !field.Null && (field.Type == columns.Int || !field.List && field.Type != columns.String) {
			all = append(all, o)
		}
	}
	return all, nil
}

// isClassLabel reports whether a column has the type ClassLabel in any file.
func (d *dataset) isClassLabel(path string) bool {
	return slices.ContainsFunc(d.kinds, func(k *kind) bool {
		names, _, err := k.classes(path)
		return err == nil && names != nil
	})
}

// classes returns the names of the labels of a ClassLabel column, and where they are, or nil if the
// file does not describe the column as such. If dataset_info.json and the metadata describe it, they
// must agree.
func (k *kind) classes(path string) (names []string, where string, err error) {
	field, err := k.schema.Lookup(path)
	if err != nil {
		return nil, "", err
	}
	for _, d := range []struct{ text, where string }{{k.info, "dataset_info.json"}, {k.features, fmt.Sprintf("the metadata %q", featuresKey)}} {
		list, err := input.ClassNames(d.text, field.Name)
		switch {
		case err != nil:
			return nil, "", fmt.Errorf("%s: %w", d.where, err)
		case names == nil:
			names, where = list, d.where
		case list != nil && !slices.Equal(list, names):
			a, b := differing(names, list)
			return nil, "", fmt.Errorf("column %q has the labels %s in %s, but %s in %s", path, a, where, b, d.where)
		}
	}
	return names, where, nil
}

// labelsOfJSON returns the names in a JSON array. Numbers and booleans are converted to text, as in
// a configuration.
func labelsOfJSON(key, text string) ([]string, error) {
	var raw []json.RawMessage
	err := json.Unmarshal([]byte(text), &raw)
	names := make([]string, len(raw))
	for i, r := range raw {
		switch {
		case r[0] == '"':
			err = errors.Join(err, json.Unmarshal(r, &names[i]))
		case strings.ContainsRune("[{n", rune(r[0])):
			return nil, fmt.Errorf("element %d of the metadata %q is %s: expected a label", i, key, r)
		default:
			names[i] = string(r)
		}
	}
	if err != nil || len(raw) == 0 {
		return nil, fmt.Errorf("the metadata %q must be a JSON array of labels, such as [\"ham\", \"spam\"]", key)
	}
	return names, nil
}
