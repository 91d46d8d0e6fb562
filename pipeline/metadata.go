package pipeline

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The keys of a file's metadata that may hold the names of the labels: the names
// themselves, or an object with the former key, which is what pandas makes of the
// attrs of a DataFrame.
const (
	labelsKey = "labels"
	attrsKey  = "PANDAS_ATTRS"
)

// metadataLabels returns the names of the labels in the metadata of the files, which
// must agree, and the key that they were under; "" if there are none.
func (in *input) metadataLabels() (names []string, key string, err error) {
	for i, f := range in.files {
		list, from, err := f.metadataLabels()
		if err != nil {
			return nil, "", fmt.Errorf("%s: %w; mend it or set labels", f.info.Name, err)
		}
		if i == 0 {
			names, key = list, from
		} else if !slices.Equal(list, names) {
			return nil, "", fmt.Errorf("the labels in the Parquet metadata of %s and %s differ: set labels", in.files[0].info.Name, f.info.Name)
		}
	}
	return names, key, nil
}

func (f *inputFile) metadataLabels() (names []string, key string, err error) {
	attrs, err := f.labelsOfAttrs()
	if err != nil || f.labels == "" {
		return attrs, attrsKey, err
	}
	names, err = labelsOfJSON(labelsKey, f.labels)
	if err == nil && attrs != nil && !slices.Equal(attrs, names) {
		err = fmt.Errorf("the Parquet metadata %q and the %q of %q differ", labelsKey, labelsKey, attrsKey)
	}
	return names, labelsKey, err
}

// labelsOfAttrs returns the names of the labels in the attrs of a DataFrame; nil if
// there are none.
func (f *inputFile) labelsOfAttrs() ([]string, error) {
	if f.attrs == "" {
		return nil, nil
	}
	var attrs map[string]json.RawMessage
	if err := json.Unmarshal([]byte(f.attrs), &attrs); err != nil {
		return nil, fmt.Errorf("the Parquet metadata %q must be a JSON object", attrsKey)
	}
	if attrs[labelsKey] == nil {
		return nil, nil
	}
	return labelsOfJSON(attrsKey+"."+labelsKey, string(attrs[labelsKey]))
}

// labelsOfJSON returns the names in a JSON array. Numbers and booleans are taken as
// their text, as in a configuration.
func labelsOfJSON(key, text string) ([]string, error) {
	var raw []json.RawMessage
	err := json.Unmarshal([]byte(text), &raw)
	names := make([]string, len(raw))
	for i, r := range raw {
		switch {
		case r[0] == '"':
			err = errors.Join(err, json.Unmarshal(r, &names[i]))
		case strings.ContainsRune("[{n", rune(r[0])):
			return nil, fmt.Errorf("element %d of the Parquet metadata %q is %s: expected a label", i, key, r)
		default:
			names[i] = string(r)
		}
	}
	if err != nil || len(raw) == 0 {
		return nil, fmt.Errorf("the Parquet metadata %q must be a JSON array of labels, such as [\"ham\", \"spam\"]", key)
	}
	return names, nil
}
