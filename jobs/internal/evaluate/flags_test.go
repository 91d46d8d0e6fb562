package evaluate

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/jobs/internal/command"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
)

// byFlags are runs whose configuration comes from flags.
var byFlags = []scenario{
	{
		name:   "the task, metrics, slices and columns are flags",
		preds:  "country:string size:string y:int64 p:double\nde s 1 0.9\nde l 0 0.2\nfr s 1 0.4",
		args:   flagsOf + " --task binary --metrics accuracy,precision --metrics recall --slice country --slice country,size --label y --score p",
		config: "metrics: [f1]\nslices: [size]",
		check: func(t *testing.T, dir string) {
			r := readReport(t, filepath.Join(dir, "out"))
			found := make(map[string]bool)
			for _, row := range r.Metrics {
				found[row.Name+" "+row.Slice.String()] = true
			}
			for _, metric := range []string{"accuracy", "precision", "recall"} {
				for _, slice := range []string{"overall", "country=de", "country=fr", "country=de, size=l"} {
					require.True(t, found[metric+" "+slice], "%s %q of %v", metric, slice, found)
				}
			}
			require.Len(t, found, 3*6)
		},
	}, {
		name: "several columns of scores", preds: "label:string a:double b:double\na 0.9 0.1\nb 0.2 0.8", config: "task: multiclass\nlabels: [a, b]",
		args: flagsOf + " --score a,b --metrics accuracy",
	}, {
		name: "any key is set, and later ones are set over earlier ones", config: "k: [2]",
		args:   flagsOf + " --set curves.mode=bounded --set curves.points=70 --set curves={\"points\":90} --set bad_rows=skip",
		report: "…",
		check: func(t *testing.T, dir string) {
			require.Contains(t, string(readReport(t, filepath.Join(dir, "out")).Config), `"points":90`)
		},
	},
	{
		name: "short flags", args: "-c eval.yaml -i preds.parquet -o out", setup: text("eval.yaml", "metrics: [f1]"),
		report: "…",
		check: func(t *testing.T, dir string) {
			require.Len(t, readReport(t, filepath.Join(dir, "out")).Metrics, 1)
		},
	}, {
		name: "flags override --set", args: flagsOf + " --task binary --metrics f1 --slice country --label label --score score" +
			` --set output={"dir":"elsewhere","formats":["json"]} --set input={"files":["none"],"columns":{"label":"a","score":"b"}} --set task=regression --set metrics=[mae] --set slices=[]`,
		report: "…",
		check: func(t *testing.T, dir string) {
			require.Equal(t, []string{"", "/out", "/out/metrics.json", "/out/run.json", "/preds.parquet"}, tree(t, dir), "formats are those of --set")
			r := readReport(t, filepath.Join(dir, "out"))
			require.Equal(t, "binary", r.Task)
			require.Len(t, r.Metrics, 3, "f1 overall and of two slices")
		},
	},
	{name: "a task that there is not", args: flagsOf + " --task binry", code: 2, stderr: `evaluate: --task: task: unknown value "binry" (did you mean "binary"?)`},
	{name: "a metric that there is not", args: flagsOf + " --metrics acuracy", code: 2, stderr: `evaluate: --metrics: metrics[0]: unknown metric "acuracy" of task binary; did you mean "accuracy"? beameval metrics binary lists them all`},
	{name: "a column that there is not", args: flagsOf + " --score scroe", code: 2, stderr: `evaluate: --score: input.columns.score: preds.parquet: no column "scroe"; did you mean "score"? The file has country, label, score`},
	{name: "a slice by a column that there is not", args: flagsOf + " --slice contry", code: 2, stderr: `evaluate: --slice: slices[0]: preds.parquet: no column "contry"; did you mean "country"? The file has country, label, score`},
	{name: "a key that there is not", args: flagsOf + " --set curves.mod=bounded", code: 2, stderr: `evaluate: --set: unknown key "mod" in curves (did you mean "mode"?)`},
	{name: "no assignment", args: flagsOf + " --set curves", code: 2, stderr: `evaluate: --set: expected KEY=VALUE, such as metrics=[f1, roc_auc], found curves`},
}

// The printed configuration combines the file and the flags. No input is read.
func TestPrintConfig(t *testing.T) {
	dir := t.TempDir()
	text("eval.yaml", "task: binary\nmetrics: [f1]\nk: [7]")(t, dir)
	for _, flag := range []string{"--print_config", "--print-config"} {
		args := []string{"--config", "eval.yaml", "--metrics", "roc_auc", "--output", "gs://bucket/out", "--input", "not.there", flag}
		code, stdout, stderr := call{dir, t.TempDir(), args}.run(t)
		require.Zero(t, code, stderr)
		require.Empty(t, stderr)
		require.Contains(t, stdout, "#")
		cfg, err := config.Parse([]byte(stdout), "printed.yaml")
		require.NoError(t, err)
		require.Equal(t, []string{"roc_auc"}, cfg.Metrics)
		require.Equal(t, []int{7}, cfg.K)
		require.Equal(t, "gs://bucket/out", cfg.Output.Dir)
		require.Equal(t, []string{"not.there"}, cfg.Input.Files)
		require.Equal(t, string(config.Print(cfg)), stdout, "printing is stable")
	}
	code, stdout, stderr := call{dir, t.TempDir(), strings.Fields("--config eval.yaml --set k=[0] --print_config")}.run(t)
	require.Equal(t, command.BadUsage, code)
	require.Empty(t, stdout)
	require.True(t, strings.HasPrefix(stderr, "evaluate: --set: k[0]: "), stderr)
	require.Equal(t, []string{"", "/eval.yaml"}, tree(t, dir))
}

// With --validate, the printed configuration includes what was inferred from the input.
func TestPrintEffectiveConfig(t *testing.T) {
	dir := t.TempDir()
	predictions, err := filepath.Abs("../../../testdata/breast_cancer/predictions.parquet")
	require.NoError(t, err)
	args := []string{"--input", predictions, "--output", "out", "--set", "positive_label=malignant", "--validate", "--print_config", "--quiet"}
	code, stdout, stderr := call{dir, t.TempDir(), args}.run(t)
	require.Zero(t, code, stderr)
	require.Empty(t, stderr)
	cfg, err := config.Parse([]byte(stdout), "printed.yaml")
	require.NoError(t, err)
	require.Equal(t, metrics.Binary, cfg.Task)
	require.Equal(t, "label", cfg.Input.Columns[roles.Label].Column)
	require.Equal(t, metrics.ExactCurves, cfg.Curves.Mode)
	require.Empty(t, tree(t, dir)[1:])
	require.Equal(t, "out", cfg.Output.Dir)

	_, without, stderr := call{dir, t.TempDir(), slices.DeleteFunc(args, func(arg string) bool { return arg == "--output" || arg == "out" })}.run(t)
	require.Empty(t, stderr)
	require.Equal(t, regexp.MustCompile(`(?m)^( *)dir: out$`).ReplaceAllString(stdout, "$1#dir:"), without)
}

// Shell completion covers every flag with candidates.
func TestCompletedFlags(t *testing.T) {
	verb := Command()
	for _, name := range []string{"runner", "task", "metrics", "environment_type", "label", "score", "slice", "set", "cancel_job", "endpoint", "parallelism", "max_stdin_mib"} {
		_, found := verb.GetFlagCompletionFunc(name)
		require.True(t, found, name)
	}
}
