package house_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// blocks returns the first two blocks of Go on the page about the library: a program, and what MetricsFn is for.
func blocks(t *testing.T) (program, combine string) {
	t.Helper()
	page, err := os.ReadFile("docs/library.md")
	require.NoError(t, err)
	found := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(page), 2)
	require.Len(t, found, 2)
	return found[0][1], found[1][1]
}

// TestLibraryProgram: the program with which the page about the library begins is short, and is a program as it stands.
func TestLibraryProgram(t *testing.T) {
	code, _ := blocks(t)
	require.LessOrEqual(t, strings.Count(code, "\n"), 30)
	dir := t.TempDir()
	source, program := filepath.Join(dir, "main.go"), filepath.Join(dir, "program")
	require.NoError(t, os.WriteFile(source, []byte(code), 0o666))
	built, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, source).CombinedOutput()
	require.NoError(t, err, "%s", built)
	data, err := filepath.Abs("testdata/breast_cancer")
	require.NoError(t, err)
	require.NoError(t, os.Symlink(data, filepath.Join(dir, "predictions")))
	run := exec.CommandContext(t.Context(), program)
	run.Dir = dir
	out, err := run.CombinedOutput()
	require.NoError(t, err, "%s", out)

	var report struct {
		Metrics []struct {
			Name  string
			Value *float64
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "report/metrics.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &report))
	values := make(map[string]float64)
	for _, row := range report.Metrics {
		if row.Value != nil {
			values[row.Name] = *row.Value
		}
	}
	require.InDelta(t, 183./(183+29), values["recall"], 1e-15)
	require.InDelta(t, 0.9349736379613357, values["accuracy"], 1e-15)
	require.Contains(t, values, "roc_auc")
}

// TestLibraryExample: what the page shows of MetricsFn is a part of its example, which is run.
func TestLibraryExample(t *testing.T) {
	_, code := blocks(t)
	example, err := os.ReadFile("transforms/example_test.go")
	require.NoError(t, err)
	require.Contains(t, string(example), "\t"+strings.ReplaceAll(strings.TrimSuffix(code, "\n"), "\n", "\n\t")+"\n")
}
