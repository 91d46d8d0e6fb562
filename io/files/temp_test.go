package files

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTempDir(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	live, release, err := TempDir("run-")
	require.NoError(t, err)
	dead, gone, err := TempDir("run-")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dead, "scores"), nil, 0o666))
	gone()                                                                        // as the end of its process does
	require.NoError(t, os.Mkdir(filepath.Join(temp, "run-foreign"), 0o777))       // not marked
	require.NoError(t, os.WriteFile(filepath.Join(temp, "run-file"), nil, 0o666)) // no directory
	other, stays, err := TempDir("other-")
	require.NoError(t, err)
	stays()

	next, done, err := TempDir("run-")
	require.NoError(t, err)
	defer done()
	require.NoDirExists(t, dead)
	for _, name := range []string{live, next, other, filepath.Join(temp, "run-foreign"), filepath.Join(temp, "run-file")} {
		_, err := os.Stat(name)
		require.NoError(t, err)
	}
	release()
}
