package quote

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNearest(t *testing.T) {
	names := []string{"precision", "recall", "f1"}
	require.Equal(t, "recall", Nearest("recal", names))
	require.Equal(t, "f1", Nearest("F1", names))
	require.Equal(t, "precision", Nearest("precission", names))
}

func TestSlip(t *testing.T) {
	names := []string{"precision", "recall", "f1", "größe"}
	for name, want := range map[string]string{
		"recal": "recall", "F1": "f1", "f": "f1", "precison": "precision", "grosse": "größe", "Größe": "größe",
		"accuracy": "", "": "", "xyz": "",
	} {
		require.Equal(t, want, Slip(name, names), name)
	}
}

// A name may be a file that was given by mistake.
func TestLongNamesCostLittle(t *testing.T) {
	long := strings.Repeat("é", 1<<20)
	require.Empty(t, Slip(long, []string{"a", "b"}))
	require.Equal(t, long+"b", Nearest(long, []string{"x", long + "b", "y"}))
}
