package jobservice

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"google.golang.org/grpc"
)

// Job is a job of a service.
type Job struct {
	ID      string
	service *Service
	flink   *flink   // nil if the job does not run on Flink
	workers *workers // nil if they are elsewhere
	stop    func()   // stops listening; nil before Wait
}

// Find returns a job that was submitted earlier.
func (s *Service) Find(ctx context.Context, id string) (*Job, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	jobs, err := s.client.GetJobs(ctx, new(jobpb.GetJobsRequest))
	if err != nil {
		return nil, fmt.Errorf("the job service at %s does not list its jobs: %w", s.endpoint, err)
	}
	for _, info := range jobs.GetJobInfo() {
		if info.GetJobId() == id {
			return &Job{ID: id, service: s, flink: newFlink(info)}, nil
		}
	}
	return nil, fmt.Errorf("the job service at %s has no job %q", s.endpoint, id)
}

// Close ends the workers in this process, and stops listening to the job.
func (j *Job) Close() {
	if j.stop != nil {
		j.stop()
	}
	if j.workers != nil {
		j.workers.stop()
		j.workers = nil
	}
}

// Wait waits until the job has ended. It returns an error unless the job succeeded. It cancels a
// job of Flink if an error that ours recognizes has recurred after a restart: further restarts
// would not help, and the cluster may allow many.
//
// It listens until the job is closed, even if ctx ends earlier: a job of Flink or Spark that fails
// after a listener has gone stays in the state RUNNING forever.
func (j *Job) Wait(ctx context.Context, ours func(text string) (message string, found bool)) error {
	var listening context.Context
	listening, j.stop = context.WithCancel(context.WithoutCancel(ctx))
	end := make(chan error, 1)
	go func() { end <- j.listen(listening) }()
	recurred := make(chan string, 1)
	if j.flink != nil {
		go func() { recurred <- j.flink.awaitRecurring(listening, ours) }()
	}
	select {
	case err := <-end:
		return err
	case text := <-recurred:
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return errors.Join(fmt.Errorf("job %s failed:\n%s", j.ID, text), j.Cancel(ctx))
	case <-ctx.Done():
		return ctx.Err()
	}
}

// listen listens to the job until it has ended, and returns the outcome.
func (j *Job) listen(ctx context.Context) error {
	for {
		state, message := j.follow(ctx)
		if !ended(state) {
			// The stream of messages is broken. The job continues if the service does.
			err := pause(ctx, time.Second)
			if err != nil {
				return err
			}
			if state, err = j.state(ctx, grpc.WaitForReady(true)); err != nil {
				return fmt.Errorf("the job service at %s does not answer any more; job %s may go on: %w", j.service.endpoint, j.ID, err)
			}
		}
		switch state {
		case jobpb.JobState_FAILED:
			return fmt.Errorf("job %s failed:\n%s", j.ID, message)
		case jobpb.JobState_CANCELLED:
			return fmt.Errorf("job %s was cancelled", j.ID)
		}
		if ended(state) {
			return nil
		}
	}
}

// follow reads the messages of the job until it has ended. It returns the last state and the last
// error among them.
func (j *Job) follow(ctx context.Context) (state jobpb.JobState_Enum, message string) {
	message = "the job service does not say why"
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := j.service.client.GetMessageStream(ctx, &jobpb.JobMessagesRequest{JobId: j.ID})
	for err == nil {
		var m *jobpb.JobMessagesResponse
		if m, err = stream.Recv(); err != nil {
			break
		}
		if text := m.GetMessageResponse(); text.GetImportance() >= jobpb.JobMessage_JOB_MESSAGE_ERROR && text.GetMessageText() != "" {
			message = text.GetMessageText()
		}
		if event := m.GetStateResponse(); event != nil {
			state = event.GetState()
		}
		switch {
		case state == jobpb.JobState_FAILED:
			// Some services report the reason only now. None takes long.
			time.AfterFunc(patience, cancel)
		case ended(state):
			return state, message
		}
	}
	if !errors.Is(err, io.EOF) && state != jobpb.JobState_FAILED {
		state = jobpb.JobState_UNSPECIFIED
	}
	return state, message
}

// state requests the state of the job.
func (j *Job) state(ctx context.Context, options ...grpc.CallOption) (jobpb.JobState_Enum, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	event, err := j.service.client.GetState(ctx, &jobpb.GetJobStateRequest{JobId: j.ID}, options...)
	return event.GetState(), err
}

// pause waits before the next request. It returns an error if ctx ends earlier.
func pause(ctx context.Context, length time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(length):
		return nil
	}
}

// ended reports whether a job in this state has come to an end.
func ended(state jobpb.JobState_Enum) bool {
	switch state {
	case jobpb.JobState_DONE, jobpb.JobState_FAILED, jobpb.JobState_CANCELLED, jobpb.JobState_DRAINED, jobpb.JobState_UPDATED:
		return true
	}
	return false
}

// Cancel cancels the job and waits until it has ended.
func (j *Job) Cancel(ctx context.Context) error {
	var left error // set if the job may still be running
	if j.flink != nil {
		left = j.cancelFlink(ctx)
	} else if j.workers != nil {
		j.workers.awaitAsked()
	}
	ctx, cancel := context.WithTimeout(ctx, 3*patience)
	defer cancel()
	if _, err := j.service.client.Cancel(ctx, &jobpb.CancelJobRequest{JobId: j.ID}); err != nil {
		return fmt.Errorf("the job service at %s does not cancel job %s: %w", j.service.endpoint, j.ID, err)
	}
	if j.flink != nil {
		return left // the cluster knows
	}
	for {
		state, err := j.state(ctx)
		if ended(state) {
			return nil
		}
		if end := pause(ctx, 100*time.Millisecond); end != nil {
			return fmt.Errorf("job %s was to be cancelled, but goes on (%v): %w", j.ID, state, errors.Join(err, end))
		}
	}
}

// startOfFlink limits the time that the job service may take to bring a job into the cluster.
// Sending the program took up to 20 seconds.
const startOfFlink = time.Minute

// cancelFlink cancels the job in the cluster of Flink, and waits until it has ended there. If only
// the job service cancelled a job that it is still submitting, the job would run nevertheless.
func (j *Job) cancelFlink(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startOfFlink)
	defer cancel()
	for {
		job, err := j.flink.find(ctx)
		if err != nil {
			return fmt.Errorf("the job service has cancelled job %s, but it may go on in the Flink cluster, which does not answer: %w", j.ID, err)
		}
		if job == nil {
			if state, err := j.state(ctx); err == nil && ended(state) {
				return nil
			}
		} else if job.ended() {
			return nil
		} else if job.State != "CANCELLING" {
			_ = j.flink.cancel(ctx, job) // if this failed, the job is ending, or the next attempt will say more
		}
		if pause(ctx, 200*time.Millisecond) != nil {
			return fmt.Errorf("the job service has cancelled job %s, but it may go on in the Flink cluster at %s", j.ID, j.flink.url)
		}
	}
}
