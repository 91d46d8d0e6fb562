package evaluate

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/beameval/beameval/internal/progress"
	"github.com/beameval/beameval/jobs/internal/jobservice"
	"github.com/beameval/beameval/jobs/internal/terminal"
	"github.com/beameval/beameval/pipeline"
	"github.com/beameval/beameval/transforms"
)

// far is the progress of a run.
type far struct {
	jobservice.Status
	counted      bool // rows and groups are known
	rows, groups int64
}

// farOf returns a function that requests the progress of a job.
func farOf(job *jobservice.Job) func(context.Context) (far, error) {
	return func(ctx context.Context) (far, error) {
		status, err := job.Status(ctx)
		return told(status), err
	}
}

// told extracts the progress from the status of a job.
func told(status jobservice.Status) far {
	return far{
		Status: status, counted: len(status.Metrics) > 0,
		rows:   status.Sum(transforms.CounterNamespace, transforms.RowsCounter),
		groups: status.Sum(transforms.CounterNamespace, transforms.GroupsCounter),
	}
}

// farIn returns a function that returns the progress of a run in this process.
func farIn(read *progress.Read) func(context.Context) (far, error) {
	return func(context.Context) (far, error) {
		return far{counted: true, rows: read.Rows.Load(), groups: read.Groups.Load()}, nil
	}
}

// showProgress shows the progress of a run: with a bar on a terminal, otherwise with a line every
// ten seconds, and not at all if the user wants quiet. The returned function ends it; its argument
// says whether the run succeeded.
func (f *flags) showProgress(ctx context.Context, ask func(context.Context) (far, error), plan *pipeline.Plan, stderr io.Writer) (stop func(succeeded bool)) {
	if f.quiet {
		return func(bool) {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	interval, show, finish := 10*time.Second, func(at far, after time.Duration) {
		fmt.Fprintln(stderr, howFar(at, plan, after))
	}, func(bool) {}
	if terminal.Is(stderr) {
		b := newBar(plan, stderr)
		interval, show, finish = time.Second/2, b.show, b.finish
	}
	go func() {
		defer close(done)
		began := time.Now()
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case now := <-ticker.C:
				if at, err := ask(ctx); err == nil { // otherwise the job does not exist yet, or the next request will succeed
					show(at, now.Sub(began))
				}
			}
		}
	}()
	return func(succeeded bool) {
		cancel()
		<-done
		finish(succeeded)
	}
}

// howFar describes the progress of a run.
func howFar(at far, plan *pipeline.Plan, after time.Duration) string {
	switch {
	case at.Waiting != "":
		return "waiting for " + at.Waiting
	case !at.counted:
		return fmt.Sprintf("the job has been running for %v", after.Round(time.Second))
	}
	tasks := ""
	if at.Tasks > 0 {
		tasks = fmt.Sprintf("%d of %d tasks, ", at.Done, at.Tasks)
	}
	return tasks + fmt.Sprintf("%d of %d rows, %d of %d row groups, %.0f rows/s",
		at.rows, plan.Rows, at.groups, plan.RowGroups, float64(at.rows)/after.Seconds())
}
