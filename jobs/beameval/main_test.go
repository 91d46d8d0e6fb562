package main

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"
)

var golden = flag.Bool("golden", false, "rewrite the help in testdata")

// role is the environment variable that makes the test binary act as the command.
const role = "BEAMEVAL_TEST_ROLE"

func TestMain(m *testing.M) {
	if os.Getenv(role) == "" {
		signal.Reset() // a test dies of signals
		os.Exit(m.Run())
	}
	flags := flag.NewFlagSet("beameval", flag.ContinueOnError)
	flag.VisitAll(func(f *flag.Flag) {
		if !strings.HasPrefix(f.Name, "test.") && f.Name != "golden" {
			flags.Var(f.Value, f.Name, f.Usage)
		}
	})
	flag.CommandLine = flags
	main()
}

func beameval(t *testing.T, args ...string) *exec.Cmd {
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Env = append(os.Environ(), role+"=command")
	return cmd
}

func run(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	cmd := beameval(t, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// Help goes to standard output and fits into 80 columns.
func TestHelp(t *testing.T) {
	for _, args := range []string{"--help", "evaluate --help", "evaluate --help-runner", "compare --help", "monitor --help", "merge --help", "plan --help", "sample --help", "report --help", "metrics --help", "generate --help", "completion --help", "version --help", "help --help"} {
		code, stdout, stderr := run(t, strings.Fields(args)...)
		require.Zero(t, code, stderr)
		require.Empty(t, stderr)
		for line := range strings.Lines(stdout) {
			require.LessOrEqual(t, len([]rune(strings.TrimSpace(line))), 80, line)
		}
		file := filepath.Join("testdata", strings.ReplaceAll(strings.ReplaceAll(args, "--", ""), " ", "-")+".txt")
		if *golden {
			require.NoError(t, os.WriteFile(file, []byte(stdout), 0o644))
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, string(want), stdout, "run go test ./jobs/beameval -golden")
	}
	_, want, _ := run(t, "evaluate", "-h")
	for _, args := range [][]string{{"help", "evaluate"}, {"evaluate", "--input", "x", "--help"}} {
		code, stdout, _ := run(t, args...)
		require.Zero(t, code)
		require.Equal(t, want, stdout)
	}
	_, want, _ = run(t, "--help")
	_, stdout, _ := run(t, "help")
	require.Equal(t, want, stdout)
}

func TestVersion(t *testing.T) {
	for _, args := range [][]string{{"--version"}, {"version"}, {"evaluate", "--version"}} {
		code, stdout, stderr := run(t, args...)
		require.Zero(t, code, stderr)
		require.Regexp(t, `^beameval \S+\n(revision [0-9a-f]+(, with changes)?\n)?go 1\.\S+\nbeam 2\.\S+\n$`, stdout)
	}
}

// Wrong usage is reported in one line, with a suggestion only if there is a similar name.
func TestMisuse(t *testing.T) {
	const verbs = "evaluate, compare, monitor, merge, plan, sample, report, metrics, generate, completion, version and help; --help explains them\n"
	for args, want := range map[string]string{
		"":                               "beameval: no command: there are " + verbs,
		"evalute --input x":              `beameval: unknown command "evalute"; did you mean evaluate? There are ` + verbs,
		"predictions":                    `beameval: unknown command "predictions". There are ` + verbs,
		"help evalute":                   `help: unknown command "evalute"; did you mean evaluate? There are ` + verbs,
		"--input x --output y":           "beameval: unknown flag --input; flags follow a command: there are " + verbs,
		"--quiet evaluate --input x":     "beameval: unknown flag --quiet; flags follow a command: there are " + verbs,
		"evaluate --inptu x":             "evaluate: unknown flag --inptu; did you mean --input? --help and --help-runner list all\n",
		"evaluate -input x":              "evaluate: unknown flag -input; did you mean --input? --help and --help-runner list all\n",
		"evaluate --netwrk x":            "evaluate: unknown flag --netwrk; did you mean --network? --help and --help-runner list all\n",
		"evaluate --help-runer":          "evaluate: unknown flag --help-runer; did you mean --help_runner? --help and --help-runner list all\n",
		"evaluate --metric x":            "evaluate: unknown flag --metric; did you mean --metrics? --help and --help-runner list all\n",
		"evaluate --scores x":            "evaluate: unknown flag --scores; did you mean --score? --help and --help-runner list all\n",
		"evaluate --xyzzy":               "evaluate: unknown flag --xyzzy; --help and --help-runner list all\n",
		"evaluate --provision_endpoin x": "evaluate: unknown flag --provision_endpoin; --help and --help-runner list all\n",
		"evaluate -output=x -i y":        "evaluate: unknown flag -output; did you mean --output? --help and --help-runner list all\n",
		"evaluate --input x -i y":        `evaluate: --input: "y": the flag is given already, with "x": separate both by a comma; --help says what flags expect` + "\n",
		"evaluate -i":                    "evaluate: flag needs an argument: 'i' in -i; --help says what flags expect\n",
		"compare a b -output x":          "compare: unknown flag -output; did you mean --output? --help lists all\n",
		"compare --network x":            "compare: unknown flag --network; --help lists all\n",
		"compare --runner flink":         "compare: unknown flag --runner; --help lists all\n",
		"completion":                     "completion: expected one shell: bash, zsh or fish\n",
		"completion tcsh":                `completion: unknown shell "tcsh": expected bash, zsh or fish` + "\n",
		"version 1":                      `version: unexpected argument "1"` + "\n",
	} {
		code, stdout, stderr := run(t, strings.Fields(args)...)
		require.Equal(t, 2, code, stderr)
		require.Empty(t, stdout)
		require.Equal(t, want, stderr)
	}
}

func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		code, stdout, stderr := run(t, "completion", shell)
		require.Zero(t, code, stderr)
		require.Contains(t, stdout, "beameval")
		if program, err := exec.LookPath(shell); err == nil {
			check := exec.CommandContext(t.Context(), program, "-n")
			check.Stdin = strings.NewReader(stdout)
			output, err := check.CombinedOutput()
			require.NoError(t, err, "%s", output)
		}
	}
}

// TestCompletionInBash presses the tabulator key in bash without the package bash-completion, and has
// bash print the words of the completed line.
func TestCompletionInBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	self, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.Symlink(self, filepath.Join(dir, "beameval")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "some.parquet"), nil, 0o600))
	shell := exec.CommandContext(t.Context(), bash, "--norc", "--noprofile", "-i")
	shell.Dir = dir
	shell.Env = append(os.Environ(), role+"=command", "PATH="+dir+":"+os.Getenv("PATH"), "TERM=dumb", "HISTFILE=", "INPUTRC=/dev/null")
	terminal, err := pty.StartWithSize(shell, &pty.Winsize{Rows: 24, Cols: 400})
	require.NoError(t, err)
	defer func() {
		terminal.Close()
		_ = shell.Wait() // it ends because it has lost its terminal
	}()
	output := bufio.NewReader(terminal)
	await := func(what string) (before string) {
		t.Helper()
		for !strings.HasSuffix(before, what) {
			b, err := output.ReadByte()
			require.NoError(t, err, before)
			before += string(b)
		}
		return before
	}
	do := func(keys string) (printed string) {
		t.Helper()
		_, err := terminal.WriteString(keys + "\x05; echo do''ne\r") // after going to the end of the line
		require.NoError(t, err)
		return await("done\r\n")
	}
	do("source <(beameval completion bash)")
	for line, want := range map[string]string{
		"beameval ev":                             "[beameval][evaluate]",
		"beameval evaluate --print":               "[beameval][evaluate][--print_config]",
		"beameval evaluate --runner fl":           "[beameval][evaluate][--runner][flink]",
		"beameval evaluate --runner=fl":           "[beameval][evaluate][--runner=flink]",
		"beameval evaluate --quiet --task=multil": "[beameval][evaluate][--quiet][--task=multilabel]",
		"beameval evaluate --metrics mae,msl":     "[beameval][evaluate][--metrics][mae,msle]",
		"beameval evaluate --input some.p":        "[beameval][evaluate][--input][some.parquet]",
		"beameval evaluate -i som":                "[beameval][evaluate][-i][some.parquet]",
		"beameval compare gs://a/b som":           "[beameval][compare][gs://a/b][some.parquet]",
		"beameval evaluate --output a=b --runn":   "[beameval][evaluate][--output][a=b][--runner]",
		"beameval help gen":                       "[beameval][help][generate]",
	} {
		require.Contains(t, do(line+"\t\x01printf '[%s]' "), want, line)
	}
}

// Shell completion offers verbs, flags, metrics of the task, and runners.
func TestCandidates(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"ev"}, "evaluate\tcompute the metrics of predictions and write a report\n:4\n"},
		{[]string{"evaluate", "--runner", ""}, "direct\nprism\nflink\nspark\ndataflow\nuniversal\n:4\n"},
		{[]string{"evaluate", "--task", "regression", "--metrics", "mae,ms"}, "mae,mse\nmae,msle\n:6\n"},
		{[]string{"evaluate", "--metrics", "roc_auc_o"}, "roc_auc_optimistic\nroc_auc_optimistic_macro\nroc_auc_optimistic_micro\nroc_auc_optimistic_weighted\nroc_auc_ovo_macro\nroc_auc_ovo_weighted\nroc_auc_ovr\nroc_auc_ovr_macro\nroc_auc_ovr_micro\nroc_auc_ovr_weighted\n:6\n"},
		{[]string{"evaluate", "--cancel"}, "--cancel_job\tcancel the job with this `id`, at --endpoint, and stop\n:4\n"},
		{[]string{"completion", ""}, "bash\nzsh\nfish\n:4\n"},
		{[]string{"help", "re"}, "report\n:4\n"},
	} {
		code, stdout, stderr := run(t, append([]string{"__complete"}, test.args...)...)
		require.Zero(t, code, stderr)
		require.Equal(t, test.want, stdout, test.args)
	}
}

// The program acts as a worker if Beam passes it the flags of one, whatever its name.
func TestWorker(t *testing.T) {
	runner, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer runner.Close()
	address := runner.Addr().String()
	worker := beameval(t, "--worker=true", "--id=1", "--logging_endpoint="+address, "--control_endpoint="+address, "--semi_persist_dir="+t.TempDir())
	worker.Args[0] = "worker"
	require.NoError(t, worker.Start())
	_, err = runner.Accept()
	require.NoError(t, err, "it connects to the runner")
	require.NoError(t, worker.Process.Kill())
	require.Error(t, worker.Wait())
}

// TestSignalsAreCaughtFromTheStart: signals are caught before the packages of other modules are
// initialized, which takes most of the time before main.
func TestSignalsAreCaughtFromTheStart(t *testing.T) {
	cmd := beameval(t, "version")
	cmd.Env = append(cmd.Env, "GODEBUG=inittrace=1")
	var trace bytes.Buffer
	cmd.Stderr = &trace
	require.NoError(t, cmd.Run())
	var initialized []string
	for line := range strings.Lines(trace.String()) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "init" {
			initialized = append(initialized, words[1])
		}
	}
	at := slices.Index(initialized, "github.com/beameval/beameval/jobs/internal/interrupt")
	require.GreaterOrEqual(t, at, 0)
	require.Less(t, 10*at, len(initialized), "packages that are initialized before: %v", initialized[:max(at, 0)])
	require.False(t, slices.ContainsFunc(initialized[:at], func(name string) bool { return strings.HasPrefix(name, "github.com/apache/beam/") }))
}
