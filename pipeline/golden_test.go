package pipeline

import (
	"encoding/json"
	"html"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
)

// TestBundledData evaluates the bundled predictions and compares every value with the references
// that testdata/make_goldens.py computed with scikit-learn and trec_eval.
func TestBundledData(t *testing.T) {
	t.Parallel()
	for _, set := range []struct{ config, expected string }{
		{"digits/config.yaml", "digits/expected.json"},
		{"breast_cancer/config.yaml", "breast_cancer/expected.json"},
		{"digits_attributes/config.yaml", "digits_attributes/expected.json"},
		{"digits_attributes/long.yaml", "digits_attributes/expected.json"},
		{"digits_retrieval/config.yaml", "digits_retrieval/expected.json"},
		{"digits_retrieval/trec_eval.yaml", "digits_retrieval/trec_eval.json"},
		{"trec_eval/config.yaml", "trec_eval/expected.json"},
		{"trec_eval/complete.yaml", "trec_eval/expected_complete.json"},
		{"diabetes/config.yaml", "diabetes/expected.json"},
	} {
		t.Run(set.config, func(t *testing.T) {
			t.Parallel()
			cfg := bundled(t, set.config)
			cfg.Ordinal = cfg.Task == metrics.Multiclass // the references have every metric
			got := valuesOf(readReport(t, evaluate(t, cfg)))
			want := expected(t, filepath.Join("..", "testdata", set.expected))
			require.Greater(t, len(want), 30)
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

// bundled reads a configuration of testdata.
func bundled(t *testing.T, name string) *config.Config {
	data, err := os.ReadFile(filepath.Join("..", "testdata", name))
	require.NoError(t, err)
	cfg, err := config.Parse(data, name)
	require.NoError(t, err)
	for _, files := range [][]string{cfg.Input.Files, cfg.Truth.Files} {
		for i, name := range files {
			files[i] = filepath.Join("..", name)
		}
	}
	return cfg
}

// TestLayoutsAreIdenticalBytes: a row for each label gives the same report as a row for each
// example, except for the configuration in it.
func TestLayoutsAreIdenticalBytes(t *testing.T) {
	t.Parallel()
	want := contents(t, evaluate(t, bundled(t, "digits_attributes/config.yaml")))
	got := contents(t, evaluate(t, bundled(t, "digits_attributes/long.yaml")))
	require.Equal(t, len(want), len(got))
	for file, content := range want {
		require.True(t, withoutConfig(content) == withoutConfig(got[file]), "%s differs", file)
	}
}

// echoed is the part of a configuration's input that reports repeat.
var echoed = regexp.MustCompile(`(?s)"input": \{.*?"labels": \[`)

func withoutConfig(content string) string {
	return echoed.ReplaceAllString(html.UnescapeString(content), "")
}

func expected(t *testing.T, file string) map[rowKey]*float64 {
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	var content struct {
		Rows []struct {
			Name  string
			Slice slice.Key
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
