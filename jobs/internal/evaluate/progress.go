package evaluate

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"
	"unicode/utf8"

	"github.com/beameval/beameval/jobs/internal/jobservice"
	"github.com/beameval/beameval/pipeline"
	"github.com/beameval/beameval/transforms"
)

// showProgress prints how far the job is while the job runs: every second on a
// terminal, otherwise every ten seconds. The function that it returns ends it.
func showProgress(ctx context.Context, job *jobservice.Job, plan *pipeline.Plan, stderr io.Writer) (stop func()) {
	interval, end := 10*time.Second, "\n"
	if isTerminal(stderr) {
		interval, end = time.Second, "\r"
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		began := time.Now()
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		shown, width := false, 0 // of what stays on the line of a terminal
		for {
			select {
			case <-ctx.Done():
				if shown && end == "\r" {
					fmt.Fprintln(stderr)
				}
				return
			case now := <-ticker.C:
				status, err := job.Status(ctx)
				if err != nil {
					continue // the job is not there yet, or the next answer will say
				}
				text := howFar(status, plan, now.Sub(began))
				width = max(width, utf8.RuneCountInString(text))
				fmt.Fprintf(stderr, "%-*s%s", width, text, end)
				shown = true
			}
		}
	}()
	return func() {
		cancel()
		<-done
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

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
