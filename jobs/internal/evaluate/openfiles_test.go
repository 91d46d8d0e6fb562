package evaluate

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/jobs/internal/command"
)

// TestFewOpenFiles: a run with too few open files fails immediately, and one with enough succeeds.
func TestFewOpenFiles(t *testing.T) {
	t.Parallel()
	dir, temp := t.TempDir(), shortTempDir(t)
	for i := range 200 {
		writeTable(t, filepath.Join(dir, "preds", fmt.Sprintf("%d.parquet", i)), people)
	}
	limited := func(files int, args ...string) *exec.Cmd {
		cmd := process(t.Context(), dir, temp, args...)
		cmd.Args = append([]string{"sh", "-c", fmt.Sprintf(`ulimit -n %d && exec "$0" "$@"`, files), cmd.Path}, cmd.Args[1:]...)
		cmd.Path = "/bin/sh"
		return cmd
	}
	for _, runner := range []string{"direct", "prism"} {
		code, stdout, stderr := finish(t, limited(16, "--quiet", "--runner", runner, "--input", "preds", "--output", "out"))
		require.Equal(t, command.BadUsage, code)
		require.Empty(t, stdout)
		require.Equal(t, "evaluate: the limit of open files is 16, and a run needs at least 256: raise it, such as by ulimit -n 1024\n", stderr)
		code, _, stderr = finish(t, limited(leastOpen, "--quiet", "--runner", runner, "--input", "preds", "--output", runner))
		require.Zero(t, code, stderr)
	}
}
