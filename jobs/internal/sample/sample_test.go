package sample

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/jobs/internal/command"
)

// run runs the command beside predictions with a judge's grades.
func run(t *testing.T, args string) (code int, stdout, stderr string) {
	t.Helper()
	var text strings.Builder
	text.WriteString("id,country,judge\n")
	for i := range 400 {
		fmt.Fprintf(&text, "r%d,%s,%v\n", i, []string{"de", "fr"}[i%2], float64(i/2%10)/10)
	}
	if _, err := os.Stat("p.csv"); err != nil {
		t.Chdir(t.TempDir())
		require.NoError(t, os.WriteFile("p.csv", []byte(text.String()), 0o644))
	}
	var out, errs bytes.Buffer
	code = command.Run(t.Context(), Command(), strings.Fields(args), &out, &errs)
	return code, out.String(), errs.String()
}

func TestSample(t *testing.T) {
	code, stdout, stderr := run(t, "p.csv --n 40 --for accuracy --judge judge --strata country --bins 2 -o to_label.csv")
	require.Zero(t, code, stderr)
	require.Equal(t, "id: \"id\" (found by name)\n", stderr)
	require.Equal(t, `to_label.csv: 40 of 400 rows, to estimate an accuracy
 stratum                   rows  mean grade  expected std  drawn  probability
──────────────────────────────────────────────────────────────────────────────
 country=de, judge < 0.5    100      0.2000        0.4000      9         0.09
 country=de, judge >= 0.5   100      0.7000        0.4583     11         0.11
 country=fr, judge < 0.5    100      0.2000        0.4000      9         0.09
 country=fr, judge >= 0.5   100      0.7000        0.4583     11         0.11
`, stdout)
	labelled, err := os.ReadFile("to_label.csv")
	require.NoError(t, err)
	require.Equal(t, 41, strings.Count(string(labelled), "\n"))

	code, _, stderr = run(t, "p.csv --n 20 --for mean --judge judge -o to_label.csv")
	require.Equal(t, command.BadUsage, code)
	require.Equal(t, "sample: --output: \"to_label.csv\" exists, and may have labels by now: choose another name, or --overwrite\n", stderr)
	same, err := os.ReadFile("to_label.csv")
	require.NoError(t, err)
	require.Equal(t, labelled, same)
	code, stdout, stderr = run(t, "p.csv --n 20 --for mean --judge judge --overwrite -o to_label.csv")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "to_label.csv: 20 of 400 rows, to estimate a mean\n")
	code, _, stderr = run(t, "p.csv --n 20 --for mean --judge judge -o file://to_label.parquet")
	require.Zero(t, code, stderr)
	parquet, err := os.ReadFile("to_label.parquet")
	require.NoError(t, err)
	require.Equal(t, "PAR1", string(parquet[:4]))
}

func TestMisuse(t *testing.T) {
	const usual = "p.csv --n 40 --for accuracy --judge judge -o out.csv "
	for args, want := range map[string]string{
		"":                                     "no input: sample FILES, where FILES are files, globs or directories",
		"p.csv":                                "--n: 0: expected the number of rows to draw, such as 300",
		usual + "--n=-1":                       "--n: ",
		"p.csv --n 9":                          `--for: "": expected accuracy, if the judge's grade is the probability that a row is right, or mean, of grades`,
		"p.csv --n 9 --for f1":                 `--for: "f1": expected accuracy, if the judge's grade is the probability that a row is right, or mean, of grades`,
		"p.csv --n 9 --for mean":               "--judge is required: the column of the judge's grades",
		usual + "--bins 0":                     "--bins: 0: expected a number from 1 to 1000",
		"p.csv --n 9 --for mean --judge judge": "--output is required: the file to write",
		"p.csv --n 9 --for mean --judge judge -o gs://b/x.csv": `--output: "gs://b/x.csv": expected a local file`,
		"p.csv --n 9 --for mean --judge judge -o x.txt":        `--output: "x.txt": expected a name that ends with .csv or .parquet`,
		"p.csv --n 9 --for mean --judge judge -o no/x.csv":     `--output: the directory of "no/x.csv" does not exist`,
		"q.csv --n 9 --for mean --judge judge -o x.csv":        "q.csv",
		usual + "--strata land":                                `--strata: p.csv: no column "land"`,
		"p.csv --n 9 --for mean --judge judge -o x.csv":        "--n: 9 is below 10, two rows for each of 5 strata",
	} {
		code, stdout, stderr := run(t, args)
		require.Equal(t, command.BadUsage, code, "%s: %s", args, stderr)
		require.Empty(t, stdout)
		require.True(t, strings.HasPrefix(stderr, "sample: "), stderr)
		require.Contains(t, stderr, want)
		require.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	}
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing was written")
}

func TestInterrupted(t *testing.T) {
	run(t, "")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	require.Equal(t, command.Failed, command.Run(ctx, Command(), strings.Fields("p.csv --n 40 --for accuracy --judge judge -o out.csv"), &stdout, &stderr))
	require.Contains(t, stderr.String(), "interrupted; nothing was written")
	require.NoFileExists(t, "out.csv")
}
