package jobservice

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"google.golang.org/protobuf/encoding/protojson"
)

// Flink's job service knows little about its jobs: it reports counters only when a job has ended,
// reports a job that waits for task slots as running, and leaves a job that it cancels running in
// the cluster. But it knows the address of the cluster, whose REST API knows more.

// flink is a job in a Flink cluster.
type flink struct {
	url         string // of the REST API of the cluster
	name        string // of the job; Beam makes it unique
	parallelism int
}

// newFlink returns the job in its cluster, or nil if it runs elsewhere.
func newFlink(info *jobpb.JobInfo) *flink {
	options := info.GetPipelineOptions().GetFields()
	address := options["beam:option:flink_master:v1"].GetStringValue()
	if address == "" || strings.HasPrefix(address, "[") { // for example [local]
		return nil
	}
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	return &flink{
		url:         strings.TrimSuffix(address, "/"),
		name:        info.GetJobName(),
		parallelism: max(1, int(options["beam:option:parallelism:v1"].GetNumberValue())),
	}
}

// flinkJob is Flink's description of a job.
type flinkJob struct {
	ID    string `json:"jid"`
	Name  string
	State string
	Tasks struct{ Total, Finished, Running, Deploying, Initializing int }
}

func (j *flinkJob) ended() bool {
	return j.State == "FINISHED" || j.State == "CANCELED" || j.State == "FAILED"
}

// waits reports whether no task has started.
func (j *flinkJob) waits() bool {
	return j.Tasks.Finished+j.Tasks.Running+j.Tasks.Deploying+j.Tasks.Initializing == 0
}

// find returns the job, or nil if it is not in the cluster yet.
func (f *flink) find(ctx context.Context) (*flinkJob, error) {
	var overview struct{ Jobs []*flinkJob }
	if err := f.get(ctx, "/jobs/overview", &overview); err != nil {
		return nil, err
	}
	for _, job := range overview.Jobs {
		if job.Name == f.name {
			return job, nil
		}
	}
	return nil, nil
}

// status returns the progress of the job.
func (f *flink) status(ctx context.Context) (Status, error) {
	job, err := f.find(ctx)
	switch {
	case err != nil:
		return Status{}, err
	case job == nil:
		return Status{Waiting: "Flink to start the job"}, nil
	case job.waits() && !job.ended():
		slots, err := f.slots(ctx)
		return Status{Waiting: fmt.Sprintf("task slots: the job needs %d, the cluster has %d, of which %d are free", f.parallelism, slots.Total, slots.Available)}, err
	}
	status := Status{Tasks: job.Tasks.Total, Done: job.Tasks.Finished}
	var accumulators struct {
		User []struct{ Name, Value string } `json:"user-task-accumulators"`
	}
	if err := f.get(ctx, "/jobs/"+job.ID+"/accumulators", &accumulators); err != nil {
		return status, err
	}
	for _, a := range accumulators.User {
		var answer jobpb.GetJobMetricsResponse
		if a.Name == "__metricscontainers" && (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal([]byte(a.Value), &answer) == nil {
			status.Metrics = answer.GetMetrics().GetAttempted()
		}
	}
	return status, nil
}

// flinkSlots are the task slots of a cluster.
type flinkSlots struct {
	Total     int `json:"slots-total"`
	Available int `json:"slots-available"`
}

func (f *flink) slots(ctx context.Context) (slots flinkSlots, err error) {
	return slots, f.get(ctx, "/overview", &slots)
}

// CheckSlots returns an error if the job needs more task slots than its cluster has. It returns nil
// if the runner does not report slots or may add some.
func (j *Job) CheckSlots(ctx context.Context) error {
	if j.flink == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	slots, err := j.flink.slots(ctx)
	if err != nil || j.flink.parallelism <= slots.Total || slots.Total == 0 || j.flink.elastic(ctx) {
		return nil
	}
	return fmt.Errorf("--parallelism %d: the Flink cluster has %d task slots, so the job would wait for ever; set at most %[2]d, or add task managers", j.flink.parallelism, slots.Total)
}

// elastic reports whether the cluster may add task managers, or runs jobs with fewer slots than
// they request.
func (f *flink) elastic(ctx context.Context) bool {
	var settings []struct{ Key, Value string }
	if f.get(ctx, "/jobmanager/config", &settings) != nil {
		return true
	}
	for _, s := range settings {
		resources := strings.HasPrefix(s.Key, "kubernetes.") || strings.HasPrefix(s.Key, "yarn.")
		if resources || strings.EqualFold(s.Value, "adaptive") || strings.EqualFold(s.Value, "reactive") {
			return true
		}
	}
	return false
}

// awaitRecurring waits until an error that ours recognizes has failed the job twice, and returns
// its text. It returns when ctx ends at the latest.
func (f *flink) awaitRecurring(ctx context.Context, ours func(text string) (message string, found bool)) string {
	for {
		if text, _ := f.recurring(ctx, ours); text != "" || pause(ctx, time.Second) != nil { // otherwise ask again
			return text
		}
	}
}

// recurring returns the text of an error that ours recognizes in two failures of the job, or "".
func (f *flink) recurring(ctx context.Context, ours func(text string) (message string, found bool)) (string, error) {
	job, err := f.find(ctx)
	if err != nil || job == nil {
		return "", err
	}
	var failures struct {
		ExceptionHistory struct {
			Entries []struct{ Stacktrace string }
		}
	}
	if err := f.get(ctx, "/jobs/"+job.ID+"/exceptions", &failures); err != nil {
		return "", err
	}
	met := make(map[string]bool)
	for _, e := range failures.ExceptionHistory.Entries {
		message, found := ours(e.Stacktrace)
		if found && met[message] {
			return e.Stacktrace, nil
		}
		met[message] = found
	}
	return "", nil
}

// cancel makes the cluster cancel the job.
func (f *flink) cancel(ctx context.Context, job *flinkJob) error {
	return f.call(ctx, http.MethodPatch, "/jobs/"+job.ID+"?mode=cancel", nil)
}

func (f *flink) get(ctx context.Context, path string, answer any) error {
	return f.call(ctx, http.MethodGet, path, answer)
}

// call calls the REST API and decodes the response into answer, unless answer is nil.
func (f *flink) call(ctx context.Context, method, path string, answer any) error {
	request, err := http.NewRequestWithContext(ctx, method, f.url+path, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		return fmt.Errorf("%s %s%s: %s", method, f.url, path, response.Status)
	}
	if answer == nil {
		return nil
	}
	return json.NewDecoder(response.Body).Decode(answer)
}
