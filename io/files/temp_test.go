package files

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTempDir(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	live, remove, err := TempDir("run-")
	require.NoError(t, err)
	dead := abandonedDir(t, temp, "run-dead")
	require.NoError(t, os.WriteFile(filepath.Join(dead, "scores"), nil, 0o666))
	require.NoError(t, os.Mkdir(filepath.Join(temp, "run-foreign"), 0o777))       // not marked
	require.NoError(t, os.WriteFile(filepath.Join(temp, "run-file"), nil, 0o666)) // no directory
	other := abandonedDir(t, temp, "other-dead")

	next, _, err := TempDir("run-")
	require.NoError(t, err)
	require.NoDirExists(t, dead)
	for _, name := range []string{live, next, other, filepath.Join(temp, "run-foreign"), filepath.Join(temp, "run-file")} {
		_, err := os.Stat(name)
		require.NoError(t, err)
	}
	require.NoError(t, remove())
	require.NoDirExists(t, live)
}

// A directory is removed while files are added to it.
func TestTempDirBusy(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	dir, remove, err := TempDir("run-")
	require.NoError(t, err)
	var started, stopped sync.WaitGroup
	for worker := range 2 {
		started.Add(1)
		stopped.Go(func() {
			for i := range 20_000 {
				if i == 100 {
					started.Done()
				}
				if os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d-%d", worker, i)), nil, 0o666) != nil {
					return
				}
			}
		})
	}
	started.Wait()
	require.NoError(t, remove())
	stopped.Wait()
	require.NoDirExists(t, dir)
}

// abandonedDir creates a directory whose owner has ended.
func abandonedDir(t *testing.T, in, name string) (dir string) {
	dir = filepath.Join(in, name)
	require.NoError(t, os.Mkdir(dir, 0o777))
	own(dir)()
	return dir
}
