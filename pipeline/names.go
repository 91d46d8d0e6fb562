package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/beameval/beameval/transforms/input"
)

// findNames takes the names of labels from the configuration, from its labels_file or from the
// metadata of the files.
func (l *labels) findNames(ctx context.Context, t *tables) error {
	if t.cfg.LabelsFile != "" {
		return l.readFile(ctx, t.cfg.LabelsFile)
	}
	if l.Names = t.cfg.Labels; len(l.Names) == 0 && l.number == 0 {
		names, key, err := t.predictions.metadataLabels()
		if err != nil {
			return err
		}
		if l.Names = names; names != nil {
			t.note("labels: %d (from the Parquet metadata %q)", len(names), key)
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

// The metadata keys of a file that may hold the names of the labels. The value of the first is the
// names. The value of the second is an object that may have the first as a key: pandas writes the
// attrs of a DataFrame there.
const (
	labelsKey = "labels"
	attrsKey  = "PANDAS_ATTRS"
)

// metadataLabels returns the names of the labels in the metadata of the files, which must agree,
// and their key, or "" if there are none.
func (d *dataset) metadataLabels() (names []string, key string, err error) {
	for i, k := range d.kinds {
		list, from, err := k.metadataLabels()
		if err != nil {
			return nil, "", fmt.Errorf("%s: %w; mend it or set labels", k.file, err)
		}
		if i == 0 {
			names, key = list, from
		} else if !slices.Equal(list, names) {
			return nil, "", fmt.Errorf("the labels in the Parquet metadata of %s and %s differ: set labels; if values are in the order of these, write one of the files again", d.kinds[0].file, k.file)
		}
	}
	return names, key, nil
}

func (k *kind) metadataLabels() (names []string, key string, err error) {
	var attrs map[string]json.RawMessage
	if k.attrs != "" && json.Unmarshal([]byte(k.attrs), &attrs) != nil {
		return nil, "", fmt.Errorf("the Parquet metadata %q must be a JSON object", attrsKey)
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
			names, key = list, m.key
		case !slices.Equal(list, names):
			return nil, "", fmt.Errorf("the Parquet metadata %q and the %q of %q differ", labelsKey, labelsKey, attrsKey)
		}
	}
	return names, key, nil
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
