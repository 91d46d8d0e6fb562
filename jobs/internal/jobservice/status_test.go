package jobservice

import (
	"context"
	"testing"

	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
)

// states is a job service that knows the states of jobs. A job has read as many rows as its id has
// characters.
type states map[string]jobpb.JobState_Enum

// client is a client of it with no other methods.
type client struct {
	jobpb.JobServiceClient
	states
}

func (c client) GetState(_ context.Context, request *jobpb.GetJobStateRequest, _ ...grpc.CallOption) (*jobpb.JobStateEvent, error) {
	return &jobpb.JobStateEvent{State: c.states[request.GetJobId()]}, nil
}

func (c client) GetJobMetrics(_ context.Context, request *jobpb.GetJobMetricsRequest, _ ...grpc.CallOption) (*jobpb.GetJobMetricsResponse, error) {
	rows := &pipepb.MonitoringInfo{Payload: []byte{byte(len(request.GetJobId()))}, Labels: map[string]string{"NAMESPACE": "us", "NAME": "rows"}}
	return &jobpb.GetJobMetricsResponse{Metrics: &jobpb.MetricResults{Attempted: []*pipepb.MonitoringInfo{rows}}}, nil
}

// The status of a job is its own, whatever else is running.
func TestStatus(t *testing.T) {
	service := &Service{client: client{states: states{"theirs": jobpb.JobState_RUNNING, "our": jobpb.JobState_RUNNING, "late": jobpb.JobState_STARTING}}}
	got, err := (&Job{ID: "our", service: service}).Status(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 3, got.Sum("us", "rows"))
	got, err = (&Job{ID: "late", service: service}).Status(t.Context())
	require.NoError(t, err)
	require.Equal(t, Status{Waiting: "the runner to start the job"}, got)
}
