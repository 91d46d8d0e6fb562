package files

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Opening a pipe would block.
func TestLocalPipe(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe.parquet")
	require.NoError(t, syscall.Mkfifo(name, 0o666))
	_, err := Open(t.Context(), name)
	require.ErrorContains(t, err, "not a regular file")
	_, err = List(t.Context(), parquet, name)
	require.ErrorContains(t, err, "not a regular file")
	_, err = List(t.Context(), parquet, filepath.Dir(name))
	require.ErrorContains(t, err, "holds no .parquet")
}

func TestLocalPublishMountPoint(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, ""); err != nil {
		t.Skip("mounting takes privileges: ", err)
	}
	defer syscall.Unmount(dir, 0)
	for _, err := range []error{CheckOutput(t.Context(), dir), Publish(t.Context(), dir, report("a"))} {
		require.ErrorContains(t, err, "perhaps because it is a mount point; name a new one in it, such as "+dir+"/report")
	}
	require.NoError(t, Publish(t.Context(), dir+"/report", report("a")))
}
