package generate

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/internal/testing/synthetic"
	"github.com/beameval/beameval/jobs/internal/command"
	"github.com/beameval/beameval/pipeline/config"
)

func generate(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = command.Run(context.Background(), Command(), args, &out, &errs)
	return code, out.String(), errs.String()
}

func names(t *testing.T, dir string) (found []string) {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		found = append(found, e.Name())
	}
	return found
}

func TestGenerate(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "preds")
	code, stdout, stderr := generate("--output", dir, "--rows", "2k", "--files", "3", "--slices", "country:5,no:2", "--weights")
	require.Equal(t, 0, code, stderr)
	require.Equal(t, "go run ./jobs/evaluate --config "+dir+"/_evaluate.yaml --input "+dir+" --set 'confidence={}' --output "+dir+"-report\n", stdout)
	require.Regexp(t, regexp.QuoteMeta(dir)+`: 3 files, 2000 rows, 0\.\d MB in \d+\.\d s, \d+ rows/s\n`, stderr)
	require.Equal(t, []string{"_evaluate.yaml", "part-00000.parquet", "part-00001.parquet", "part-00002.parquet"}, names(t, dir))
	require.Equal(t, []string{"preds"}, names(t, parent))

	code, stdout, stderr = generate("--output", dir)
	require.Equal(t, command.BadUsage, code)
	require.Empty(t, stdout)
	require.Contains(t, stderr, "is not empty")
}

func TestSameFlagsSameFiles(t *testing.T) {
	content := func() map[string]string {
		dir := filepath.Join(t.TempDir(), "preds")
		code, _, stderr := generate("--output", dir, "--task", "multilabel", "--rows", "1e3", "--label_encoding", "names", "--seed", "5")
		require.Equal(t, 0, code, stderr)
		files := map[string]string{}
		for _, name := range names(t, dir) {
			data, err := os.ReadFile(filepath.Join(dir, name))
			require.NoError(t, err)
			files[name] = string(data)
		}
		return files
	}
	require.Equal(t, content(), content())
}

func TestConfigurationIsValid(t *testing.T) {
	for args, want := range map[string]string{
		"--slices null:2,true:3":         "binary probability",
		"--score_type logit":             "binary logit",
		"--unlabelled 0.5":               "binary probability",
		"--task multiclass":              "multiclass probability",
		"--task multilabel --slices a:1": "multilabel probability indices",
		"--task multilabel --label_encoding names --score_type logit": "multilabel logit names",
		"--task multilabel --label_encoding indicator":                "multilabel probability indicator",
		"--task multilabel --layout label --slices a:1":               "multilabel probability label label_name",
		"--task multilabel --layout label --label_encoding indices":   "multilabel probability label label_index",
		"--task ranking --items 5 --slices a:1":                       "ranking probability label",
		"--task ranking --layout example --shuffle":                   "ranking probability example",
		"--task regression --slices a:1":                              "regression probability",
		"--task preference --labels 3":                                "preference probability",
		"--task grade --attempts 2 --slices a:1":                      "grade probability",
		"--task agreement --labels 3 --slices a:1":                    "agreement probability",
		"--ids uuid --truth":                                          "binary probability",
	} {
		dir := filepath.Join(t.TempDir(), "preds")
		code, _, stderr := generate(append(strings.Fields(args), "--rows", "10", "--output", dir)...)
		require.Equal(t, 0, code, stderr)
		data, err := os.ReadFile(filepath.Join(dir, synthetic.ConfigFile))
		require.NoError(t, err)
		c, err := config.Parse(data, synthetic.ConfigFile)
		require.NoError(t, err)
		said := []string{c.Task.String(), c.Input.ScoreType.String(), c.Input.LabelEncoding, c.Input.Layout, c.Input.Columns[roles.Class].Column}
		require.Equal(t, strings.Fields(want), slices.DeleteFunc(said, func(s string) bool { return s == "" }))
		require.Equal(t, strings.Contains(args, "label --label_encoding indices"), c.NumLabels == 20)
		require.Len(t, c.Slices, strings.Count(args, ":"))
	}
}

func TestMistakes(t *testing.T) {
	parent := t.TempDir()
	output := "--output " + filepath.Join(parent, "preds") + " "
	for args, want := range map[string]string{
		"":                                   "--output is required",
		output + "--task binry":              `--task: unknown value "binry"; did you mean binary?`,
		output + "--layout label":            "--layout: label is for tasks multilabel and ranking, the task is binary",
		output + "--layout wide":             `--layout: unknown value "wide"`,
		output + "--items 5":                 "--items: is for task ranking, the task is binary",
		output + "-rows 5":                   "unknown flag -rows; did you mean --rows? --help lists all",
		output + "--row 5":                   "unknown flag --row; did you mean --rows?",
		output + "--rows ten":                `"ten" is not a count; write it like 10000000, 10M, 1e6 or 50k`,
		output + "--rows 1.5":                "1.5 is not a whole number; the nearest is 2",
		output + "--labels 0":                "must be at least 1",
		output + "--labels 5":                "--labels: is for tasks multiclass, multilabel, preference and agreement, the task is binary",
		output + "--float 16":                "--float: 16 is neither 32 nor 64; did you mean 32?",
		output + "--ids text":                `--ids: unknown value "text"`,
		output + "--task preference --truth": "--truth: task preference has outcomes only",
		output + "--attempts 5":              "--attempts: is for task grade, the task is binary",
		output + "--task ranking --layout example --truth": "--truth: task ranking has labels in files of their own with layout label only",
		output + "--files 1M":                              "--files: must be within 1 and 1000, is 1000000; the nearest is 1000",
		output + "--seed x":                                `--seed: "x": invalid syntax; --help says what flags expect`,
		output + "--slices country":                        `"country" lacks the number of values; write it as country:5`,
		output + "--slices score:5":                        "--slices: score is the name of a column with another meaning",
		output + "extra":                                   `unexpected argument "extra"`,
	} {
		code, stdout, stderr := generate(strings.Fields(args)...)
		require.Equal(t, command.BadUsage, code, args)
		require.Empty(t, stdout)
		require.True(t, strings.HasPrefix(stderr, "generate: "), stderr)
		require.Contains(t, stderr, want)
		require.Equal(t, 1, strings.Count(stderr, "\n"))
	}
	require.Empty(t, names(t, parent))
}

func TestFailureLeavesNothing(t *testing.T) {
	parent := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var stdout, stderr bytes.Buffer
	require.Equal(t, command.Failed, command.Run(ctx, Command(), []string{"--output", filepath.Join(parent, "a", "b")}, &stdout, &stderr))
	require.Contains(t, stderr.String(), "generate: interrupted; nothing was written\n")
	require.Empty(t, stdout.String())
	require.Empty(t, names(t, parent))
}

func TestCommandLineIsQuoted(t *testing.T) {
	require.Equal(t,
		"go run ./jobs/evaluate --config gs://bucket/a/_evaluate.yaml --input gs://bucket/a/ --set 'confidence={}' --output gs://bucket/a-report",
		evaluateCommand("go run ./jobs/evaluate", "gs://bucket/a/", false))
	require.Contains(t, evaluateCommand("beameval evaluate", "a", true), " --set 'truth.files=a/_truth-*.parquet'")
	require.Equal(t, `'it'\''s $HOME'`, shellWord("it's $HOME"))
	require.Equal(t, "''", shellWord(""))
}
