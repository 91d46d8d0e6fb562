package jobservice

import (
	"bytes"
	"context"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/coder"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
)

// Status is the progress of a job.
type Status struct {
	Waiting string                   // what it waits for, if it is not running
	Tasks   int                      // of Flink; 0 if the runner does not report them
	Done    int                      // those that have ended
	Metrics []*pipepb.MonitoringInfo // empty if the runner reports them only when the job has ended
}

// Status requests the progress of the job.
func (j *Job) Status(ctx context.Context) (Status, error) {
	state, err := j.state(ctx)
	if err != nil {
		return Status{}, err
	}
	switch state {
	case jobpb.JobState_UNSPECIFIED, jobpb.JobState_STOPPED, jobpb.JobState_STARTING:
		return Status{Waiting: "the runner to start the job"}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if j.flink != nil {
		return j.flink.status(ctx)
	}
	answer, err := j.service.client.GetJobMetrics(ctx, &jobpb.GetJobMetricsRequest{JobId: j.ID})
	if err != nil {
		return Status{}, fmt.Errorf("metrics of job %s: %w", j.ID, err)
	}
	return Status{Metrics: answer.GetMetrics().GetAttempted()}, nil
}

// Sum returns the sum of a counter over all steps.
func (s Status) Sum(namespace, name string) int64 {
	var total int64
	for _, info := range s.Metrics {
		labels := info.GetLabels()
		if labels["NAMESPACE"] != namespace || labels["NAME"] != name {
			continue
		}
		if n, err := coder.DecodeVarInt(bytes.NewReader(info.GetPayload())); err == nil {
			total += n
		}
	}
	return total
}
