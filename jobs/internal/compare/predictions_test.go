package compare

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/jobs/internal/command"
	"github.com/beameval/beameval/jobs/internal/evaluate"
)

// predictions writes predictions of the same 600 examples to CSV files in a new working directory:
// the scores of lr, the scores of gb, which has fewer on the wrong side, and in both.csv the scores
// of both.
func predictions(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("TMPDIR", t.TempDir())
	texts := map[string]string{"lr": "id,label,score,country\n", "gb": "id,label,score,country\n", "both": "id,label,lr,gb,country\n"}
	for i := range 600 {
		y, country := i%2, []string{"de", "fr", "us"}[i%3]
		score := func(every int) float64 { // of each so many examples, one is wrong
			s := 0.6 + float64(i*37%100)/300
			if (y == 1) == (i*7%every == 0) {
				s = 1 - s
			}
			return s
		}
		lr, gb := score(4), score(10)
		texts["lr"] += fmt.Sprintf("%d,%d,%.4f,%s\n", i, y, lr, country)
		texts["gb"] += fmt.Sprintf("%d,%d,%.4f,%s\n", i, y, gb, country)
		texts["both"] += fmt.Sprintf("%d,%d,%.4f,%.4f,%s\n", i, y, lr, gb, country)
	}
	for name, text := range texts {
		require.NoError(t, os.WriteFile(name+".csv", []byte(text), 0o644))
	}
}

// run runs the command.
func run(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errors bytes.Buffer
	code = command.Run(t.Context(), Command(), args, &out, &errors)
	return code, out.String(), errors.String()
}

// TestPredictions: a comparison of predictions is the comparison of their reports, and leaves nothing
// behind.
func TestPredictions(t *testing.T) {
	predictions(t)
	require.NoError(t, os.WriteFile("c.yaml", []byte("slices: [country]\nconfidence: {groups: 20}\nbaseline: nights/*\ngates: [{metric: accuracy, max_drop: 0.01}]"), 0o644))
	require.NoError(t, os.WriteFile("gates.yaml", []byte("gates: [{metric: accuracy, max_drop: 0.01}]"), 0o644))
	for _, name := range []string{"lr", "gb"} {
		var out, errors bytes.Buffer
		code := command.Run(t.Context(), evaluate.Command(), []string{"--input", name + ".csv", "--output", name, "--slice", "country", "--set", "confidence={groups: 20}", "--set", "output.statistics=true", "--quiet"}, &out, &errors)
		require.Zero(t, code, errors.String())
	}
	temp := os.Getenv("TMPDIR")
	for _, c := range []struct {
		name             string
		reports, systems []string
		code             int
	}{
		{"two", []string{"lr", "gb"}, []string{"lr.csv", "gb.csv"}, 0},
		{"a gate fails", []string{"gb", "lr"}, []string{"gb.csv", "lr.csv"}, command.GateFailed},
		{"a report and predictions", []string{"lr", "gb"}, []string{"lr", "gb.csv"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, want, stderr := run(t, append(c.reports, "--json", "-c", "gates.yaml")...)
			require.Equal(t, c.code, code, stderr)
			code, got, stderr := run(t, append(c.systems, "--json", "-c", "c.yaml")...)
			require.Equal(t, c.code, code, stderr)
			for i, report := range c.reports {
				want = strings.ReplaceAll(want, fmt.Sprintf(`"report":%q`, report), fmt.Sprintf(`"report":%q`, c.systems[i]))
			}
			require.Equal(t, strings.Split(want, "\n"), strings.Split(got, "\n"))
			require.Contains(t, stderr, "evaluating "+c.systems[1]+"\n")
			require.Equal(t, temp, os.Getenv("TMPDIR"))
			left, err := os.ReadDir(temp)
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}

// TestPredictionsRanked: predictions of three systems are ranked, without a word on standard error if
// the user wants quiet.
func TestPredictionsRanked(t *testing.T) {
	predictions(t)
	require.NoError(t, os.Mkdir("parts", 0o755))
	text, err := os.ReadFile("gb.csv")
	require.NoError(t, err)
	lines := strings.SplitAfter(string(text), "\n")
	for i, part := range [][]string{lines[:300], append(lines[:1:1], lines[300:]...)} {
		require.NoError(t, os.WriteFile(filepath.Join("parts", fmt.Sprintf("%d.csv", i)), []byte(strings.Join(part, "")), 0o644))
	}
	code, stdout, stderr := run(t, "lr.csv", "gb.csv", "parts", "--quiet", "--reference", "gb.csv", "--metrics", "accuracy")
	require.Zero(t, code, stderr)
	require.Empty(t, stderr)
	require.Contains(t, stdout, "binary, 3 systems compared with gb.csv")
	for _, line := range []string{" gb.csv  0.9000 (1–2)", " parts   0.9000 (1–2)", " lr.csv  0.7500 (3) ▼"} {
		require.Contains(t, stdout, line)
	}
}

// TestPredictionsRefused: what cannot be evaluated and compared is an error, and nothing is written.
func TestPredictionsRefused(t *testing.T) {
	predictions(t)
	var out, errors bytes.Buffer
	for _, name := range []string{"old", "new"} {
		require.Zero(t, command.Run(t.Context(), evaluate.Command(), []string{"--input", "lr.csv", "--output", name, "--quiet"}, &out, &errors), errors.String())
	}
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"one", []string{"lr.csv"}, "expected at least two reports or predictions, found lr.csv"},
		{"the same twice", []string{"lr.csv", "lr.csv"}, "lr.csv is given twice"},
		{"nothing", []string{"lr.csv", "none.csv"}, "there is no report in none.csv; as predictions: none.csv: file does not exist"},
		{"files of another kind", []string{"old/*", "lr.csv"}, "there is no report in old/*; as predictions: old/"},
		{"standard input", []string{"lr.csv", "-"}, "standard input (-) cannot be compared: write it to a file"},
		{"another column", []string{"lr.csv", "both.csv", "--score", "score"}, `both.csv: --score: input.columns.score: both.csv: no column "score"; the file has id, label, lr, gb, country`},
		{"reports", []string{"old", "new", "--label", "label"}, "--label is for predictions: all that is compared are finished reports"},
		{"a wrong key", []string{"lr.csv", "gb.csv", "--set", "curve=1"}, `--set: unknown key "curve" (did you mean "curves"?)`},
		{"a flag for three", []string{"lr.csv", "gb.csv", "--all-pairs"}, "--all-pairs is for three or more reports"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, stdout, stderr := run(t, append(c.args, "--output", "out", "--quiet")...)
			require.Equal(t, command.BadUsage, code)
			require.Empty(t, stdout)
			require.Contains(t, stderr, "compare: "+c.want)
			require.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
			require.NoDirExists(t, "out")
		})
	}
}
