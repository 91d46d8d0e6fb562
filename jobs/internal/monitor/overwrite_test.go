package monitor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/monitor"
	"github.com/beameval/beameval/jobs/internal/command"
)

// TestOverwriteReadsSchema: --overwrite replaces what this version wrote, whatever else has the names of its files.
func TestOverwriteReadsSchema(t *testing.T) {
	t.Chdir(t.TempDir())
	for night := range 3 {
		finish(t, "reports", night, 1, 1, 30)
	}
	code, _, stderr := run(t, "reports", "-o", "out")
	require.Zero(t, code, stderr)
	document, err := os.ReadFile("out/" + monitor.JSON)
	require.NoError(t, err)
	for content, want := range map[string]string{
		strings.Replace(string(document), "monitor/v1", "monitor/v2", 1):             `monitor.json has the schema "beameval.monitor/v2" of another version of beameval, not beameval.monitor/v1; choose another directory, or remove this one`,
		strings.Replace(string(document), "beameval.monitor/v1", "other", 1):         `monitor.json has the schema "other", not beameval.monitor/v1`,
		strings.Replace(string(document), `"schema": "beameval.monitor/v1",`, "", 1): "monitor.json has no schema",
		`{"schema": ["beameval.monitor/v1"]}`:                                        "monitor.json has a schema that is no text",
		`{"a": {"schema": "beameval.monitor/v1"}}`:                                   "monitor.json has no schema",
		`{"schema`: "monitor.json has no schema",
		"[]":       "monitor.json is no JSON object",
		"":         "monitor.json is no JSON object",
	} {
		require.NoError(t, os.WriteFile("out/"+monitor.JSON, []byte(content), 0o644))
		code, _, stderr := run(t, "reports", "-o", "out", "--overwrite")
		require.Equal(t, command.BadUsage, code)
		require.Contains(t, stderr, "out: output exists and is not a finished monitor, which alone is replaced: "+want)
		kept, err := os.ReadFile("out/" + monitor.JSON)
		require.NoError(t, err)
		require.Equal(t, content, string(kept))
	}
	// The order of keys means nothing.
	require.NoError(t, os.WriteFile("out/"+monitor.JSON, []byte(`{"a": {"b": [1]}, "schema": "beameval.monitor/v1"}`), 0o644))
	code, _, stderr = run(t, "reports", "-o", "out", "--overwrite")
	require.Zero(t, code, stderr)
	replaced, err := os.ReadFile(filepath.Join("out", monitor.JSON))
	require.NoError(t, err)
	require.Equal(t, string(document), string(replaced))
}
