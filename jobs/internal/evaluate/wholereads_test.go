package evaluate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/jobs/internal/command"
)

// TestWholeReadsHaveLimits: files that are read whole, besides the data, are refused if they are huge. They are sparse here.
func TestWholeReadsHaveLimits(t *testing.T) {
	dir := t.TempDir()
	writeTable(t, filepath.Join(dir, "preds.parquet"), people)
	huge := filepath.Join(dir, "huge.json")
	f, err := os.Create(huge)
	require.NoError(t, err)
	require.NoError(t, f.Truncate(1<<40))
	require.NoError(t, f.Close())
	for name, args := range map[string]string{
		"configuration": "--config " + huge, "thresholds": "--set decision.threshold=" + huge, "recalibration": "--set recalibrate=" + huge,
	} {
		code, _, stderr := finish(t, process(t.Context(), dir, t.TempDir(), strings.Fields(flagsOf+" "+args)...))
		require.Equal(t, command.BadUsage, code, name)
		require.Contains(t, stderr, "huge.json has 1099511627776 bytes, and at most ", name)
	}
}
