package monitor

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/monitor"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/jobs/internal/command"
)

// day returns the directory of a night of October.
func day(of int) string { return fmt.Sprintf("reports/dt=2025-10-%02d", of) }

// change rewrites a file of a report.
func change(t *testing.T, name string, edit func(content string) string) {
	t.Helper()
	before, err := os.ReadFile(name)
	require.NoError(t, err)
	after := edit(string(before))
	require.NotEqual(t, string(before), after)
	require.NoError(t, os.WriteFile(name, []byte(after), 0o644))
}

// deep creates a directory in dir whose path is longer than the system accepts: nobody may enter it, not even root.
func deep(t *testing.T, dir string) {
	t.Helper()
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	for range 20 {
		name := strings.Repeat("d", 250)
		require.NoError(t, root.Mkdir(name, 0o755))
		inner, err := root.OpenRoot(name)
		require.NoError(t, err)
		root.Close()
		root = inner
	}
	root.Close()
}

// withHistogram gives each night a histogram of scores.
func withHistogram(t *testing.T) {
	t.Helper()
	r := &report.Report{ScoreHistograms: []report.ScoreHistogram{{Name: report.HistogramScore, Bins: []report.ScoreBin{{From: 0, To: 1, Count: 10, Weight: 10}}}}}
	dirs, err := filepath.Glob("reports/*")
	require.NoError(t, err)
	for _, dir := range dirs {
		f, err := os.Create(filepath.Join(dir, report.ScoreHistogramsParquet))
		require.NoError(t, err)
		require.NoError(t, r.WriteScoreHistograms(f))
		require.NoError(t, f.Close())
	}
}

// TestDamagedNights: whatever is wrong with a night, the others are judged, and the night is listed.
func TestDamagedNights(t *testing.T) {
	for _, c := range []struct {
		name   string
		damage func(t *testing.T)
		report string // that is listed
		reason string
		nights int  // that are judged, of 39
		drift  bool // is measured
	}{
		{"a damaged histogram", func(t *testing.T) {
			require.NoError(t, os.WriteFile(day(3)+"/score_histograms.parquet", []byte("x"), 0o644))
		}, day(3), "drift is measured without it: ", 39, true},
		{"a histogram of zeros", func(t *testing.T) {
			change(t, day(3)+"/score_histograms.parquet", func(s string) string { return s[:4] + strings.Repeat("\x00", len(s)-8) + s[len(s)-4:] })
		}, day(3), "drift is measured without it: ", 39, true},
		{"a directory instead of a histogram", func(t *testing.T) {
			require.NoError(t, os.Remove(day(3)+"/score_histograms.parquet"))
			require.NoError(t, os.Mkdir(day(3)+"/score_histograms.parquet", 0o755))
		}, day(3), "this is a directory, not a file", 39, true},
		{"the newest histogram", func(t *testing.T) {
			require.NoError(t, os.WriteFile("reports/dt=2025-11-09/score_histograms.parquet", nil, 0o644))
		}, "reports/dt=2025-11-09", "drift is not measured: ", 39, false},
		{"a damaged confusion matrix", func(t *testing.T) {
			require.NoError(t, os.WriteFile(day(3)+"/confusion.parquet", []byte("x"), 0o644))
		}, day(3), "label shift is estimated without it: ", 39, true},
		{"a link to nothing", func(t *testing.T) {
			require.NoError(t, os.Remove(day(3)+"/metrics.json"))
			require.NoError(t, os.Symlink("gone.json", day(3)+"/metrics.json"))
		}, day(3), "this is a symbolic link to nothing", 38, true},
		{"a night that is a link to nothing", func(t *testing.T) {
			require.NoError(t, os.RemoveAll(day(3)))
			require.NoError(t, os.Symlink("gone", day(3)))
		}, day(3), "this is a symbolic link to nothing", 38, true},
		{"a link to itself", func(t *testing.T) {
			require.NoError(t, os.Remove(day(3)+"/metrics.json"))
			require.NoError(t, os.Symlink("metrics.json", day(3)+"/metrics.json"))
		}, day(3), "too many levels of symbolic links", 38, true},
		{"a directory that nobody may enter", func(t *testing.T) {
			require.NoError(t, os.Mkdir("reports/dt=2025-11-10", 0o755))
			deep(t, "reports/dt=2025-11-10")
		}, "reports/dt=2025-11-10", "file name too long", 39, true},
		{"a row that occurs twice", func(t *testing.T) {
			change(t, day(3)+"/metrics.json", func(s string) string {
				at := strings.Index(s, `{"name":"accuracy"`)
				row, _, _ := strings.Cut(s[at:], "\n")
				return s[:at] + row + "\n    " + s[at:]
			})
		}, day(3), "metrics.json: accuracy (overall) occurs twice", 38, true},
		{"rows of the newest that occur twice", func(t *testing.T) {
			change(t, "reports/dt=2025-11-09/metrics.json", func(s string) string { return strings.ReplaceAll(s, `{"shop":2}`, `{"shop":1}`) })
		}, "reports/dt=2025-11-09", "metrics.json: accuracy (shop=1) occurs twice", 38, true},
		{"a day that no month has", func(t *testing.T) {
			require.NoError(t, os.Rename(day(3), "reports/dt=2025-02-30"))
		}, "reports/dt=2025-02-30", "2025-02-30 is no date", 38, true},
		{"a day that no month has, in digits", func(t *testing.T) {
			require.NoError(t, os.Rename(day(3), "reports/20250230"))
		}, "reports/20250230", "20250230 is no date", 38, true},
		{"a day in folders", func(t *testing.T) {
			require.NoError(t, os.MkdirAll("reports/year=2025/month=13", 0o755))
			require.NoError(t, os.Rename(day(3), "reports/year=2025/month=13/day=01"))
		}, "reports/year=2025/month=13/day=01", "2025/month=13/day=01 is no date", 38, true},
		{"the year 1", func(t *testing.T) {
			require.NoError(t, os.Rename(day(3), "reports/dt=0001-01-01"))
		}, "reports/dt=0001-01-01", "0001-01-01 is no date", 38, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			nights(t)
			withHistogram(t)
			c.damage(t)
			code, stdout, stderr := run(t, "reports", "-o", "out")
			require.Equal(t, command.GateFailed, code, stderr)
			require.Contains(t, stdout, fmt.Sprintf("binary: 2 alarms in 6 series; %d nights, 2025-10-01 to 2025-11-", c.nights))
			require.Contains(t, stdout, "1 report left out, see monitor.json")
			data, err := os.ReadFile("out/monitor.json")
			require.NoError(t, err)
			m, err := monitor.Read(data)
			require.NoError(t, err)
			require.Len(t, m.Skipped, 1)
			require.True(t, strings.HasPrefix(m.Skipped[0].Report, c.report), m.Skipped[0])
			require.Contains(t, m.Skipped[0].Reason, c.reason)
			require.Equal(t, c.drift, len(m.Drift) > 0, m.Warnings)
			require.Len(t, m.Warnings, min(m.MissingDays, 1))

			code, _, stderr = run(t, "reports", "-o", "strict", "--strict")
			require.NotContains(t, []int{0, command.GateFailed}, code)
			require.Contains(t, stderr, c.report)
		})
	}
}

// TestDamagedPattern: nights that a shell lists one by one are left out like nights of a directory.
func TestDamagedPattern(t *testing.T) {
	nights(t)
	require.NoError(t, os.RemoveAll(day(3)))
	require.NoError(t, os.Symlink("dt=2025-10-03", day(3))) // to itself
	dirs, err := filepath.Glob("reports/*")
	require.NoError(t, err)
	code, stdout, stderr := run(t, append(dirs, "-o", "out")...)
	require.Equal(t, command.GateFailed, code, stderr)
	require.Contains(t, stdout, "38 nights")
	require.Contains(t, stdout, "1 report left out")
}

// TestDamagedReference: a reference that the user names is not left out.
func TestDamagedReference(t *testing.T) {
	nights(t)
	withHistogram(t)
	require.NoError(t, os.WriteFile(day(1)+"/score_histograms.parquet", []byte("x"), 0o644))
	code, _, stderr := run(t, "reports/dt=2025-11-*", "-o", "out", "--reference", day(1))
	require.Equal(t, command.BadUsage, code)
	require.Contains(t, stderr, day(1))
}

// TestAllDamaged: if no night is left, the message names one and why.
func TestAllDamaged(t *testing.T) {
	t.Chdir(t.TempDir())
	finish(t, "reports", 0, 1, 1, 30)
	dir := "reports/dt=2025-10-01"
	change(t, dir+"/metrics.json", func(s string) string { return strings.ReplaceAll(s, `{"shop":1}`, `{}`) })
	code, _, stderr := run(t, "reports", "-o", "out")
	require.Equal(t, command.BadUsage, code)
	require.Contains(t, stderr, "none of 1 reports can be read: "+dir+"/metrics.json: accuracy (overall) occurs twice")
	require.NoError(t, os.Remove(dir+"/metrics.json"))
	require.NoError(t, os.Symlink("gone", dir+"/metrics.json"))
	code, _, stderr = run(t, "reports", "-o", "out")
	require.Equal(t, command.BadUsage, code)
	require.Contains(t, stderr, dir+"/metrics.json: no such file or directory: this is a symbolic link to nothing")
}
