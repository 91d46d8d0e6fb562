package evaluate

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx" // the runners and their flags

	"github.com/beameval/beameval/internal/pendingwrites"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/jobs/internal/command"
	"github.com/beameval/beameval/jobs/internal/jobservice"
	"github.com/beameval/beameval/pipeline"
)

// place is where a pipeline runs: at a job service, or wherever one of Beam's own runners runs it.
type place struct {
	*flags
	runner  string              // the name of the flag or, for "universal", the known runner of the service
	service *jobservice.Service // nil for Beam's own runners
	env     jobservice.Environment
	remote  bool // the job service is outside this process
}

// findPlace checks the flags of the runner and connects to its job service.
func (f *flags) findPlace(ctx context.Context, stderr io.Writer) (*place, error) {
	at, err := f.checkPlace(ctx)
	if err != nil || f.validate && f.cancelJob == "" {
		return at, err
	}
	name := runnerName()
	uploads := name == "dataflow" && !dryRun() || at.remote && at.env.Remote() && f.cancelJob == ""
	if uploads {
		if *jobopts.WorkerBinary, err = jobservice.WorkerBinary(*jobopts.WorkerBinary); err != nil {
			return at, fmt.Errorf("runner %s: %w", name, err)
		}
	}
	if at.remote {
		if at.service, err = jobservice.Connect(ctx, *jobopts.Endpoint); err != nil {
			return at, fmt.Errorf("%w; %s, or correct --endpoint", err, startService[name])
		}
		if name == "universal" {
			at.runner, err = at.service.Runner(ctx)
			at.runner = cmp.Or(at.runner, name)
		}
		if at.runner == "spark" {
			at.env.Kept = keptOnSpark
		}
	} else if name == "prism" {
		fmt.Fprintln(stderr, warningOfPrism)
		at.service, err = jobservice.Prism(ctx)
	}
	return at, err
}

// keptOnSpark is how long Spark keeps an idle worker. Beam's default is not at all, so that each of its
// tasks and keys may start a worker.
const keptOnSpark = 10 * time.Second

// warningOfPrism is printed before prism listens, because Beam 2.77 has no option for the address.
const warningOfPrism = "warning: runner prism listens on all network interfaces without authentication, and runs commands for whoever connects; runner direct opens no port"

// startService says how to start the job service of a runner.
var startService = map[string]string{
	"prism":     "start it with prism --job_port",
	"flink":     "start Beam's Flink job server with --flink-master=HOST:PORT of the cluster",
	"spark":     "start Beam's Spark job server with --spark-master-url",
	"universal": "start one",
}

// checkPlace checks the flags of the runner.
func (f *flags) checkPlace(ctx context.Context) (*place, error) {
	name := runnerName()
	at := &place{flags: f, runner: name}
	inProcess := name == "direct" || name == "prism" && *jobopts.Endpoint == ""
	switch {
	case f.cancelJob != "" && (inProcess || name == "dataflow"):
		return at, fmt.Errorf("--cancel_job: runner %s has no job service; set --runner and --endpoint to those of the job", name)
	case *jobopts.Async && inProcess:
		return at, fmt.Errorf("--async: runner %s runs the job in this process, which cannot leave it; leave --async out", name)
	case inProcess:
		at.env.Type = jobservice.Loopback
		return at, nil
	case name == "dataflow":
		return at, checkDataflow(ctx)
	}
	at.remote = true
	var err error
	at.env, err = jobservice.NewEnvironment(*jobopts.EnvironmentType, *jobopts.EnvironmentConfig)
	if err == nil && *jobopts.Async && !at.env.Remote() {
		err = errors.New("--async: environment type LOOPBACK has its workers in this process, which cannot leave the job; use PROCESS, DOCKER or EXTERNAL, or leave --async out")
	}
	return at, err
}

func (at *place) close() {
	if at.service != nil {
		at.service.Close()
	}
}

// dryRun reports whether the job for Dataflow is only to be printed.
func dryRun() bool { return flag.Lookup("dry_run").Value.String() == "true" }

// execute runs a pipeline. done is false if there is no report yet, which is no error.
func (at *place) execute(ctx context.Context, p *beam.Pipeline, plan *pipeline.Plan, stdout, stderr io.Writer) (done bool, err error) {
	switch at.runner {
	case "direct":
		return at.runDirect(ctx, p, plan, stderr)
	case "dataflow":
		return at.runOnDataflow(ctx, p, plan, stdout, stderr)
	}
	if at.runner == "flink" && !at.quiet && *jobopts.Parallelism <= 1 {
		fmt.Fprintln(stderr, "parallelism: 1, for which Flink uses one task slot; set --parallelism to use more")
	}
	job, err := at.service.Submit(ctx, p, at.env)
	switch {
	case ctx.Err() != nil && job == nil:
		return false, command.ErrInterrupted
	case err != nil:
		return false, cause(err)
	}
	defer job.Close()
	if err := job.CheckSlots(ctx); err != nil {
		return false, usageError{errors.Join(err, job.Cancel(context.WithoutCancel(ctx)))}
	}
	if *jobopts.Async {
		at.sayAsync(job, plan, stdout)
		return false, nil
	}
	if at.remote && !at.quiet {
		fmt.Fprintf(stderr, "job: %s at %s\n", quote.Line(job.ID), *jobopts.Endpoint)
	}
	ask := farOf(job)
	if !at.env.Remote() {
		ask = countHere().farOf(job)
	}
	stopProgress := at.showProgress(ctx, ask, plan, newMemoryWatch(plan, !at.env.Remote()), stderr)
	err = job.Wait(ctx, ourError)
	stopProgress(err == nil)
	switch {
	case ctx.Err() != nil:
		err = at.interrupt(job, plan, stderr)
	case err != nil:
		err = cause(err)
	}
	return err == nil, err
}

// interrupt ends a job and returns an error, unless the report is already complete.
func (at *place) interrupt(job *jobservice.Job, plan *pipeline.Plan, stderr io.Writer) error {
	if at.remote {
		fmt.Fprintf(stderr, "cancelling job %s; a second signal leaves it running\n", quote.Line(job.ID))
	}
	if err := job.Cancel(context.Background()); err != nil {
		return fmt.Errorf("interrupted; %w", err)
	}
	job.Close()
	if !at.env.Remote() {
		pendingwrites.Stop()
	}
	switch {
	case complete(plan):
		return nil
	case at.remote:
		return fmt.Errorf("interrupted; job %s was cancelled; no report was written", job.ID)
	}
	return command.ErrInterrupted
}

// Direct runs a pipeline in this process, with Beam's direct runner. An error is the error of the evaluation, without what the runner adds.
func Direct(ctx context.Context, p *beam.Pipeline) error {
	if _, err := beam.Run(ctx, "direct", p); err != nil {
		return cause(err)
	}
	return nil
}

// runDirect runs a pipeline with Beam's direct runner.
func (at *place) runDirect(ctx context.Context, p *beam.Pipeline, plan *pipeline.Plan, stderr io.Writer) (done bool, err error) {
	stopProgress := at.showProgress(ctx, countHere().far, plan, newMemoryWatch(plan, true), stderr)
	err = Direct(ctx, p)
	stopProgress(err == nil)
	switch {
	case ctx.Err() != nil:
		if pendingwrites.Stop(); !complete(plan) {
			return false, command.ErrInterrupted
		}
	case err != nil:
		return false, err
	}
	return true, nil
}

// sayAsync prints what a user needs to follow a job that continues on its own.
func (at *place) sayAsync(job *jobservice.Job, plan *pipeline.Plan, stdout io.Writer) {
	fmt.Fprintf(stdout, "job: %s\nreport: %s, when the job has ended\ncancel it with: %s --runner %s --endpoint %s --cancel_job %s\n",
		job.ID, quote.Line(plan.Output()), at.path, runnerName(), *jobopts.Endpoint, job.ID)
}

// cancel cancels the job named by the flag.
func (at *place) cancel(ctx context.Context, stdout io.Writer) error {
	job, err := at.service.Find(ctx, at.cancelJob)
	if err != nil {
		return err
	}
	if err := job.Cancel(ctx); err != nil {
		return command.Exit(command.Failed, err)
	}
	fmt.Fprintf(stdout, "job %s has ended\n", quote.Line(job.ID))
	return nil
}
