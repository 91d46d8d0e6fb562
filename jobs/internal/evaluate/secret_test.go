package evaluate

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/jobs/internal/command"
)

// TestSecrets: the name of a file may be a URL with a token, or contain a key. Neither appears in
// anything that a run prints or writes.
func TestSecrets(t *testing.T) {
	t.Parallel()
	const name = "preds.parquet?sv=1&sig=topsecret&.parquet"
	for _, test := range []struct {
		name, input, config string
		code                int
		place, masked       string // where the name is
	}{
		{"list of files", name, "", 0, "run.json", "preds.parquet?sv=1&sig=***&.parquet"},
		{"skipped rows", "bad " + name, "bad_rows: skip\nmax_skipped: 1\n", 0, "run.json", `"file": "bad preds.parquet?sv=1&sig=***&.parquet"`},
		{"bad row", "bad " + name, "", command.Failed, "stderr", "bad preds.parquet?sv=1&sig=***&.parquet: "},
		{"key", "is-topsecret.parquet", "", command.BadUsage, "stderr", "is-***.parquet: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			writeTable(t, filepath.Join(dir, name), "label:int64 score:double\n0 0.1\n1 0.9")
			writeTable(t, filepath.Join(dir, "bad "+name), "label:int64 score:double\n0 0.1\n1 0.9\n1 1.9")
			require.NoError(t, os.WriteFile(filepath.Join(dir, "config.yaml"), []byte("task: binary\nmetrics: [accuracy]\n"+test.config), 0o666))
			cmd := process(t.Context(), dir, t.TempDir(), "--config", "config.yaml", "--input", test.input, "--output", "out")
			cmd.Env = append(cmd.Env, "AWS_SECRET_ACCESS_KEY=topsecret")
			code, stdout, stderr := finish(t, cmd)
			require.Equal(t, test.code, code, stderr)
			said := map[string]string{"stdout": stdout, "stderr": stderr}
			for _, file := range []string{"run.json", "report.html", "report.md", "metrics.json"} {
				content, _ := os.ReadFile(filepath.Join(dir, "out", file)) // if there is a report
				said[file] = string(content)
			}
			require.Contains(t, said[test.place], test.masked)
			for place, text := range said {
				require.NotContains(t, text, "topsecret", place)
			}
		})
	}
}
