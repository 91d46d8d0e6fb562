package monitor

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/jobs/internal/command"
	"github.com/beameval/beameval/jobs/internal/evaluate"
)

// TestWeeks: with --every, nights are merged, and what is monitored are weeks.
func TestWeeks(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("TMPDIR", t.TempDir())
	for night := range 10 {
		if night == 3 {
			continue // a night without a report
		}
		text := "id,label,score\n"
		for i := range 60 {
			text += fmt.Sprintf("%d-%d,%d,%.4f\n", night, i, i*(i+night)%7%2, float64(i*37%101)/101)
		}
		require.NoError(t, os.WriteFile("night.csv", []byte(text), 0o644))
		args := []string{"--input", "night.csv", "--output", fmt.Sprintf("reports/dt=2026-11-%02d", night+1), "--set", "output.statistics=true", "--set", "confidence={}", "--set", "metrics=[accuracy, f1]", "--quiet"}
		code := command.Run(t.Context(), evaluate.Command(), args, os.Stdout, os.Stderr)
		require.Zero(t, code)
	}
	code, stdout, stderr := run(t, "reports", "--every", "7", "--json")
	require.Zero(t, code, stderr)
	var m struct {
		Nights []struct {
			Date, Report string
			Examples     int
		}
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &m))
	require.Len(t, m.Nights, 2)
	require.Equal(t, "2026-11-01", m.Nights[0].Date)
	require.Equal(t, "reports/dt=2026-11-01 to reports/dt=2026-11-07", m.Nights[0].Report)
	require.Equal(t, 360, m.Nights[0].Examples)
	require.Equal(t, "2026-11-08", m.Nights[1].Date)
	require.Equal(t, 180, m.Nights[1].Examples)
	left, err := os.ReadDir(os.TempDir())
	require.NoError(t, err)
	require.Empty(t, left, "the merged reports are temporary")

	require.NoError(t, os.Remove("reports/dt=2026-11-02/statistics.bin"))
	code, _, stderr = run(t, "reports", "--every", "7")
	require.Equal(t, command.BadUsage, code)
	require.Contains(t, stderr, "monitor: reports/dt=2026-11-02 has no statistics.bin, which reports are merged from")
	code, _, stderr = run(t, "reports", "--every", "0")
	require.Equal(t, command.BadUsage, code)
	require.Contains(t, stderr, "monitor: --every: 0: expected 1 to 366 days")
	code, _, stderr = run(t, "reports", "--every", "7", "--each", "model")
	require.Equal(t, command.BadUsage, code)
	require.Contains(t, stderr, "monitor: --every and --each do not go together: name the reports of one model")
}
