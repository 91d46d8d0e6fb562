package monitor

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/monitor"
	"github.com/beameval/beameval/jobs/internal/command"
)

// models writes 39 reports of model a, whose first metric falls, as many of model b, and one of model c.
func models(t *testing.T) {
	t.Helper()
	nights(t)
	require.NoError(t, os.Rename("reports", "a"))
	require.NoError(t, os.Mkdir("reports", 0o755))
	require.NoError(t, os.Rename("a", "reports/model=a"))
	for night := range 39 {
		finish(t, "reports/model=b", night, 2, 2, 100)
	}
	finish(t, "reports/model=c", 0, 2, 2, 100)
}

func TestEach(t *testing.T) {
	models(t)
	code, stdout, stderr := run(t, "reports", "--each", "model", "-o", "out")
	require.Equal(t, command.GateFailed, code, stderr)
	require.Regexp(t, `^monitor: 2 alarms: model=a: accuracy(: shop=1)? since 2025-10-31; model=a: accuracy(: shop=1)? since 2025-10-31\n$`, stderr)
	require.Contains(t, stdout, "model: 2 alarms in 1 of 3 monitors\n")
	require.Regexp(t, `\n a +2 alarms +accuracy .*\n b +no alarm +accuracy .*\n c +not judged +accuracy `, stdout)
	require.FileExists(t, "out/"+monitor.EachHTML)
	require.FileExists(t, "out/model=c/"+monitor.HTML)

	// A model has the files that it has alone.
	code, _, _ = run(t, "reports/model=a", "-o", "alone")
	require.Equal(t, command.GateFailed, code)
	names, err := filepath.Glob("alone/*")
	require.NoError(t, err)
	require.Len(t, names, 6)
	for _, name := range names {
		want, err := os.ReadFile(name)
		require.NoError(t, err)
		got, err := os.ReadFile("out/model=a/" + filepath.Base(name))
		require.NoError(t, err)
		require.Equal(t, string(want), string(got), name)
	}

	// Without --each, all are one series.
	code, stdout, _ = run(t, "reports/model=[ab]")
	require.Equal(t, command.GateFailed, code)
	require.Contains(t, stdout, "78 nights")

	want, err := os.ReadFile("out/" + monitor.EachJSON)
	require.NoError(t, err)
	code, stdout, _ = run(t, "reports", "--each", "model", "--json")
	require.Equal(t, command.GateFailed, code)
	require.Equal(t, string(want), stdout)

	code, stdout, stderr = run(t, "reports/model=[bc]", "--each", "model")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "model: no alarm in 2 monitors\n")
}

// TestEachReplaces: finished monitors are replaced, of one model or of each, and nothing else.
func TestEachReplaces(t *testing.T) {
	models(t)
	each := []string{"reports", "--each", "model", "-o", "out", "--since", "2025-12-01"}
	code, _, stderr := run(t, each...)
	require.Zero(t, code, stderr)
	code, _, stderr = run(t, each...)
	require.Equal(t, command.BadUsage, code)
	require.Contains(t, stderr, "--overwrite replaces a finished monitor")
	require.NoError(t, os.RemoveAll("reports/model=c"))
	each = append(each, "--overwrite")
	code, _, stderr = run(t, each...)
	require.Zero(t, code, stderr)
	require.NoDirExists(t, "out/model=c")
	for _, args := range [][]string{{"reports/model=b", "-o", "out", "--overwrite"}, each} {
		code, _, stderr = run(t, args...)
		require.Zero(t, code, stderr)
	}
	require.NoFileExists(t, "out/"+monitor.JSON)
	require.FileExists(t, "out/"+monitor.EachJSON)

	for _, mine := range []string{"out/notes.txt", "out/model=a/notes.txt", "out/notes/monitor.json", "out/model=a/deep/monitor.json"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(mine), 0o755))
		require.NoError(t, os.WriteFile(mine, []byte("mine"), 0o644))
		code, _, stderr = run(t, each...)
		require.Equal(t, command.BadUsage, code, mine)
		require.Contains(t, stderr, "out: output exists and ", mine)
		require.FileExists(t, mine)
		require.NoError(t, os.RemoveAll(mine))
		if dir := filepath.Dir(mine); dir != "out" && dir != "out/model=a" {
			require.NoError(t, os.Remove(dir))
		}
	}
	require.NoError(t, os.Mkdir("out/model=z", 0o755))
	code, _, _ = run(t, each...)
	require.Equal(t, command.BadUsage, code, "an empty folder is not of a monitor")
}

func TestEachRefused(t *testing.T) {
	models(t)
	require.NoError(t, os.Mkdir("reports/dt=2025-10-05", 0o755))
	require.NoError(t, os.WriteFile("reports/dt=2025-10-05/metrics.json", []byte("{"), 0o644))
	for _, c := range []struct {
		want string
		args []string
	}{
		{`--each: "model=a" is no key of a path: expected one such as model, of reports/model=a/dt=2026-11-19`, []string{"reports", "--each", "model=a"}},
		{`--each: "" is no key of a path: expected one such as model, of reports/model=a/dt=2026-11-19`, []string{"reports", "--each="}},
		{`no report has a value of modle in its path, such as modle=a: the first is reports/model=b/dt=2025-10-01, which has values of "model", "dt"`, []string{"reports/model=b", "--each", "modle"}},
		{"reports/dt=2025-10-05: its path has no value of model, such as model=a", []string{"reports", "--each", "model", "--strict"}},
		{`there is no finished report in "none"`, []string{"none", "--each", "model"}},
	} {
		code, stdout, stderr := run(t, append(c.args, "-o", "out")...)
		require.Equal(t, command.BadUsage, code, stderr)
		require.Empty(t, stdout)
		require.Equal(t, "monitor: "+c.want+"\n", stderr)
		require.NoDirExists(t, "out")
	}
	code, stdout, stderr := run(t, "reports", "--each", "model", "-o", "out")
	require.Equal(t, command.GateFailed, code, stderr)
	require.Contains(t, stdout, "1 report left out, see monitors.json")
	document, err := os.ReadFile("out/" + monitor.EachJSON)
	require.NoError(t, err)
	require.True(t, bytes.Contains(document, []byte(`{"report":"reports/dt=2025-10-05","reason":"reports/dt=2025-10-05: its path has no value of model, such as model=a"}`)), string(document))
}
