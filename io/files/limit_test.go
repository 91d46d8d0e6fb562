package files

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReadFileHasLimit: a file beyond the limit is an error before memory is taken for it.
func TestReadFileHasLimit(t *testing.T) {
	name := filepath.Join(t.TempDir(), "large")
	f, err := os.Create(name)
	require.NoError(t, err)
	require.NoError(t, f.Truncate(1<<40)) // a sparse file
	require.NoError(t, f.Close())
	_, err = ReadFile(t.Context(), name, 1<<20)
	require.EqualError(t, err, name+" has 1099511627776 bytes, and at most 1048576 are read")
	require.NoError(t, Exists(t.Context(), name))

	require.NoError(t, os.Truncate(name, 8))
	data, err := ReadFile(t.Context(), name, 8)
	require.NoError(t, err)
	require.Len(t, data, 8)
}
