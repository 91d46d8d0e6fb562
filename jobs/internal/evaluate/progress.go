package evaluate

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/beameval/beameval/jobs/internal/jobservice"
	"github.com/beameval/beameval/jobs/internal/terminal"
	"github.com/beameval/beameval/pipeline"
	"github.com/beameval/beameval/transforms"
)

// showProgress shows how far the job is while the job runs: with a bar on a terminal, otherwise
// by a line every ten seconds. The function that it returns ends it, and is told whether the job
// has succeeded.
func showProgress(ctx context.Context, job *jobservice.Job, plan *pipeline.Plan, stderr io.Writer) (stop func(succeeded bool)) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	interval, show, finish := 10*time.Second, func(status jobservice.Status, after time.Duration) {
		fmt.Fprintln(stderr, howFar(status, plan, after))
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
				if status, err := job.Status(ctx); err == nil { // otherwise the job is not there yet, or the next answer will say
					show(status, now.Sub(began))
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

// howFar says how far a job is after some time.
func howFar(status jobservice.Status, plan *pipeline.Plan, after time.Duration) string {
	switch {
	case status.Waiting != "":
		return "waiting for " + status.Waiting
	case len(status.Metrics) == 0:
		return fmt.Sprintf("the job has been running for %v", after.Round(time.Second))
	}
	tasks := ""
	if status.Tasks > 0 {
		tasks = fmt.Sprintf("%d of %d tasks, ", status.Done, status.Tasks)
	}
	rows, groups := status.Sum(transforms.CounterNamespace, transforms.RowsCounter), status.Sum(transforms.CounterNamespace, transforms.GroupsCounter)
	return tasks + fmt.Sprintf("%d of %d rows, %d of %d row groups, %.0f rows/s",
		rows, plan.Rows, groups, plan.RowGroups, float64(rows)/after.Seconds())
}
