package evaluate

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/harness"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/beameval/beameval/jobs/internal/command"
)

// loopback are the flags of a run at a job service.
func loopback(runner, endpoint string, more ...string) []string {
	flags := append(strings.Fields(flagsOf), "--runner", runner, "--endpoint", endpoint, "--environment_type", "loopback")
	return append(flags, more...)
}

// A job ends in the way that its service reports.
func TestRemoteJob(t *testing.T) {
	for _, test := range []struct {
		name  string
		state jobpb.JobState_Enum
		cut   bool
		want  string
	}{
		{"failed", jobpb.JobState_FAILED, false, "evaluate: job job-7_1234 failed: java.lang.IllegalStateException: No container running"},
		{"failed and the connection is lost", jobpb.JobState_FAILED, true, "evaluate: job job-7_1234 failed: …"},
		{"cancelled by another", jobpb.JobState_CANCELLED, false, "evaluate: job job-7_1234 was cancelled"},
		{"done without a report", jobpb.JobState_DONE, false, "evaluate: the run ended without a report: …"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			service, dir := newFakeService(t), t.TempDir()
			service.state, service.cutStream = test.state, test.cut
			service.failure = "java.lang.IllegalStateException: No container running"
			writeTable(t, filepath.Join(dir, "preds.parquet"), people)
			code, stdout, stderr := call{dir, t.TempDir(), loopback("universal", service.endpoint, "--quiet")}.run(t)
			require.Equal(t, command.Failed, code, stderr)
			require.Empty(t, stdout)
			requireText(t, test.want, stderr)
			require.Empty(t, service.cancellations())
		})
	}
}

// The runner universal is resolved to flink or spark if the options of the job service show which
// it is.
func TestUniversal(t *testing.T) {
	for _, test := range []struct {
		known []string
		keyed bool
		noted bool // that parallelism is 1
	}{
		{[]string{"job_name", "flink_master", "parallelism"}, true, true},
		{[]string{"job_name", "spark_master"}, true, false},
		{[]string{"job_name"}, false, false},
		{nil, false, false},
	} {
		t.Run(strings.Join(test.known, ","), func(t *testing.T) {
			t.Parallel()
			service, dir := newFakeService(t), t.TempDir()
			service.state, service.known = jobpb.JobState_FAILED, test.known
			writeTable(t, filepath.Join(dir, "preds.parquet"), people)
			code, _, stderr := call{dir, t.TempDir(), loopback("universal", service.endpoint)}.run(t)
			require.Equal(t, command.Failed, code, stderr)
			require.Equal(t, test.noted, strings.Contains(stderr, "parallelism: 1, for which Flink uses one task slot"), stderr)
			keyed := false
			for _, step := range service.prepared.GetPipeline().GetComponents().GetTransforms() {
				var fn pipepb.ParDoPayload
				if step.GetSpec().GetUrn() == "beam:transform:pardo:v1" {
					require.NoError(t, proto.Unmarshal(step.GetSpec().GetPayload(), &fn))
					keyed = keyed || len(fn.GetStateSpecs()) > 0
				}
			}
			require.Equal(t, test.keyed, keyed, "a bundle for each key")
			kept := service.prepared.GetPipelineOptions().GetFields()["beam:option:environment_cache_millis:v1"].GetNumberValue()
			require.Equal(t, slices.Contains(test.known, "spark_master"), kept == 10_000, "Spark keeps workers, others have their own default")
			options := service.prepared.GetPipelineOptions().String()
			require.Contains(t, options, "hookOrder")
			require.NotContains(t, options, harness.DefaultRemoteLoggingHook, "a connection that the runner may wait for")
		})
	}
}

// The loss of a job service does not end the job.
func TestJobServiceGone(t *testing.T) {
	t.Parallel()
	service, dir := newFakeService(t), t.TempDir()
	writeTable(t, filepath.Join(dir, "preds.parquet"), people)
	cmd := process(t.Context(), dir, t.TempDir(), loopback("universal", service.endpoint)...)
	rest := during(t, cmd, "job: ", service.stop)
	require.Equal(t, command.Failed, cmd.ProcessState.ExitCode())
	requireText(t, "…\nevaluate: the job service at "+service.endpoint+" does not answer any more; job job-7_1234 may go on: …", rest)
}

// An asynchronous job prints how to cancel it.
func TestAsync(t *testing.T) {
	t.Parallel()
	service, dir := newFakeService(t), t.TempDir()
	writeTable(t, filepath.Join(dir, "preds.parquet"), people)
	text("worker", "a program")(t, dir)
	flags := []string{"--runner", "universal", "--endpoint", service.endpoint, "--environment_type", "EXTERNAL",
		"--environment_config", "localhost:50000", "--worker_binary", "worker", "--async", "--quiet"}
	code, stdout, stderr := call{dir, t.TempDir(), append(strings.Fields(flagsOf), flags...)}.run(t)
	require.Zero(t, code, stderr)
	require.Empty(t, stderr)
	requireText(t, "job: job-7_1234\nreport: out, when the job has ended\ncancel it with: evaluate --runner universal --endpoint "+service.endpoint+" --cancel_job job-7_1234", stdout)
	require.Empty(t, service.cancellations())

	_, canceller, _ := strings.Cut(strings.TrimSpace(stdout), "cancel it with: ")
	code, stdout, stderr = call{dir, t.TempDir(), strings.Fields(canceller)[1:]}.run(t)
	require.Zero(t, code, stderr)
	require.Equal(t, "job job-7_1234 has ended\n", stdout)
	require.Equal(t, []string{fakeID}, service.cancellations())

	code, _, stderr = call{dir, t.TempDir(), []string{"--runner", "universal", "--endpoint", service.endpoint, "--cancel_job", "job-8"}}.run(t)
	require.Equal(t, command.BadUsage, code)
	require.Equal(t, "evaluate: the job service at "+service.endpoint+` has no job "job-8"`+"\n", stderr)
}

// A Flink job that needs more task slots than there are would wait forever.
func TestSlots(t *testing.T) {
	const tooFew = "evaluate: --parallelism 4: the Flink cluster has 2 task slots, so the job would wait for ever; set at most 2, or add task managers"
	async := []string{"--async", "--environment_type=EXTERNAL", "--environment_config=localhost:50000", "--worker_binary=worker"}
	for _, test := range []struct {
		name, config string
		slots, code  int
		want         string
		flags        []string
	}{
		{"too few", `[{"key": "rest.port", "value": "8081"}]`, 2, command.BadUsage, tooFew, nil},
		{"too few, and nobody waits", `[]`, 2, command.BadUsage, tooFew, async},
		{"more may come", `[{"key": "kubernetes.cluster-id", "value": "x"}]`, 2, command.Failed, "evaluate: job job-7_1234 failed: the job service does not say why", nil},
		{"fewer do", `[{"key": "jobmanager.scheduler", "value": "Adaptive"}]`, 2, command.Failed, "evaluate: job job-7_1234 failed: the job service does not say why", nil},
		{"not yet", `[]`, 0, command.Failed, "evaluate: job job-7_1234 failed: the job service does not say why", nil},
		{"enough", `[]`, 4, command.Failed, "evaluate: job job-7_1234 failed: the job service does not say why", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			service, cluster, dir := newFakeService(t), fakeFlink{slots: test.slots, config: test.config}, t.TempDir()
			if cluster.on(t, service, 4); test.code == command.Failed {
				service.state = jobpb.JobState_FAILED
			}
			writeTable(t, filepath.Join(dir, "preds.parquet"), people)
			text("worker", "a program")(t, dir)
			code, _, stderr := call{dir, t.TempDir(), append(loopback("flink", service.endpoint, "--parallelism=4", "--quiet"), test.flags...)}.run(t)
			require.Equal(t, test.code, code, stderr)
			requireText(t, test.want, stderr)
			require.Equal(t, test.code == command.BadUsage, cluster.wasCancelled())
		})
	}
}

// Ending the run ends the job.
func TestInterruptedRemoteJob(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			service, cluster, dir := newFakeService(t), fakeFlink{slots: 1}, t.TempDir()
			cluster.on(t, service, 1)
			writeTable(t, filepath.Join(dir, "preds.parquet"), people)
			cmd := process(t.Context(), dir, t.TempDir(), loopback("flink", service.endpoint)...)
			var stdout bytes.Buffer
			cmd.Stdout = &stdout
			rest := interrupt(t, cmd, signal, "job: job-7_1234 at "+service.endpoint+"\n")
			require.Equal(t, command.Failed, cmd.ProcessState.ExitCode())
			requireText(t, "cancelling job job-7_1234; a second signal leaves it running\n"+
				"evaluate: interrupted; job job-7_1234 was cancelled; no report was written", rest)
			require.Empty(t, stdout.String())
			require.Equal(t, []string{fakeID}, service.cancellations())
			require.False(t, service.deaf, "Flink's job service keeps a job for running whose listener has gone")
			require.True(t, cluster.wasCancelled(), "Flink's job service leaves the job in the cluster")
			require.Equal(t, []string{"", "/preds.parquet"}, tree(t, dir))
		})
	}
}

// A job at a prism server ends with its submitter.
func TestInterruptedAtPrismServer(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	endpoint, port := listener.Addr().String(), listener.Addr().(*net.TCPAddr).Port
	require.NoError(t, listener.Close())
	client, err := prism.CreateJobServer(t.Context(), prism.Options{Port: port})
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "preds"), 0o777))
	writeSynthetic(t, filepath.Join(dir, "preds"), "n:4000")
	before := tree(t, dir)
	cmd := process(t.Context(), dir, t.TempDir(), "--config", "preds/_evaluate.yaml", "--input", "preds", "--output", "out",
		"--runner", "universal", "--endpoint", endpoint, "--environment_type", "LOOPBACK")
	rest := interrupt(t, cmd, syscall.SIGINT, "job: ")
	require.Equal(t, command.Failed, cmd.ProcessState.ExitCode())
	requireText(t, "cancelling job …; a second signal leaves it running\nevaluate: interrupted; job … was cancelled; no report was written", rest)
	require.Equal(t, before, tree(t, dir), "nothing is left behind")
	jobs, err := client.GetJobs(t.Context(), new(jobpb.GetJobsRequest))
	require.NoError(t, err)
	require.Len(t, jobs.GetJobInfo(), 1)
	require.Equal(t, jobpb.JobState_CANCELLED, jobs.GetJobInfo()[0].GetState())
}

// interrupt signals a run when it prints a line that begins with a text, and returns what it prints
// afterwards.
func interrupt(t *testing.T, cmd *exec.Cmd, signal os.Signal, when string) string {
	return during(t, cmd, when, func() { require.NoError(t, cmd.Process.Signal(signal)) })
}

// during starts a run that will fail, does something when it prints a line that begins with a text,
// and returns what it prints afterwards.
func during(t *testing.T, cmd *exec.Cmd, when string, do func()) string {
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	said := bufio.NewReader(stderr)
	for line := ""; !strings.HasPrefix(line, when); {
		line, err = said.ReadString('\n')
		require.NoError(t, err, "so far it said %q", line)
	}
	do()
	rest, err := io.ReadAll(said)
	require.NoError(t, err)
	require.Error(t, cmd.Wait())
	return string(rest)
}
