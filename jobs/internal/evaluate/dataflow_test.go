package evaluate

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/stretchr/testify/require"
	df "google.golang.org/api/dataflow/v1b3"
	"google.golang.org/api/option"
	"google.golang.org/protobuf/proto"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/jobs/internal/command"
	"github.com/beameval/beameval/pipeline"
)

const onDataflow = "--runner=dataflow --project=project --region=region --staging_location=gs://bucket/staging --input=gs://bucket/preds.parquet --output=gs://bucket/reports/dt=1"

// job returns the command that creates a job. The worker is this binary, started by a script, so
// that tests need not upload it each time.
func (c *cloud) job(args ...string) *exec.Cmd {
	script := filepath.Join(c.t.TempDir(), "worker.sh")
	require.NoError(c.t, os.WriteFile(script, []byte("#!/bin/sh\nexec "+thisBinary(c.t)+` "$@"`), 0o700))
	return c.command(append(append(strings.Fields(onDataflow), "--dataflow_endpoint="+c.url+"/", "--worker_binary="+script), args...)...)
}

func thisBinary(t *testing.T) string {
	name, err := os.Executable()
	require.NoError(t, err)
	return name
}

// A job is executed from its staged files, and its report equals prism's.
func TestDataflow(t *testing.T) {
	t.Parallel()
	c := newCloud(t)
	c.execute = true
	c.upload("preds.parquet", people)
	worker, err := os.ReadFile(thisBinary(t))
	require.NoError(t, err)
	code, stdout, stderr := finish(t, c.job("--worker_binary="+thisBinary(t), "--resource_hints=min_ram=4GB"))
	require.Zero(t, code, stderr)
	requireText(t, "…\npredictions: score >= 0.5\njob: id at https://console.cloud.google.com/dataflow/jobs/region/id?project=project", stderr)

	job := c.jobs[0]
	staged := job.Environment.WorkerPools[0].Packages[0]
	hash := sha256.Sum256(worker)
	require.Equal(t, hex.EncodeToString(hash[:]), staged.Sha256)
	require.True(t, bytes.Equal(worker, c.content(staged.Location)))
	require.Equal(t, "gs://bucket/staging/tmp", job.Environment.TempStoragePrefix)
	require.Regexp(t, "^beameval-reports-dt-1-[a-z2-7]{8}$", job.Name)
	require.Equal(t, strings.ToUpper(job.Labels[runLabel]), report.RunID(c.content("reports/dt=1/run.json")))
	for _, e := range c.graph(job).GetComponents().GetEnvironments() {
		require.Equal(t, "4000000000", string(e.GetResourceHints()["beam:resources:min_ram_bytes:v1"]))
	}

	code, want, stderr := finish(t, c.command("--quiet", "--input=gs://bucket/preds.parquet", "--output=gs://bucket/prism"))
	require.Zero(t, code, stderr)
	require.Equal(t, strings.ReplaceAll(want, "gs://bucket/prism", "gs://bucket/reports/dt=1"), stdout)
	names := c.objects("prism/")
	require.Len(t, c.objects("reports/dt=1/"), len(names))
	for _, name := range names {
		if base := path.Base(name); base != report.RunJSON {
			require.Equal(t, c.content(name), c.content("reports/dt=1/"+base), name)
		}
	}
}

// A failed job reports the same error as any other runner.
func TestDataflowBadRow(t *testing.T) {
	t.Parallel()
	c := newCloud(t)
	c.execute = true
	c.upload("preds.parquet", last(people, "3 0.5 de"))
	code, stdout, stderr := finish(t, c.job("--quiet"))
	require.Equal(t, command.Failed, code)
	require.Empty(t, stdout)
	code, _, want := finish(t, c.command("--quiet", "--input=gs://bucket/preds.parquet", "--output=gs://bucket/prism"))
	require.Equal(t, command.Failed, code)
	require.Equal(t, want, stderr)
	require.Empty(t, c.objects("reports/"))
}

// The outcome of a job is reported.
func TestDataflowEnds(t *testing.T) {
	t.Parallel()
	const console = "https://console.cloud.google.com/dataflow/jobs/region/id?project=project"
	for _, test := range []struct {
		name     string
		state    string
		messages []string
		running  *df.Job
		args     string
		code     int
		stdout   string
		stderr   string
	}{
		{
			name: "failed", state: "JOB_STATE_FAILED", messages: []string{"The quota is used up.", "Workflow failed."}, code: 1,
			stderr: "evaluate: job id failed: The quota is used up.: Workflow failed.; look at " + console,
		}, {
			name: "failed in silence", state: "JOB_STATE_FAILED", code: 1,
			stderr: "evaluate: job id failed: it left no message; look at " + console,
		}, {
			name: "cancelled by others", state: "JOB_STATE_CANCELLED", code: 1,
			stderr: "evaluate: job id was cancelled; no report was written; look at " + console,
		}, {
			name: "without a report", state: "JOB_STATE_DONE", code: 1, stderr: "evaluate: the run ended without a report: …",
		}, {
			name: "asynchronous", state: "JOB_STATE_RUNNING", args: "--async",
			stdout: "job: id\nsee it at: " + console + "\nreport: gs://bucket/reports/dt=1, when the job has ended\ncancel it with: gcloud dataflow jobs cancel id --region=region --project=project",
		}, {
			name: "name in use", state: "JOB_STATE_RUNNING", running: &df.Job{Id: "id", Name: "nightly"}, args: "--job_name=nightly", code: 1,
			stderr: "evaluate: another job named nightly is running, and nothing was submitted: wait for " + console + ", or leave --job_name out",
		}, {
			name: "template", args: "--template_location=gs://bucket/template", state: "JOB_STATE_RUNNING",
			stderr: "the template is in gs://bucket/template, and nothing was submitted",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newCloud(t)
			c.states, c.messages, c.running = []string{test.state}, test.messages, test.running
			c.upload("preds.parquet", people)
			code, stdout, stderr := finish(t, c.job(append(strings.Fields(test.args), "--quiet")...))
			require.Equal(t, test.code, code, stderr)
			requireText(t, test.stderr, stderr)
			require.Equal(t, test.stdout, strings.TrimSpace(stdout))
			require.Empty(t, c.objects("reports/"))
			require.Zero(t, c.cancels)
		})
	}
}

// A signal cancels the job.
func TestDataflowInterrupted(t *testing.T) {
	t.Parallel()
	c := newCloud(t)
	c.states = []string{"JOB_STATE_RUNNING"}
	c.upload("preds.parquet", people)
	cmd := c.job()
	stderr := &said{until: "job: id", do: func() { _ = cmd.Process.Signal(syscall.SIGINT) }}
	cmd.Stderr = stderr
	require.Error(t, cmd.Run())
	require.Equal(t, command.Failed, cmd.ProcessState.ExitCode())
	requireText(t, "…\ncancelling job id; a second signal leaves it running\nevaluate: interrupted; job id was cancelled; no report was written", stderr.text)
	require.Equal(t, 1, c.cancels)
}

// said collects output, and does something when a text appears.
type said struct {
	text  string
	until string
	do    func()
}

func (s *said) Write(p []byte) (int, error) {
	s.text += string(p)
	if s.do != nil && strings.Contains(s.text, s.until) {
		s.do()
		s.do = nil
	}
	return len(p), nil
}

// The shards are distributed over workers before a file is read, combines can be lifted, and there
// are no side inputs, which Dataflow would copy to each new worker.
func TestDataflowGraph(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, preds, config string
		readers             []string // the DoFns that read files
		combines            int
	}{
		{"scores", people, "slices: [country]", []string{"fold.Fn", "ranges.SampleFn"}, 2},
		{"quantiles", people, "curves: {mode: bounded}\nslices: [{score: {quantiles: 2}}]", []string{"fold.Fn", "quantiles.TallyFn"}, 2},
		{"labels to be found", "label:string prediction:string\na b\nb b", "task: multiclass", []string{"fold.Fn", "transforms.labelsFn"}, 2},
		{"truth in other files", inspected, "truth: {files: [gs://bucket/truth.parquet]}", []string{"fold.Fn", "join.ScatterFn", "join.ScatterFn'1", "ranges.SampleFn"}, 2},
		{"row for each label", tagged, taggedBy, []string{"fold.Fn", "fold.Fn'1", "join.KeysFn", "ranges.SampleFn", "transforms.labelsFn"}, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newCloud(t)
			c.upload("preds.parquet", test.preds)
			c.upload("truth.parquet", outcomes)
			cmd := c.job("--quiet", "--async", "--config=eval.yaml")
			text("eval.yaml", test.config)(t, cmd.Dir)
			code, _, stderr := finish(t, cmd)
			require.Zero(t, code, stderr)

			steps := c.graph(c.jobs[0]).GetComponents().GetTransforms()
			producers := make(map[string]*pipepb.PTransform) // by PCollection
			for _, step := range steps {
				for _, output := range step.GetOutputs() {
					if len(step.GetSubtransforms()) == 0 {
						producers[output] = step
					}
				}
			}
			// first returns the first step of the stage of a step, which Dataflow fuses with it.
			var first func(step *pipepb.PTransform) []string
			first = func(step *pipepb.PTransform) (urns []string) {
				for _, input := range step.GetInputs() {
					switch urn := producers[input].GetSpec().GetUrn(); urn {
					case "beam:transform:pardo:v1", "beam:transform:flatten:v1":
						urns = append(urns, first(producers[input])...)
					default:
						urns = append(urns, urn)
					}
				}
				slices.Sort(urns)
				return slices.Compact(urns)
			}
			var readers []string
			combines := 0
			for _, step := range steps {
				name := path.Base(step.GetUniqueName())
				switch step.GetSpec().GetUrn() {
				case "beam:transform:combine_per_key:v1":
					var combine pipepb.CombinePayload
					require.NoError(t, proto.Unmarshal(step.GetSpec().GetPayload(), &combine))
					require.NotEmpty(t, combine.GetAccumulatorCoderId())
					combines++
				case "beam:transform:pardo:v1":
					var do pipepb.ParDoPayload
					require.NoError(t, proto.Unmarshal(step.GetSpec().GetPayload(), &do))
					require.Empty(t, do.GetSideInputs(), name)
					require.Len(t, step.GetInputs(), 1, name)
				}
				if base, _, _ := strings.Cut(name, "'"); slices.Contains([]string{"fold.Fn", "ranges.SampleFn", "join.KeysFn", "join.ScatterFn", "transforms.labelsFn", "quantiles.TallyFn"}, base) {
					readers = append(readers, name)
					require.Equal(t, []string{"beam:transform:group_by_key:v1"}, first(step), name)
				}
			}
			slices.Sort(readers)
			require.Equal(t, test.readers, readers)
			require.Equal(t, test.combines, combines)
		})
	}
}

// Each option in docs/dataflow.md reaches the documented field of the job, and the list is
// complete.
func TestDataflowOptions(t *testing.T) {
	t.Parallel()
	docs, err := os.ReadFile("../../../docs/dataflow.md")
	require.NoError(t, err)
	c := newCloud(t)
	c.upload("preds.parquet", people)
	// Contradictory options are in different jobs.
	var jobs [][]jobOption
	documented := make(map[string]bool)
	for _, cells := range regexp.MustCompile("(?m)^\\| `--(.*?)` \\|.*\\| `(\\S*?): (.*)` \\|$").FindAllStringSubmatch(string(docs), -1) {
		name, _, _ := strings.Cut(cells[1], "=")
		documented[name] = true
		o := jobOption{"--" + cells[1], cells[2], cells[3]}
		i := slices.IndexFunc(jobs, func(job []jobOption) bool {
			return !slices.ContainsFunc(job, func(other jobOption) bool { return other.contradicts(o) })
		})
		if i < 0 {
			i, jobs = len(jobs), append(jobs, nil)
		}
		jobs[i] = append(jobs[i], o)
	}
	for _, options := range jobs {
		cmd := c.job("--quiet", "--dry_run")
		for _, o := range options {
			cmd.Args = append(cmd.Args, o.flag)
		}
		code, stdout, stderr := finish(t, cmd)
		require.Zero(t, code, stderr)
		require.Empty(t, stderr)
		var job any
		require.NoError(t, json.Unmarshal([]byte(stdout), &job))
		for _, o := range options {
			require.Contains(t, field(job, strings.Split(o.field, ".")), o.value, o.flag)
		}
	}
	require.Empty(t, c.jobs)
	require.Equal(t, []string{"preds.parquet"}, c.objects(""), "a dry run uploads nothing")

	// All others are options of all runners, of other runners or of workers, or are explained below
	// the table.
	for _, name := range strings.Fields(`
		async beam_strict control_endpoint dataflow_endpoint dot_file dry_run endpoint environment_config environment_type execute_async id logging_endpoint
		options parallelism resource_hints retain_docker_containers runner semi_persist_dir template_location transform_name_mapping update worker
		worker_binary`) {
		documented[name] = true
	}
	flag.VisitAll(func(f *flag.Flag) {
		require.True(t, documented[f.Name] || strings.HasPrefix(f.Name, "test."), "--%s is not in docs/dataflow.md", f.Name)
	})
}

// jobOption is an option with the field that it reaches.
type jobOption struct{ flag, field, value string }

// contradicts reports whether two options exclude each other: both place the workers, or both set
// the same field.
func (o jobOption) contradicts(other jobOption) bool {
	places := regexp.MustCompile("^--(worker_region|worker_zone|zone)=")
	return o.field == other.field && o.field != "environment.experiments" || places.MatchString(o.flag) && places.MatchString(other.flag)
}

// field returns the text of a JSON field, of all elements if there is a list.
func field(value any, path []string) string {
	switch value := value.(type) {
	case []any:
		var all []string
		for _, element := range value {
			all = append(all, field(element, path))
		}
		return strings.Join(all, ",")
	case map[string]any:
		if len(path) > 0 {
			return field(value[path[0]], path[1:])
		}
	}
	return fmt.Sprint(value)
}

// Errors are found before anything is uploaded.
func TestDataflowRefused(t *testing.T) {
	t.Parallel()
	c := newCloud(t)
	c.upload("preds.parquet", people)
	for _, test := range []struct {
		name, args, env, stderr string
	}{
		{
			name: "flags", env: "GOOGLE_APPLICATION_CREDENTIALS=missing.json",
			args: "--project= --region= --staging_location=staging --temp_location=/tmp --job_name=Nightly_ --environment_type=LOOPBACK --update --labels={Team:x} --sdk_harness_container_image_override=x",
			stderr: `
evaluate: the credentials give no token: …missing.json: no such file or directory; run …
runner dataflow needs --project: set it to the Google Cloud project that pays for the job
runner dataflow needs --region: set it to where the data is, for example europe-west1
--staging_location: "staging" is no place in Cloud Storage: set it to gs://bucket/path
--temp_location: "/tmp" is no place in Cloud Storage: set it to gs://bucket/path
--job_name: "Nightly_": expected lower-case letters, digits and '-', beginning with a letter and not ending with '-'
--environment_type: Dataflow runs workers in containers, not as LOOPBACK: leave it out
--update is for streaming jobs, and an evaluation is none: leave it out
--sdk_harness_container_image_override: "x": expected a pattern and an image, separated by a comma
--labels: "{Team:x}": …; expected JSON such as {"team": "search"}`,
		},
		{"dry run without a project", "--dry_run --project=", "GOOGLE_APPLICATION_CREDENTIALS=missing.json", "evaluate: runner dataflow needs --project: …"},
		{"label", `--labels={"team":"Search"}`, "", `evaluate: --labels: "team": "Search": expected at most 63 lower-case letters, digits, '_' and '-' each, and a letter first in "team"`},
		{"long label", `--labels={"team":"` + strings.Repeat("é", 64) + `"}`, "", `evaluate: --labels: "team": "é…": expected at most 63 …`},
		{"no staging", "--staging_location=", "", "evaluate: runner dataflow needs --staging_location: set it, for example to gs://bucket/staging"},
		{"staging that does not exist", "--staging_location=gs://bukket/staging", "", "evaluate: --staging_location: …: there is no bucket bukket; check its name: …"},
		{"flexRS", "--flexrs_goal=CHEAP", "", "evaluate: …--flexrs_goal=(FLEXRS_UNSPECIFIED|FLEXRS_SPEED_OPTIMIZED|FLEXRS_COST_OPTIMIZED)"},
		{"workers", "--num_workers=5 --max_num_workers=3", "", "evaluate: num_workers (5) cannot exceed max_num_workers (3)"},
		{"two images", "--sdk_container_image=a --worker_harness_container_image=b", "", "evaluate: Both worker_harness_container_image and sdk_container_image cannot both be set. …"},
		{"local files", "--input=preds.parquet --output=out", "", `
evaluate: input preds.parquet is on local disk, which Dataflow's workers do not have: copy the files to gs://bucket/… and evaluate them there
output out is on local disk, which Dataflow's workers do not have: set --output to gs://bucket/…`},
		{"dry run of another runner", "--runner=prism --dry_run", "", "evaluate: --dry_run is for runner dataflow; --validate checks configuration and schemas for every runner"},
	} {
		t.Run(test.name, func(t *testing.T) {
			cmd := c.job(append([]string{"--quiet"}, strings.Fields(test.args)...)...)
			if strings.Contains(test.args, "--input=") {
				cmd.Args = slices.DeleteFunc(cmd.Args, func(arg string) bool { return arg == "--input=gs://bucket/preds.parquet" })
			}
			cmd.Env = append(cmd.Env, test.env)
			writeTable(t, filepath.Join(cmd.Dir, "preds.parquet"), people)
			code, stdout, stderr := finish(t, cmd)
			require.Equal(t, command.BadUsage, code, stderr)
			require.Empty(t, stdout)
			requireText(t, test.stderr, stderr)
			require.Empty(t, c.jobs)
			require.Equal(t, []string{"preds.parquet"}, c.objects(""))
		})
	}
}

// Credentials that provide no token do not block the command for long.
func TestDataflowCredentials(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts connections and answers nothing
	require.NoError(t, err)
	defer silent.Close()
	t.Setenv("GCE_METADATA_HOST", silent.Addr().String())
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", "")
	t.Setenv("HOME", t.TempDir())
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("no answer"))
	_, err = checkCredentials(ctx)
	require.ErrorContains(t, err, "the credentials give no token: no answer; check the network; run `gcloud auth application-default login`")
}

// A failed request is retried if that may help, and attempts are counted.
func TestDataflowLook(t *testing.T) {
	t.Parallel()
	c := newCloud(t)
	c.jobs, c.failures, c.states = []*df.Job{{}}, 2, []string{"JOB_STATE_RUNNING", "JOB_STATE_DONE"}
	for _, tentative := range []string{"true", "false"} {
		c.metrics = append(c.metrics, &df.MetricUpdate{Scalar: 3, Name: &df.MetricStructuredName{Name: "rows", Context: map[string]string{"namespace": "beameval", "step": "e18", "tentative": tentative}}})
	}
	service, err := df.NewService(t.Context(), option.WithEndpoint(c.url), option.WithoutAuthentication())
	require.NoError(t, err)
	job := &dataflowJob{api: service.Projects.Locations.Jobs, project: "project", region: "region", id: "id", pause: time.Millisecond}
	var progress bytes.Buffer
	state, err := job.end(t.Context(), &pipeline.Plan{Rows: 4, RowGroups: 2}, &progress)
	require.NoError(t, err)
	require.Equal(t, "JOB_STATE_DONE", state)
	requireText(t, "running: 3 of 4 rows, 0 of 2 row groups, … rows/s", progress.String())

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for state, want := range map[string]string{
		"JOB_STATE_DONE":    "",
		"JOB_STATE_RUNNING": "interrupted; job id goes on, as it could not be cancelled: googleapi: got HTTP response code 400 with body: the job cannot be cancelled\n; cancel it with: gcloud dataflow jobs cancel id --region=region --project=project",
	} {
		c.final, c.states = true, []string{"JOB_STATE_RUNNING", state}
		if _, err = job.end(ctx, new(pipeline.Plan), io.Discard); want == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, want)
		}
	}

	job.id = "other"
	_, err = job.end(t.Context(), new(pipeline.Plan), &progress)
	require.ErrorContains(t, err, "job other cannot be seen any more: googleapi: got HTTP response code 404")
	require.ErrorContains(t, err, "it may go on: look at https://console.cloud.google.com/dataflow/jobs/region/other?project=project")
}
