//go:build flink || spark

package evaluate

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/cluster"
)

// workerDirs begins the names of the directories of worker binaries.
var workerDirs = fmt.Sprintf("beameval-worker-%d-", os.Getuid())

// plantOldBinary leaves a directory that an earlier run would have left in the temporary directory of a
// process that starts workers.
func plantOldBinary(t *testing.T, p *cluster.Process) {
	t.Helper()
	dir, ago := filepath.Join(p.Dir, workerDirs+"old"), time.Now().Add(-2*time.Hour)
	text("worker", "an old program")(t, dir)
	require.NoError(t, os.Chtimes(dir, ago, ago))
}

// requireSwept checks that each of these processes that started workers keeps one copy of their
// program and nothing older. Some processes may have been killed. A worker that was killed while it
// fetched the program leaves a part of it, which is too young to be swept.
func requireSwept(t *testing.T, processes ...*cluster.Process) {
	t.Helper()
	started := 0
	for _, p := range processes {
		kept, err := filepath.Glob(filepath.Join(p.Dir, workerDirs+"*"))
		require.NoError(t, err)
		kept = slices.DeleteFunc(kept, func(dir string) bool { return strings.HasPrefix(filepath.Base(dir), workerDirs+"new-") })
		require.LessOrEqual(t, len(kept), 1, kept)
		if len(kept) == 1 && filepath.Base(kept[0]) != workerDirs+"old" {
			require.Equal(t, []string{"worker"}, entries(t, kept[0]))
			started++
		}
	}
	require.Positive(t, started, "processes that started workers")
}
