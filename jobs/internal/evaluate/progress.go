package evaluate

import (
	"context"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/beameval/beameval/internal/processcounters"
	"github.com/beameval/beameval/jobs/internal/jobservice"
	"github.com/beameval/beameval/jobs/internal/terminal"
	"github.com/beameval/beameval/pipeline"
	"github.com/beameval/beameval/transforms"
)

// far is the progress of a run.
type far struct {
	jobservice.Status
	counted         bool // rows and groups are known
	rows, groups    int64
	searched, tried int64 // rows and slices, by a search before the rows are read for metrics
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
		rows:     status.Sum(transforms.CounterNamespace, transforms.RowsCounter),
		groups:   status.Sum(transforms.CounterNamespace, transforms.RowGroupsCounter),
		searched: status.Sum(transforms.CounterNamespace, transforms.SearchedCounter), tried: status.Sum(transforms.CounterNamespace, transforms.TriedCounter),
	}
}

// here counts what this process has read since a run began: rows are counted as soon as they are
// read, whereas a runner reports its counters seconds later.
type here struct{ rows, groups, searched, tried int64 }

func countHere() here {
	return here{processcounters.Rows.Load(), processcounters.RowGroups.Load(), processcounters.Searched.Load(), processcounters.Tried.Load()}
}

// far returns the progress of a run that has no job.
func (h here) far(context.Context) (far, error) {
	now := countHere()
	return far{counted: true, rows: now.rows - h.rows, groups: now.groups - h.groups, searched: now.searched - h.searched, tried: now.tried - h.tried}, nil
}

// farOf returns a function that returns the progress of a job whose workers are in this process.
func (h here) farOf(job *jobservice.Job) func(context.Context) (far, error) {
	return func(ctx context.Context) (far, error) {
		at, _ := h.far(ctx)
		status, err := job.Status(ctx)
		at.Status = status
		return at, err
	}
}

// showWork shows the work before a run: on a terminal every second, in a line that stop erases,
// elsewhere in a line every ten seconds.
func (f *flags) showWork(stderr io.Writer, what func() string) (stop func()) {
	if f.quiet {
		return func() {}
	}
	interval, begin, end := 10*time.Second, "", "\n"
	if terminal.Is(stderr) {
		interval, begin, end = time.Second, "\r\x1b[K", ""
	}
	stopped, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		erase := ""
		for {
			select {
			case <-stopped:
				fmt.Fprint(stderr, erase)
				return
			case <-ticker.C:
				fmt.Fprint(stderr, begin, what(), end)
				erase = begin
			}
		}
	}()
	return func() {
		close(stopped)
		<-done
	}
}

// planning says how far planning is. Only text files take long: their rows are looked at.
func planning() string {
	return "planning: " + amount(processcounters.Planned.Load()) + " rows of text"
}

// showProgress shows the progress of a run: with a bar on a terminal, otherwise with a line every
// ten seconds, and not at all if the user wants quiet. The returned function ends it; its argument
// says whether the run succeeded. m is nil if workers are in other processes.
func (f *flags) showProgress(ctx context.Context, ask func(context.Context) (far, error), plan *pipeline.Plan, m *memoryWatch, stderr io.Writer) (stop func(succeeded bool)) {
	if f.quiet {
		return func(bool) {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	say := func(text string) { fmt.Fprintln(stderr, text) }
	interval, show, finish := 10*time.Second, func(at far, after time.Duration) { say(howFar(at, plan, after)) }, func(bool) {}
	if terminal.Is(stderr) {
		b := newBar(plan, stderr)
		interval, show, finish, say = time.Second/4, b.show, b.finish, b.say
	}
	go func() {
		defer close(done)
		began := time.Now()
		ticker, look := time.NewTicker(interval), time.NewTicker(memoryInterval)
		defer ticker.Stop()
		defer look.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-look.C:
				if text := m.notice(); text != "" {
					say(text)
				}
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
	if at.searching() {
		return tasks + searched(at, plan)
	}
	return tasks + fmt.Sprintf("%s, %d of %d row groups, %s rows/s",
		rowsOf(at, plan), at.groups, plan.RowGroups, amount(int64(float64(at.rows)/after.Seconds())))
}

// searching reports whether a search for slices reads the rows, before they are read for metrics.
func (at far) searching() bool { return at.searched > 0 && at.rows == 0 }

// searched says how far a search is. It may not read the rows a second time.
func searched(at far, plan *pipeline.Plan) string {
	text := "search: " + amount(at.searched) + " of " + amount(plan.Rows*int64(plan.Searches)) + " rows"
	if at.tried > 0 {
		text += ", " + amount(at.tried) + " slices tried"
	}
	return text
}

// rowsOf says how many rows have been read. Rows of a task that a runner has repeated count twice.
func rowsOf(at far, plan *pipeline.Plan) string {
	return amount(min(at.rows, plan.Rows)) + " of " + amount(plan.Rows) + " rows"
}

// amount returns a number with at most one decimal, which is rounded down: 1.2 M.
func amount(n int64) string {
	x, unit := float64(n), ""
	for _, larger := range []string{" k", " M", " G"} {
		if x < 1000 {
			break
		}
		x, unit = x/1000, larger
	}
	return strconv.FormatFloat(math.Floor(10*x)/10, 'f', -1, 64) + unit
}
