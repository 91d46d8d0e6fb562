package evaluate

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"
)

// fakeService is a job service whose job behaves as a test defines. It accepts no files.
type fakeService struct {
	jobpb.UnimplementedJobServiceServer
	jobpb.UnimplementedArtifactStagingServiceServer
	endpoint string
	stop     func()         // cuts all connections
	options  map[string]any // of the job, as the service tells them
	known    []string       // names of options; without, the service does not tell them
	prepared *jobpb.PrepareJobRequest

	mu        sync.Mutex
	changed   *sync.Cond
	state     jobpb.JobState_Enum
	failure   string // message before FAILED
	cutStream bool   // end the first stream of messages before its time
	cancelled []string
	listener  context.Context // of who reads messages
	deaf      bool            // nobody did when the job was cancelled
}

// fakeID is the id of the job, fakeName its name.
const (
	fakeID   = "job-7_1234"
	fakeName = "job-7"
)

func newFakeService(t *testing.T) *fakeService {
	f := new(fakeService)
	f.changed = sync.NewCond(&f.mu)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	f.endpoint = listener.Addr().String()
	server := grpc.NewServer()
	jobpb.RegisterJobServiceServer(server, f)
	jobpb.RegisterArtifactStagingServiceServer(server, f)
	go func() { _ = server.Serve(listener) }() // it ends with Stop
	f.stop = server.Stop
	t.Cleanup(func() {
		f.become(jobpb.JobState_CANCELLED) // for who still listens
		server.Stop()
	})
	return f
}

func (f *fakeService) become(state jobpb.JobState_Enum) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.state = state
	f.changed.Broadcast()
}

func (f *fakeService) DescribePipelineOptions(context.Context, *jobpb.DescribePipelineOptionsRequest) (*jobpb.DescribePipelineOptionsResponse, error) {
	if f.known == nil {
		return nil, status.Error(codes.Unimplemented, "unknown method DescribePipelineOptions")
	}
	answer := new(jobpb.DescribePipelineOptionsResponse)
	for _, name := range f.known {
		answer.Options = append(answer.Options, &jobpb.PipelineOptionDescriptor{Name: name})
	}
	return answer, nil
}

func (f *fakeService) Prepare(_ context.Context, request *jobpb.PrepareJobRequest) (*jobpb.PrepareJobResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.prepared = request
	return &jobpb.PrepareJobResponse{PreparationId: "prepared", StagingSessionToken: "token", ArtifactStagingEndpoint: &pipepb.ApiServiceDescriptor{Url: f.endpoint}}, nil
}

func (f *fakeService) ReverseArtifactRetrievalService(stream jobpb.ArtifactStagingService_ReverseArtifactRetrievalServiceServer) error {
	_, err := stream.Recv()
	return err
}

func (f *fakeService) Run(context.Context, *jobpb.RunJobRequest) (*jobpb.RunJobResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.state == jobpb.JobState_UNSPECIFIED {
		f.state = jobpb.JobState_RUNNING
	}
	return &jobpb.RunJobResponse{JobId: fakeID}, nil
}

func (f *fakeService) GetJobs(context.Context, *jobpb.GetJobsRequest) (*jobpb.GetJobsResponse, error) {
	options, err := structpb.NewStruct(f.options)
	return &jobpb.GetJobsResponse{JobInfo: []*jobpb.JobInfo{
		{JobId: "another", JobName: "another", State: jobpb.JobState_RUNNING},
		{JobId: fakeID, JobName: fakeName, PipelineOptions: options},
	}}, err
}

func (f *fakeService) GetState(context.Context, *jobpb.GetJobStateRequest) (*jobpb.JobStateEvent, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return &jobpb.JobStateEvent{State: f.state}, nil
}

func (f *fakeService) Cancel(_ context.Context, request *jobpb.CancelJobRequest) (*jobpb.CancelJobResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cancelled = append(f.cancelled, request.GetJobId())
	f.deaf = f.listener == nil || f.listener.Err() != nil
	f.state = jobpb.JobState_CANCELLED
	f.changed.Broadcast()
	return &jobpb.CancelJobResponse{State: f.state}, nil
}

// GetMessageStream sends every state, and the failure before the last one.
func (f *fakeService) GetMessageStream(_ *jobpb.JobMessagesRequest, stream jobpb.JobService_GetMessageStreamServer) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.cutStream {
		f.cutStream = false
		return status.Error(codes.Unavailable, "the connection is cut")
	}
	f.listener = stream.Context()
	for last := jobpb.JobState_UNSPECIFIED; ; f.changed.Wait() {
		if f.state == last {
			continue
		}
		last = f.state
		if last == jobpb.JobState_FAILED {
			_ = stream.Send(&jobpb.JobMessagesResponse{Response: &jobpb.JobMessagesResponse_MessageResponse{
				MessageResponse: &jobpb.JobMessage{Importance: jobpb.JobMessage_JOB_MESSAGE_ERROR, MessageText: f.failure}}})
		}
		_ = stream.Send(&jobpb.JobMessagesResponse{Response: &jobpb.JobMessagesResponse_StateResponse{StateResponse: &jobpb.JobStateEvent{State: last}}})
		if last != jobpb.JobState_RUNNING {
			return nil
		}
	}
}

// cancellations returns the ids of the jobs that were cancelled.
func (f *fakeService) cancellations() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.cancelled
}

// fakeFlink is the REST API of a Flink cluster. Jobs appear in it some time after they were
// submitted.
type fakeFlink struct {
	slots  int
	config string // of the job manager

	mu        sync.Mutex
	questions int // for the jobs
	cancelled bool
}

// appear is the number of requests for jobs after which the submitted job appears.
const appear = 3

// on turns the service into one of a Flink cluster.
func (f *fakeFlink) on(t *testing.T, service *fakeService, parallelism int) {
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	service.options = map[string]any{
		"beam:option:flink_master:v1": strings.TrimPrefix(server.URL, "http://"),
		"beam:option:parallelism:v1":  parallelism,
	}
}

func (f *fakeFlink) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	answer := ""
	switch r.Method + " " + r.URL.String() {
	case "GET /overview":
		answer = strings.ReplaceAll(`{"slots-total": N, "slots-available": N}`, "N", string(rune('0'+f.slots)))
	case "GET /jobmanager/config":
		answer = f.config
	case "GET /jobs/overview":
		f.questions++
		switch {
		case f.questions <= appear:
			answer = `{"jobs": [{"jid": "a", "name": "another", "state": "RUNNING"}]}`
		case f.cancelled:
			answer = `{"jobs": [{"jid": "b", "name": "job-7", "state": "CANCELED"}]}`
		default:
			answer = `{"jobs": [{"jid": "a", "name": "another", "state": "RUNNING"}, {"jid": "b", "name": "job-7", "state": "RUNNING"}]}`
		}
	case "PATCH /jobs/b?mode=cancel":
		f.cancelled = true
		answer = `{}`
	default:
		w.WriteHeader(http.StatusNotFound)
	}
	_, _ = w.Write([]byte(answer)) // a client that is gone needs none
}

func (f *fakeFlink) wasCancelled() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.cancelled
}
