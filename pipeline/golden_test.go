package pipeline

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/pipeline/config"
)

// TestBundledData evaluates the bundled predictions and compares every value
// with the reference that testdata/make_goldens.py had from scikit-learn.
func TestBundledData(t *testing.T) {
	for _, set := range []string{"digits", "breast_cancer", "digits_attributes", "diabetes"} {
		t.Run(set, func(t *testing.T) {
			dir := filepath.Join("..", "testdata", set)
			data, err := os.ReadFile(filepath.Join(dir, "config.yaml"))
			require.NoError(t, err)
			cfg, err := config.Parse(data, "config.yaml")
			require.NoError(t, err)
			for i, name := range cfg.Input.Files {
				cfg.Input.Files[i] = filepath.Join("..", name)
			}
			got := valuesOf(readReport(t, evaluate(t, cfg, "prism")))
			want := expected(t, filepath.Join(dir, "expected.json"))
			require.Greater(t, len(want), 100)
			for key, value := range want {
				row, ok := got[key]
				require.True(t, ok, "no row %v", key)
				if value == nil {
					require.True(t, math.IsNaN(row.Value), "%v is %v, not undefined", key, row.Value)
					require.NotEmpty(t, row.Undefined, "%v", key)
					continue
				}
				require.InDelta(t, *value, row.Value, 1e-12*math.Max(1, math.Abs(*value)), "%v", key)
			}
		})
	}
}

// rowKey tells a row from the others of a report.
type rowKey struct{ slice, name, label string }

func keyOf(slice report.Slice, name string, label *string) rowKey {
	text, err := slice.MarshalJSON()
	if err != nil {
		panic(err)
	}
	key := rowKey{slice: string(text), name: name}
	if label != nil {
		key.label = "label " + *label
	}
	return key
}

func valuesOf(r *report.Report) map[rowKey]report.Row {
	rows := make(map[rowKey]report.Row, len(r.Metrics))
	for _, row := range r.Metrics {
		rows[keyOf(row.Slice, row.Name, row.Label)] = row
	}
	return rows
}

func expected(t *testing.T, file string) map[rowKey]*float64 {
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	var content struct {
		Rows []struct {
			Name  string
			Slice report.Slice
			Label *string
			Value *float64
		}
	}
	require.NoError(t, json.Unmarshal(data, &content))
	values := make(map[rowKey]*float64)
	for _, row := range content.Rows {
		values[keyOf(row.Slice, row.Name, row.Label)] = row.Value
	}
	return values
}
