package evaluate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/cluster"
	"github.com/beameval/beameval/jobs/internal/command"
)

// The test binary is also the command, in a process whose environment says so. Tests of process
// behaviour (signals, pipes, crashes) start a process for each run. All others send their runs to a
// few workers. A worker executes one run at a time, because flags, the working directory and TMPDIR
// are global to a process.
const (
	role       = "EVALUATE_TEST_ROLE"
	commandFor = "command"
	workerFor  = "worker"
	beamFor    = "beam" // a program of Beam without our command
)

func TestMain(m *testing.M) {
	cluster.Main()
	switch os.Getenv(role) {
	case commandFor:
		resetFlags()
		Work()
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
		command.Main(Command(), signals)
	case workerFor:
		serve(os.Stdin, os.Stdout)
		return
	case beamFor:
		beamProgram()
		return
	}
	flag.Parse()
	beam.Init()
	quietLogs()
	code := m.Run()
	for range cap(workers) {
		(<-workers).stop()
	}
	os.Exit(code)
}

// process returns the command as a process to be run in a directory, with another directory for
// temporary files.
func process(ctx context.Context, dir, temp string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Path, _ = os.Executable()
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), role+"="+commandFor, "TMPDIR="+temp)
	cmd.WaitDelay = time.Second
	return cmd
}

func finish(t *testing.T, cmd *exec.Cmd) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// call is a run of the command executed by a worker; outcome is its result.
type call struct {
	Dir, Temp string
	Args      []string
}

type outcome struct {
	Code           int
	Stdout, Stderr []byte
}

// worker is a process that executes runs.
type worker struct {
	process  *exec.Cmd
	stdin    io.Closer
	calls    *json.Encoder
	outcomes *json.Decoder
}

// workers holds the idle workers; nil stands for a worker that has not been started yet.
var workers = make(chan *worker, runtime.GOMAXPROCS(0))

func init() {
	for range cap(workers) {
		workers <- nil
	}
}

func (c call) run(t *testing.T) (code int, stdout, stderr string) {
	w := <-workers
	defer func() { workers <- w }()
	if w == nil {
		w = startWorker(t)
	}
	var o outcome
	err := errors.Join(w.calls.Encode(c), w.outcomes.Decode(&o))
	if err != nil {
		w = nil
		require.NoError(t, err, "the worker crashed")
	}
	return o.Code, string(o.Stdout), string(o.Stderr)
}

// startWorker starts a worker. It has more threads than there may be cores, because the result of a
// run must not depend on their number. Its runs are too small to spare memory.
func startWorker(t *testing.T) *worker {
	cmd := process(context.Background(), "", "")
	cmd.Env = append(os.Environ(), role+"="+workerFor, "GOMAXPROCS=4", "GOGC=400", "GORACE=halt_on_error=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	return &worker{cmd, in, json.NewEncoder(in), json.NewDecoder(out)}
}

func (w *worker) stop() {
	if w != nil {
		_, _ = w.stdin.Close(), w.process.Wait()
	}
}

// serve executes the runs of a worker until it is stopped.
func serve(in io.Reader, out io.Writer) {
	beam.Init()
	quietLogs()
	calls, outcomes := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var c call
		if calls.Decode(&c) != nil || outcomes.Encode(c.make()) != nil {
			return
		}
	}
}

func (c *call) make() outcome {
	resetFlags()
	if err := errors.Join(os.Chdir(c.Dir), os.Setenv("TMPDIR", c.Temp)); err != nil {
		return outcome{Code: -1, Stderr: []byte(err.Error())}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	var stdout, stderr bytes.Buffer
	f := new(flags)
	verb := f.command()
	verb.PreRun = nil // this process stays what it is
	if c.Args[0] == shapeOn {
		verb.RunE = func(*cobra.Command, []string) error { return f.printShape(ctx, c.Args[1], &stdout) }
		c.Args = c.Args[2:]
	}
	code := command.Run(ctx, verb, c.Args, &stdout, &stderr)
	return outcome{code, stdout.Bytes(), stderr.Bytes()}
}

// resetFlags resets all flags, except the flags of go test, to the values that they have in a new
// process.
func resetFlags() {
	flag.Visit(func(f *flag.Flag) { _ = f.Value.Set(f.DefValue) })
	*jobopts.Endpoint, *jobopts.EnvironmentType = "", "" // which prism sets
	flags := flag.NewFlagSet("evaluate", flag.ContinueOnError)
	flag.VisitAll(func(f *flag.Flag) {
		if !strings.HasPrefix(f.Name, "test.") {
			flags.Var(f.Value, f.Name, f.Usage)
		}
	})
	flag.CommandLine = flags
}
