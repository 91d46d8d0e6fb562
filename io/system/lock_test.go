package system_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/system"
)

// A file is locked from its creation, also under another name, until it is closed.
func TestCreateLocked(t *testing.T) {
	dir := t.TempDir()
	created, renamed := filepath.Join(dir, "new"), filepath.Join(dir, "owner")
	f, err := system.CreateLocked(created)
	require.NoError(t, err)
	_, err = system.CreateLocked(created)
	require.ErrorIs(t, err, os.ErrExist)
	require.NoError(t, os.Rename(created, renamed))

	other, err := os.OpenFile(renamed, os.O_RDWR, 0)
	require.NoError(t, err)
	defer other.Close()
	require.Error(t, system.Lock(other), "locked")
	require.NoError(t, f.Close())
	require.NoError(t, system.Lock(other))
}
