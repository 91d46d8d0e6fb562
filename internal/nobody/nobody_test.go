package nobody

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRestore: variables are what they were, empty ones and those that were not set, too.
func TestRestore(t *testing.T) {
	empty := ""
	lacked = map[string]*string{"BEAMEVAL_TEST_UNSET": nil, "BEAMEVAL_TEST_EMPTY": &empty}
	t.Setenv("BEAMEVAL_TEST_UNSET", "nobody")
	t.Setenv("BEAMEVAL_TEST_EMPTY", "/")
	Restore()
	_, set := os.LookupEnv("BEAMEVAL_TEST_UNSET")
	require.False(t, set)
	value, set := os.LookupEnv("BEAMEVAL_TEST_EMPTY")
	require.True(t, set)
	require.Empty(t, value)
}
