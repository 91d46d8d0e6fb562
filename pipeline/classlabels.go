package pipeline

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/transforms/input"
)

// Files of Hugging Face data sets describe their columns as features. A feature of the type
// ClassLabel holds indexes of labels, and has the names of these.

// coded returns the roles of columns that may hold indexes of labels: columns of numbers that do not
// have a value for each label.
func (l *labels) coded(t *tables) (all []origin, err error) {
	for _, o := range t.namingRoles() {
		dense := l.written == config.EncodingIndicator || l.written == string(input.Distribution)
		if o.wide() != nil || dense && o.role != roleScoreLabel {
			continue
		}
		field, err := o.field(o.role)
		if err != nil {
			return nil, err
		}
		if field.Type == columns.Int {
			all = append(all, o)
		}
	}
	return all, nil
}

// isClassLabel reports whether a column is of the type ClassLabel in any file.
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
		list, err := classesIn(d.text, field.Name)
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

// classesIn returns the names of the labels of a column in a description of features, which is a
// JSON object with the key features, or with this object below the key info.
func classesIn(text string, column columns.Name) ([]string, error) {
	if text == "" {
		return nil, nil
	}
	var described struct {
		Features any
		Info     struct{ Features any }
	}
	if err := json.Unmarshal([]byte(text), &described); err != nil {
		return nil, fmt.Errorf("expected a JSON object with the features of a data set: %w", err)
	}
	if described.Features == nil {
		described.Features = described.Info.Features
	}
	return classesOf(described.Features, columns.Name{}, column)
}

// classesOf returns the names of the labels of a column at or below a feature of the given name.
// Lists do not add to names. Before version 4 of the library datasets, they were called Sequence, or
// were arrays with one feature.
func classesOf(feature any, name, column columns.Name) (names []string, err error) {
	switch f := feature.(type) {
	case []any:
		if len(f) == 1 {
			return classesOf(f[0], name, column)
		}
	case map[string]any:
		switch kind, typed := f["_type"].(string); {
		case !typed:
			for _, child := range slices.Sorted(maps.Keys(f)) {
				if names, err = classesOf(f[child], name.Below(child), column); names != nil || err != nil {
					return names, err
				}
			}
		case kind == "ClassLabel" && name == column:
			return stringsOf(f["names"])
		default:
			return classesOf(f["feature"], name, column)
		}
	}
	return nil, nil
}

// stringsOf returns the names of a ClassLabel. It may have none.
func stringsOf(names any) (list []string, err error) {
	all, _ := names.([]any)
	for i, name := range all {
		text, ok := name.(string)
		if !ok {
			return nil, fmt.Errorf("name %d of a ClassLabel is %v: expected a string", i, name)
		}
		list = append(list, text)
	}
	return list, nil
}
