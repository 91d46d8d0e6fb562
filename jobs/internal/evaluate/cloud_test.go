package evaluate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	beamprism "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/fsouza/fake-gcs-server/fakestorage"
	"github.com/stretchr/testify/require"
	df "google.golang.org/api/dataflow/v1b3"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/beameval/beameval/internal/testing/prism"
)

// cloud is a fake of Google Cloud: storage with one bucket, the service that provides tokens, and
// Dataflow.
type cloud struct {
	*fakestorage.Server
	url string
	t   *testing.T

	mu sync.Mutex
	// states are the states of the job, one for each request; the last one remains.
	states   []string
	messages []string
	metrics  []*df.MetricUpdate
	failures int // how many looks fail before they succeed
	// running is a job that is already running before the test submits its own.
	running *df.Job
	final   bool // the job cannot be cancelled
	// execute means that jobs are executed, and not only accepted.
	execute bool
	jobs    []*df.Job // those submitted
	cancels int

	// hold holds back requests to the storage.
	hold gate
	// refuse fails requests to the storage, and reports whether it did.
	refuse func(http.ResponseWriter, *http.Request) bool
}

func newCloud(t *testing.T) *cloud {
	c := &cloud{t: t, states: []string{"JOB_STATE_DONE"}}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	c.Server, err = fakestorage.NewServerWithOptions(fakestorage.Options{NoListener: true, PublicHost: listener.Addr().String()})
	require.NoError(t, err)
	c.CreateBucketWithOpts(fakestorage.CreateBucketOpts{Name: "bucket"})
	mux := http.NewServeMux()
	storage := c.hold.before(c.HTTPHandler())
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if c.refuse != nil && c.refuse(w, r) {
			return
		}
		storage.ServeHTTP(w, r)
	})
	mux.HandleFunc("/computeMetadata/v1/project/project-id", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "of-the-machine") })
	mux.HandleFunc("/computeMetadata/v1/instance/service-accounts/default/token", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"access_token": "token", "expires_in": 3600, "token_type": "Bearer"}`)
	})
	mux.HandleFunc("/computeMetadata/", http.NotFound)
	const jobs = "/v1b3/projects/project/locations/region/jobs"
	mux.HandleFunc("POST "+jobs, c.submit)
	mux.HandleFunc("GET "+jobs, c.list)
	mux.HandleFunc("GET "+jobs+"/id", c.look)
	mux.HandleFunc("PUT "+jobs+"/id", c.update)
	mux.HandleFunc("GET "+jobs+"/id/metrics", func(w http.ResponseWriter, _ *http.Request) { answer(w, df.JobMetrics{Metrics: c.metrics}) })
	mux.HandleFunc("GET "+jobs+"/id/messages", c.tell)
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: mux}}
	server.Start()
	t.Cleanup(server.Close)
	c.url = server.URL
	return c
}

func answer(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value)
}

func (c *cloud) submit(w http.ResponseWriter, r *http.Request) {
	job := new(df.Job)
	if err := json.NewDecoder(r.Body).Decode(job); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if c.running != nil {
		http.Error(w, "there is such a job", http.StatusConflict)
		return
	}
	c.jobs = append(c.jobs, job)
	if c.execute {
		c.run(job)
	}
	answer(w, df.Job{Id: "id", Name: job.Name})
}

func (c *cloud) list(w http.ResponseWriter, _ *http.Request) {
	answer(w, df.ListJobsResponse{Jobs: []*df.Job{c.running}})
}

func (c *cloud) look(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failures--; c.failures >= 0 {
		http.Error(w, "try again", http.StatusServiceUnavailable)
		return
	}
	job := c.running
	if job == nil {
		job = &df.Job{Id: "id", Name: c.jobs[0].Name}
		if r.URL.Query().Get("view") == "JOB_VIEW_DESCRIPTION" {
			job.Labels = c.jobs[0].Labels
		}
	}
	job.CurrentState = c.states[0]
	c.states = c.states[min(1, len(c.states)-1):]
	answer(w, job)
}

func (c *cloud) update(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var job df.Job
	if c.final {
		http.Error(w, "the job cannot be cancelled", http.StatusBadRequest)
		return
	}
	if json.NewDecoder(r.Body).Decode(&job) != nil || job.RequestedState != "JOB_STATE_CANCELLED" {
		http.Error(w, "nothing else is requested", http.StatusBadRequest)
		return
	}
	c.cancels++
	c.states = []string{"JOB_STATE_CANCELLED"}
	answer(w, job)
}

func (c *cloud) tell(w http.ResponseWriter, r *http.Request) {
	var answered df.ListJobMessagesResponse
	if r.URL.Query().Get("minimumImportance") == "JOB_MESSAGE_ERROR" {
		for _, text := range c.messages {
			answered.JobMessages = append(answered.JobMessages, &df.JobMessage{MessageText: text})
		}
	}
	answer(w, answered)
}

// content returns the contents of an object in the bucket.
func (c *cloud) content(name string) []byte {
	object, err := c.GetObject("bucket", strings.TrimPrefix(name, "gs://bucket/"))
	require.NoError(c.t, err, name)
	return object.Content
}

// upload writes a table to an object.
func (c *cloud) upload(name, table string) {
	file := filepath.Join(c.t.TempDir(), "table.parquet")
	writeTable(c.t, file, table)
	data, err := os.ReadFile(file)
	require.NoError(c.t, err)
	c.CreateObject(fakestorage.Object{ObjectAttrs: fakestorage.ObjectAttrs{BucketName: "bucket", Name: name}, Content: data})
}

// objects returns the names of all objects with a prefix.
func (c *cloud) objects(prefix string) (names []string) {
	all, err := c.ListObjectsWithOptionsPaginated("bucket", fakestorage.ListOptions{Prefix: prefix})
	require.NoError(c.t, err)
	for _, object := range all.Objects {
		names = append(names, object.Name)
	}
	return names
}

// env returns the environment of a process that uses this cloud.
func (c *cloud) env() []string {
	host := strings.TrimPrefix(c.url, "http://")
	return append(os.Environ(), role+"="+commandFor, "STORAGE_EMULATOR_HOST="+host, "GCE_METADATA_HOST="+host, "GOOGLE_APPLICATION_CREDENTIALS=",
		"CLOUDSDK_COMPUTE_REGION=", "HOME="+c.t.TempDir(), "PATH=")
}

// storageEnv returns the environment of a process that uses the storage of this cloud under the
// given name of the loopback interface, so that requests show who made them.
func (c *cloud) storageEnv(host string) string {
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(c.url, "http://"))
	return "STORAGE_EMULATOR_HOST=" + net.JoinHostPort(host, port)
}

// command returns the command on this cloud.
func (c *cloud) command(args ...string) *exec.Cmd {
	cmd := process(c.t.Context(), c.t.TempDir(), c.t.TempDir(), args...)
	cmd.Env = append(c.env(), "TMPDIR="+c.t.TempDir())
	return cmd
}

// graph returns the pipeline that a job runs.
func (c *cloud) graph(job *df.Job) *pipepb.Pipeline {
	var options struct {
		Options struct{ PipelineURL string }
	}
	require.NoError(c.t, json.Unmarshal(job.Environment.SdkPipelineOptions, &options))
	graph := new(pipepb.Pipeline)
	require.NoError(c.t, proto.Unmarshal(c.content(options.Options.PipelineURL), graph))
	return graph
}

// worker returns the worker binary that a job staged.
func (c *cloud) worker(job *df.Job) (file string) {
	file = filepath.Join(c.t.TempDir(), "worker")
	require.NoError(c.t, os.WriteFile(file, c.content(job.Environment.WorkerPools[0].Packages[0].Location), 0o700))
	return file
}

// run executes a job from its staged files: prism runs the pipeline, and the worker binary is the
// worker.
func (c *cloud) run(job *df.Job) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(c.t, err)
	pool := &pool{file: c.worker(job), env: c.env()}
	server := grpc.NewServer()
	fnpb.RegisterBeamFnExternalWorkerPoolServer(server, pool)
	go server.Serve(listener)
	defer server.Stop()

	graph := c.graph(job)
	for _, e := range graph.GetComponents().GetEnvironments() {
		e.Urn = "beam:env:external:v1"
		e.Payload, err = proto.Marshal(&pipepb.ExternalPayload{Endpoint: &pipepb.ApiServiceDescriptor{Url: listener.Addr().String()}})
		require.NoError(c.t, err)
	}
	jobs, err := beamprism.CreateJobServer(c.t.Context(), beamprism.Options{})
	require.NoError(c.t, err)
	err = prism.Try(func() error { return follow(c.t.Context(), jobs, graph) })
	pool.stop()
	if err != nil {
		c.states, c.messages = []string{"JOB_STATE_FAILED"}, []string{err.Error()}
	}
}

// follow runs a graph at a job service, and returns the error messages if it fails.
func follow(ctx context.Context, jobs jobpb.JobServiceClient, graph *pipepb.Pipeline) error {
	prepared, err := jobs.Prepare(ctx, &jobpb.PrepareJobRequest{Pipeline: graph, JobName: "job"})
	if err != nil {
		return err
	}
	running, err := jobs.Run(ctx, &jobpb.RunJobRequest{PreparationId: prepared.GetPreparationId()})
	if err != nil {
		return err
	}
	messages, err := jobs.GetMessageStream(ctx, &jobpb.JobMessagesRequest{JobId: running.GetJobId()})
	if err != nil {
		return err
	}
	errs := []error{errors.New("the job failed")}
	for { // the messages end after the last state
		m, err := messages.Recv()
		switch {
		case errors.Is(err, io.EOF):
			return errors.Join(errs...)
		case err != nil:
			return err
		case m.GetStateResponse().GetState() == jobpb.JobState_DONE:
			return nil
		}
		if text := m.GetMessageResponse(); text.GetImportance() == jobpb.JobMessage_JOB_MESSAGE_ERROR {
			errs = append(errs, errors.New(text.GetMessageText()))
		}
	}
}

// pool starts workers like Dataflow's containers.
type pool struct {
	fnpb.UnimplementedBeamFnExternalWorkerPoolServer
	file    string
	env     []string
	workers sync.WaitGroup
	cancels []context.CancelFunc
}

func (p *pool) StartWorker(_ context.Context, r *fnpb.StartWorkerRequest) (*fnpb.StartWorkerResponse, error) {
	ctx, cancel := context.WithCancel(context.Background())
	p.cancels = append(p.cancels, cancel)
	worker := exec.CommandContext(ctx, p.file, "--worker=true", "--id="+r.GetWorkerId(),
		"--logging_endpoint="+r.GetLoggingEndpoint().GetUrl(), "--control_endpoint="+r.GetControlEndpoint().GetUrl())
	worker.Env = p.env
	if err := worker.Start(); err != nil {
		return nil, err
	}
	p.workers.Go(func() { _ = worker.Wait() })
	return new(fnpb.StartWorkerResponse), nil
}

func (p *pool) StopWorker(context.Context, *fnpb.StopWorkerRequest) (*fnpb.StopWorkerResponse, error) {
	return new(fnpb.StopWorkerResponse), nil
}

// stop ends the workers.
func (p *pool) stop() {
	for _, cancel := range p.cancels {
		cancel()
	}
	p.workers.Wait()
}
