package pipeline

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// nullParts are texts of files, JSON lines unless they are CSV, in which a column has no values in one file or in all,
// and what the report says.
var nullParts = map[string]struct {
	yaml   string
	parts  []string
	truth  []string
	metric string
	want   float64
}{
	"every list of predictions is empty": {"", []string{`{"labels":["a"],"predicted":[]}` + "\n" + `{"labels":["b"],"predicted":[]}`}, nil, "f1_micro", 0},
	"the lists of one file are empty":    {"", []string{`{"labels":["a"],"predicted":["a"]}`, `{"labels":["b"],"predicted":[]}`}, nil, "subset_accuracy", 0.5},
	"every list of truth is empty":       {"", []string{`{"labels":[],"predicted":["a"]}` + "\n" + `{"labels":[],"predicted":[]}`}, nil, "subset_accuracy", 0.5},
	"lists of numbers, empty":            {"num_labels: 3\n", []string{`{"labels":[1],"predicted":[]}` + "\n" + `{"labels":[2],"predicted":[]}`}, nil, "f1_micro", 0},
	"slice is null in a file":            {"slices: [[c]]\n", []string{`{"label":1,"score":0.9,"c":"x"}`, `{"label":0,"score":0.1,"c":null}`}, nil, "accuracy", 1},
	"slice is null in the first file":    {"slices: [[c]]\n", []string{`{"label":1,"score":0.9,"c":null}`, `{"label":0,"score":0.1,"c":"x"}`}, nil, "accuracy", 1},
	"booleans":                           {"slices: [[c]]\n", []string{`{"label":1,"score":0.9,"c":true}`, `{"label":0,"score":0.1,"c":null}`}, nil, "accuracy", 1},
	"null everywhere":                    {"slices: [[c]]\n", []string{`{"label":1,"score":0.9,"c":null}`, `{"label":0,"score":0.1,"c":null}`}, nil, "accuracy", 1},
	"classes, null in a file":            {"bad_rows: skip\n", []string{`{"label":"a","prediction":"a"}`, `{"label":"b","prediction":null}`}, nil, "accuracy", 1},
	"lists, null in a file":              {"bad_rows: skip\n", []string{`{"labels":["a"],"predicted":["a"]}`, `{"labels":["b"],"predicted":null}`}, nil, "f1_micro", 1},
	"lists, null in the first file":      {"bad_rows: skip\n", []string{`{"labels":["a"],"predicted":null}`, `{"labels":["b"],"predicted":["b"]}`}, nil, "f1_micro", 1},
	"scores, null in a file":             {"bad_rows: skip\nlabels: [a, b]\n", []string{`{"label":"a","score":[0.9,0.1]}`, `{"label":"b","score":null}`}, nil, "accuracy", 1},
	"joined":                             {"", []string{`{"id":1,"predicted":["a"]}`, `{"id":2,"predicted":[]}`}, []string{`{"id":1,"labels":["a"]}` + "\n" + `{"id":2,"labels":["b"]}`}, "subset_accuracy", 0.5},
	"joined truth":                       {"", []string{`{"id":1,"predicted":["a"]}` + "\n" + `{"id":2,"predicted":[]}`}, []string{`{"id":1,"labels":[]}`, `{"id":2,"labels":["b"]}`}, "subset_accuracy", 0},
	"joined slices":                      {"slices: [[c]]\n", []string{`{"id":1,"score":0.9,"c":"x"}`, `{"id":2,"score":0.1,"c":null}`}, []string{`{"id":1,"label":1}` + "\n" + `{"id":2,"label":0}`}, "accuracy", 1},
}

// TestNullColumns: a column without values agrees with every type; a row whose prediction or label is null stays bad.
func TestNullColumns(t *testing.T) {
	t.Parallel()
	for name, c := range nullParts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folders := []string{t.TempDir()}
			if c.truth != nil {
				folders = append(folders, t.TempDir())
			}
			for i, list := range [][]string{c.parts, c.truth} {
				for j, text := range list {
					require.NoError(t, os.WriteFile(filepath.Join(folders[i], string(rune('a'+j))+".jsonl"), []byte(text+"\n"), 0o600))
				}
			}
			require.Equal(t, c.want, overallValues(readReport(t, evaluate(t, parse(t, c.yaml, folders...))))[c.metric], strings.Join(c.parts, "\n"))
		})
	}
}

// TestNullParquet: pandas writes a column without values as one of type null.
func TestNullParquet(t *testing.T) {
	t.Parallel()
	r := readReport(t, evaluate(t, parse(t, "slices: [[country]]\n", "testdata/null_part")))
	require.EqualValues(t, 2, valuesOf(r)[rowKey{`{"country":null}`, "accuracy", ""}].Support)
	require.EqualValues(t, 1, valuesOf(r)[rowKey{`{"country":"de"}`, "accuracy", ""}].Support)
}
