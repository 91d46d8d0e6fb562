package nearest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestName(t *testing.T) {
	names := []string{"precision", "recall", "f1"}
	require.Equal(t, "recall", Name("recal", names))
	require.Equal(t, "f1", Name("F1", names))
	require.Equal(t, "precision", Name("precission", names))
}
