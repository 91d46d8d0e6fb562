package input

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/files"
)

// Files of Hugging Face data sets describe their columns as features. A feature of the type
// ClassLabel holds indexes of labels, and has the names of these.

// Features returns, by file name, the description of the features of the data set to which each
// listed file belongs: the content of dataset_info.json. Files that a pattern named have none.
func Features(ctx context.Context, found []files.Info) (map[string]string, error) {
	texts := make(map[string]string) // by folder
	for _, folder := range savedFolders(found) {
		text, err := readBeside(ctx, folder, "dataset_info.json")
		if err != nil {
			return nil, err
		}
		texts[folder] = string(text)
	}
	described := make(map[string]string)
	for _, f := range found {
		if folder, _ := split(f.Name); !f.Named {
			described[f.Name] = texts[folder]
		}
	}
	return described, nil
}

// ClassNames returns the names of the labels of a column, in the order of its numbers, if a
// description of features says that the column is a ClassLabel, or a list of these; otherwise nil.
// The description is a JSON object with the key features, as in dataset_info.json, or with this
// object below the key info, as in the metadata "huggingface" of a file. It is an error if it is not
// JSON, or if the names are not strings.
func ClassNames(text string, column columns.Name) ([]string, error) {
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
