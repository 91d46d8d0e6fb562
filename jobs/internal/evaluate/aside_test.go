package evaluate

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/jobs/internal/command"
)

const peopleCSV = "label,score,country\n0,0.1,de\n1,0.9,de\n1,0.4,fr\n0,0.2,fr\n"

// fed runs the command with a standard input, and requires that it leaves no temporary files.
func fed(t *testing.T, dir string, stdin io.Reader, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	temp := t.TempDir()
	cmd := process(t.Context(), dir, temp, args...)
	cmd.Stdin = stdin
	code, stdout, stderr = finish(t, cmd)
	require.Empty(t, tree(t, temp)[1:], "left in the temporary directory")
	return code, stdout, stderr
}

// The same rows give the same metrics from a file and from standard input, in each format.
func TestStandardInput(t *testing.T) {
	dir := t.TempDir()
	writeTable(t, filepath.Join(dir, "preds.parquet"), people)
	code, _, stderr := call{dir, t.TempDir(), strings.Fields(flagsOf)}.run(t)
	require.Zero(t, code, stderr)
	want, err := os.ReadFile(filepath.Join(dir, "out", report.MetricsJSON))
	require.NoError(t, err)
	parquet, err := os.ReadFile(filepath.Join(dir, "preds.parquet"))
	require.NoError(t, err)

	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err = z.Write([]byte(peopleCSV))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	var lines strings.Builder
	for _, row := range strings.Fields(peopleCSV)[1:] {
		v := strings.Split(row, ",")
		lines.WriteString(`{"label": ` + v[0] + `, "score": ` + v[1] + `, "country": "` + v[2] + "\"}\n")
	}
	for name, stdin := range map[string]string{
		"csv": peopleCSV, "csv with a byte order mark": "\ufeff" + peopleCSV, "csv.gz": packed.String(),
		"tsv": strings.ReplaceAll(peopleCSV, ",", "\t"), "jsonl": lines.String(), "jsonl after an empty line": "\n" + lines.String(), "parquet": string(parquet),
		"arrow stream": peopleStream(t),
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := fed(t, dir, strings.NewReader(stdin), "-i", "-", "--json", "--quiet")
			require.Zero(t, code, stderr)
			require.Equal(t, string(want), stdout)
			require.Empty(t, stderr)
		})
	}
	out := t.TempDir()
	code, stdout, stderr := fed(t, out, strings.NewReader(peopleCSV), "-i", "-", "-o", "out")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "report: out\n")
	require.Contains(t, stderr, `label: column "label"`)
	readReport(t, filepath.Join(out, "out"))

	code, stdout, _ = fed(t, dir, strings.NewReader(peopleCSV), "-i", "-", "-o", "other", "--validate", "--print_config", "--quiet")
	require.Zero(t, code)
	require.Contains(t, stdout, `files: ["-"]`)
}

// TestStandardInputOfTREC: runs are recognized by their lines, plain and compressed, as in files.
func TestStandardInputOfTREC(t *testing.T) {
	const run = "q1 Q0 d1 1 2.5 bm25\nq1 Q0 d2 2 1 bm25\nq2 Q0 d1 1 0.25 bm25\n"
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write([]byte(run))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	dir := t.TempDir()
	text("judgements.txt", "q1 0 d2 1\nq1 0 d1 0\nq2 0 d1 2\n")(t, dir)
	text("run.txt", run)(t, dir)
	code, want, stderr := fed(t, dir, strings.NewReader(""), "-i", "run.txt", "--set", "truth.files=judgements.txt", "--json", "--quiet")
	require.Zero(t, code, stderr)
	for _, stdin := range []string{run, strings.ReplaceAll(run, " ", "\t"), "\n" + run, packed.String()} {
		code, stdout, stderr := fed(t, dir, strings.NewReader(stdin), "-i", "-", "--set", "truth.files=judgements.txt", "--json")
		require.Zero(t, code, stderr)
		require.Equal(t, want, stdout)
		require.Contains(t, stderr, "standard input: read as trec_run, by its lines; set input.format if it is something else")
	}
	code, _, stderr = fed(t, dir, strings.NewReader(run), "-i", "-", "--json", "--quiet")
	require.Equal(t, command.BadUsage, code)
	require.Equal(t, "evaluate: standard input is a TREC run, which has no judgements: set truth.files to its qrels\n", stderr)
	code, _, stderr = fed(t, dir, strings.NewReader("q1 0 d2 1\n"), "-i", "-", "--json", "--quiet")
	require.Equal(t, command.BadUsage, code)
	requireText(t, "evaluate: …standard input…", stderr)
}

// peopleStream returns the people as an Arrow stream.
func peopleStream(t *testing.T) string {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "label", Type: arrow.PrimitiveTypes.Int64}, {Name: "score", Type: arrow.PrimitiveTypes.Float64}, {Name: "country", Type: arrow.BinaryTypes.String},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for _, row := range strings.Fields(peopleCSV)[1:] {
		for i, value := range strings.Split(row, ",") {
			require.NoError(t, b.Field(i).AppendValueFromString(value))
		}
	}
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(schema))
	require.NoError(t, w.Write(b.NewRecordBatch()))
	require.NoError(t, w.Close())
	return out.String()
}

// Errors say standard input, not the name of its copy.
func TestStandardInputRefused(t *testing.T) {
	dir := t.TempDir()
	writeTable(t, filepath.Join(dir, "preds.parquet"), people)
	before := tree(t, dir)
	for _, test := range []struct {
		stdin, args string
		code        int
		want        string
	}{
		{"", "", command.BadUsage, "standard input is empty: expected rows of predictions"},
		{"label,scr\n0,0.5\n", "", command.BadUsage, `neither a score nor a prediction column: set input.columns.score or input.columns.prediction (standard input: no column "score"; …`},
		{peopleCSV + "1,1.5,fr\n", "", command.Failed, `standard input: line 6: column "score": 1.5: expected a probability within [0, 1]; …`},
		{peopleCSV, "--set input.format=jsonl", command.BadUsage, "standard input: line 1: …"},
		{peopleCSV + strings.Repeat("1,0.5,fr\n", 200_000), "--max-stdin-mib 1", command.BadUsage, "standard input has more than 1 MiB: write it to a file, or raise --max-stdin-mib"},
		{`[{"label": 1, "score": 0.5}]`, "", command.BadUsage, "standard input: line 1: the line begins an array: write each object on a line of its own, without an array around them"},
		{"FEA1abcdefghiFEA1", "", command.BadUsage, "standard input: a Feather file of version 1, which is not supported: write version 2…"},
		{"BZh91AY&SY", "", command.BadUsage, "standard input: the file is compressed with bzip2, which is not supported: …"},
		{peopleCSV, "--max-stdin-mib 0", command.BadUsage, "--max-stdin-mib: 0: expected 1 to 8796093022207"},
		{peopleCSV, "--max-stdin-mib 8796093022208", command.BadUsage, "--max-stdin-mib: 8796093022208: expected 1 to 8796093022207"},
		{peopleCSV, "-i -,preds.parquet", command.BadUsage, "input.files: standard input (-) must be the only input; write it to a file to evaluate it with others"},
		{peopleCSV, "--runner flink --endpoint localhost:1 --validate", command.BadUsage, "input.files: the workers of runner flink run elsewhere and cannot read standard input (-): write it to a file that they can read"},
		{peopleCSV, "-o -", command.BadUsage, "--output -: a report is a directory of several files; --json prints the metrics to standard output, with --output or without"},
		{peopleCSV, "--json --validate", command.BadUsage, "--json prints the metrics of a run that has ended; leave it out with --validate, --async, --cancel-job and --dry-run"},
		{peopleCSV, "--baseline-window 0", command.BadUsage, "--baseline-window: baseline_window: must be from 1 to 1000, is 0"},
	} {
		args := append([]string{"--quiet", "-o", "out"}, strings.Fields(test.args)...)
		if !strings.HasPrefix(test.args, "-i ") {
			args = append([]string{"-i", "-"}, args...)
		}
		code, stdout, stderr := fed(t, dir, strings.NewReader(test.stdin), args...)
		require.Equal(t, test.code, code, stderr)
		require.Empty(t, stdout)
		requireText(t, "evaluate: "+test.want, stderr)
		require.Equal(t, before, tree(t, dir))
	}
}

// A signal ends a run that waits for standard input, and removes the copy.
func TestStandardInputInterrupted(t *testing.T) {
	temp := t.TempDir()
	stdin, rest, err := os.Pipe()
	require.NoError(t, err)
	defer rest.Close()
	cmd := process(t.Context(), t.TempDir(), temp, "-i", "-", "-o", "out")
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = stdin, &stderr
	require.NoError(t, cmd.Start())
	require.NoError(t, stdin.Close())
	_, err = rest.WriteString(strings.Repeat(peopleCSV, 1000)) // what fits neither the pipe nor the first read is being copied
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		copied, err := filepath.Glob(filepath.Join(temp, "evaluate-*", "stdin"))
		return err == nil && len(copied) == 1
	}, 3*time.Minute, time.Millisecond)
	require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	require.Error(t, cmd.Wait())
	require.Equal(t, command.Failed, cmd.ProcessState.ExitCode())
	require.Equal(t, "evaluate: interrupted; nothing was written\n", stderr.String())
	require.Empty(t, tree(t, temp)[1:])
}

// The printed metrics equal metrics.json, also if a gate fails. Without an output, nothing is left
// behind.
func TestJSON(t *testing.T) {
	dir := t.TempDir()
	writeTable(t, filepath.Join(dir, "preds.parquet"), people)
	for _, test := range []struct {
		args   []string
		code   int
		stderr string
	}{
		{[]string{"--json"}, 0, ""},
		{[]string{"--json", "--set", "gates=[{metric: accuracy, min: 1}]"}, command.GateFailed, "evaluate: a gate failed: 1 of 1, see gates in the metrics\n"},
		{[]string{"--json", "--output", "out"}, 0, ""},
	} {
		require.Equal(t, []string{"", "/preds.parquet"}, tree(t, dir))
		temp := t.TempDir()
		code, stdout, stderr := call{dir, temp, append([]string{"--quiet", "--input", "preds.parquet"}, test.args...)}.run(t)
		require.Equal(t, test.code, code, stderr)
		require.Equal(t, test.stderr, stderr)
		r, err := report.Read([]byte(stdout))
		require.NoError(t, err)
		require.Contains(t, describe(r), "accuracy = 0.75")
		require.Empty(t, tree(t, temp)[1:])
	}
	readReport(t, filepath.Join(dir, "out"))
}
