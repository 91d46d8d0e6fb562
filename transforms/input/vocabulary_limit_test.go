package input

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNamesHaveLimit: a file of names is read whole, so a huge one, which is sparse here, is refused.
func TestNamesHaveLimit(t *testing.T) {
	name := filepath.Join(t.TempDir(), "names")
	require.NoError(t, os.WriteFile(name, nil, 0o666))
	require.NoError(t, os.Truncate(name, 1<<40))
	_, _, err := ReadNames(t.Context(), name, "")
	require.ErrorContains(t, err, "names has 1099511627776 bytes, and at most 1073741824 are read")
}
