package evaluate

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/gcpopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/dataflow"
	"golang.org/x/oauth2/google"
	df "google.golang.org/api/dataflow/v1b3"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"

	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/jobs/internal/command"
	"github.com/beameval/beameval/pipeline"
	"github.com/beameval/beameval/transforms"
)

// runOnDataflow submits the job and waits for its end. done is false if there is no report yet,
// which is no error. Beam is only used to submit: its own waiting ignores signals, takes a
// cancelled job for a success, ends at the first failed request and does not say why a job failed.
func (at *place) runOnDataflow(ctx context.Context, p *beam.Pipeline, plan *pipeline.Plan, stdout, stderr io.Writer) (done bool, err error) {
	draft, err := draftDataflow(p)
	if err != nil {
		return false, usageError{err}
	}
	if dryRun() {
		fmt.Fprintln(stdout, draft)
		return false, nil
	}
	if err := flag.Set("cpu_profiling", ""); err != nil { // the draft has enabled it, and twice is twice
		return false, err
	}
	async, template := *jobopts.Async, flag.Lookup("template_location").Value.String()
	*jobopts.Async = true
	result, err := dataflow.Execute(ctx, p)
	*jobopts.Async = async
	switch {
	case err != nil && ctx.Err() != nil:
		return false, command.ErrInterrupted
	case err != nil:
		return false, fmt.Errorf("submitting the job: %s", story(err.Error()))
	case template != "":
		fmt.Fprintln(stderr, "the template is in", template+", and nothing was submitted")
		return false, nil
	}
	job, err := newDataflowJob(context.WithoutCancel(ctx), result.(interface{ JobID() string }).JobID())
	if err != nil {
		return false, err
	}
	if err := job.isOf(plan); err != nil {
		return false, err
	}
	if async {
		fmt.Fprintf(stdout, "job: %s\nsee it at: %s\nreport: %s, when the job has ended\ncancel it with: %s\n", job.id, job.console(), quote.Line(plan.Output()), job.toCancel())
		return false, nil
	}
	progress := stderr
	if at.quiet {
		progress = io.Discard
	}
	fmt.Fprintf(progress, "job: %s at %s\n", job.id, job.console())
	state, err := job.end(ctx, plan, progress)
	switch {
	case err != nil:
		return false, err
	case state == "JOB_STATE_DONE" || state == "JOB_STATE_CANCELLED" && complete(plan):
		return true, nil
	case state == "JOB_STATE_CANCELLED" && ctx.Err() != nil:
		return false, fmt.Errorf("interrupted; job %s was cancelled; no report was written", job.id)
	case state == "JOB_STATE_CANCELLED":
		return false, fmt.Errorf("job %s was cancelled; no report was written; look at %s", job.id, job.console())
	}
	return false, job.reason()
}

// dataflowJob is a submitted job.
type dataflowJob struct {
	api                 *df.ProjectsLocationsJobsService
	project, region, id string
	pause               time.Duration // between two requests for its state
}

func newDataflowJob(ctx context.Context, id string) (*dataflowJob, error) {
	client, err := google.DefaultClient(ctx, df.CloudPlatformScope)
	if err != nil {
		return nil, err
	}
	client.Timeout = time.Minute
	service, err := df.NewService(ctx, option.WithHTTPClient(client))
	if err != nil {
		return nil, err
	}
	if endpoint := flag.Lookup("dataflow_endpoint").Value.String(); endpoint != "" {
		service.BasePath = endpoint
	}
	return &dataflowJob{service.Projects.Locations.Jobs, *gcpopts.Project, *gcpopts.Region, id, 10 * time.Second}, nil
}

// console returns the URL where people see the job.
func (j *dataflowJob) console() string {
	return fmt.Sprintf("https://console.cloud.google.com/dataflow/jobs/%s/%s?project=%s", j.region, j.id, j.project)
}

// toCancel returns the command that cancels the job.
func (j *dataflowJob) toCancel() string {
	return fmt.Sprintf("gcloud dataflow jobs cancel %s --region=%s --project=%s", j.id, j.region, j.project)
}

// isOf returns an error if the job does not belong to this run. If a job with the same name is
// running, Dataflow does not accept another and returns the existing one.
func (j *dataflowJob) isOf(plan *pipeline.Plan) error {
	job, err := j.look("JOB_VIEW_DESCRIPTION") // includes labels
	if err != nil {
		return fmt.Errorf("job %s was submitted, but cannot be seen: %w; look at %s", j.id, err, j.console())
	}
	if job.Labels[runLabel] != strings.ToLower(plan.ID) {
		return fmt.Errorf("another job named %s is running, and nothing was submitted: wait for %s, or leave --job_name out", job.Name, j.console())
	}
	return nil
}

// look requests a view of the job. It retries requests that fail for a transient reason.
func (j *dataflowJob) look(view string) (job *df.Job, err error) {
	for range maxLooks {
		job, err = j.api.Get(j.project, j.region, j.id).View(view).Do()
		var status *googleapi.Error
		if err == nil || errors.As(err, &status) && status.Code < 500 && status.Code != 429 {
			return job, err
		}
		time.Sleep(j.pause)
	}
	return nil, err
}

// maxLooks is the maximum number of attempts at a request.
const maxLooks = 30

// end waits for the end of the job, shows its progress, and returns its last state. If the context
// ends, it cancels the job, and still waits for its end.
func (j *dataflowJob) end(ctx context.Context, plan *pipeline.Plan, progress io.Writer) (state string, err error) {
	began := time.Now()
	interrupted := ctx.Done()
	var uncancelled error
	for {
		job, err := j.look("JOB_VIEW_SUMMARY")
		switch {
		case err != nil:
			return "", fmt.Errorf("job %s cannot be seen any more: %w; it may go on: look at %s", j.id, err, j.console())
		case ended[job.CurrentState]:
			return job.CurrentState, nil
		case uncancelled != nil:
			return "", fmt.Errorf("interrupted; job %s goes on, as it could not be cancelled: %w; cancel it with: %s", j.id, uncancelled, j.toCancel())
		}
		j.show(plan, job.CurrentState, time.Since(began), progress)
		select {
		case <-interrupted:
			interrupted = nil // only once
			fmt.Fprintf(progress, "cancelling job %s; a second signal leaves it running\n", j.id)
			uncancelled = j.cancel() // also if it has just ended
		case <-time.After(j.pause):
		}
	}
}

// ended has the states in which jobs end.
var ended = map[string]bool{
	"JOB_STATE_DONE": true, "JOB_STATE_FAILED": true, "JOB_STATE_CANCELLED": true, "JOB_STATE_DRAINED": true, "JOB_STATE_UPDATED": true,
}

func (j *dataflowJob) cancel() error {
	_, err := j.api.Update(j.project, j.region, j.id, &df.Job{RequestedState: "JOB_STATE_CANCELLED"}).Do()
	return err
}

// show prints how far the job is.
func (j *dataflowJob) show(plan *pipeline.Plan, state string, since time.Duration, progress io.Writer) {
	state = strings.ToLower(strings.TrimPrefix(state, "JOB_STATE_"))
	all, err := j.api.GetMetrics(j.project, j.region, j.id).Do()
	if err != nil { // there are none before the job runs
		fmt.Fprintf(progress, "the job has been %s for %v\n", state, since.Round(time.Second))
		return
	}
	at := far{counted: true, rows: counted(all, transforms.RowsCounter), groups: counted(all, transforms.RowGroupsCounter)}
	fmt.Fprintf(progress, "%s: %s\n", state, howFar(at, plan, since))
}

// counted adds up one of our counters. Dataflow gives each number twice; the tentative one
// has what unfinished work has counted too.
func counted(all *df.JobMetrics, name string) (total int64) {
	for _, m := range all.Metrics {
		context := m.Name.Context
		if n, ok := m.Scalar.(float64); ok && m.Name.Name == name && context["namespace"] == transforms.CounterNamespace && context["tentative"] == "true" {
			total += int64(n)
		}
	}
	return total
}

// reason returns the error of a job that failed.
func (j *dataflowJob) reason() error {
	var texts []string
	err := j.api.Messages.List(j.project, j.region, j.id).MinimumImportance("JOB_MESSAGE_ERROR").Pages(context.Background(), func(page *df.ListJobMessagesResponse) error {
		for _, m := range page.JobMessages {
			texts = append(texts, m.MessageText)
		}
		return nil
	})
	text := strings.Join(texts, "\n")
	switch {
	case strings.Contains(text, transforms.ErrorMark):
		return cause(errors.New(text))
	case err != nil:
		text = "its messages cannot be read: " + err.Error()
	case text == "":
		text = "it left no message"
	}
	return fmt.Errorf("job %s failed: %s; look at %s", j.id, story(text), j.console())
}
