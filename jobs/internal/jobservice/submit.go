package jobservice

import (
	"context"
	"fmt"
	"os"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/harness"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/util/hooks"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/runnerlib"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/vet"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/beameval/beameval/jobs/internal/boot"
)

// Submit submits a pipeline to the service according to Beam's flags. The caller closes the job.
// Workers of the environment LOOPBACK live until then.
func (s *Service) Submit(ctx context.Context, p *beam.Pipeline, env Environment) (_ *Job, err error) {
	if *jobopts.Strict {
		if _, err := vet.Execute(ctx, p); err != nil {
			return nil, fmt.Errorf("--beam_strict: %w", err)
		}
	}
	job := &Job{service: s}
	defer func() {
		if err != nil {
			job.Close()
		}
	}()
	worker := *jobopts.WorkerBinary
	if !env.Remote() {
		if job.workers, err = newWorkers(ctx); err != nil {
			return nil, err
		}
		env.Config = job.workers.address
		if worker, err = noWorker(); err != nil { // Beam requires a file
			return nil, err
		}
		defer os.Remove(worker)
	}
	graph, err := marshal(ctx, p, env)
	if err != nil {
		return nil, err
	}
	if err := useWorker(worker, graph); err != nil {
		return nil, fmt.Errorf("worker binary: %w", err)
	}
	if job.ID, err = s.run(ctx, graph, worker, env); err != nil {
		return nil, err
	}
	if s.conn != nil {
		if found, err := s.Find(ctx, job.ID); err == nil { // not every service lists jobs
			job.flink = found.flink
		}
	}
	return job, nil
}

// marshal encodes a pipeline.
func marshal(ctx context.Context, p *beam.Pipeline, env Environment) (*pipepb.Pipeline, error) {
	edges, _, err := p.Build()
	if err != nil {
		return nil, err
	}
	environment, err := graphx.CreateEnvironment(ctx, env.urn(), func(context.Context) string { return env.Config })
	if err != nil {
		return nil, err
	}
	return graphx.Marshal(edges, &graphx.Options{Environment: environment, PipelineResourceHints: jobopts.GetPipelineResourceHints()})
}

// useWorker makes a file the worker binary of a pipeline, and tells its checksum to those who start
// workers.
func useWorker(file string, p *pipepb.Pipeline) error {
	if err := runnerlib.UpdateGoEnvironmentWorker(file, p); err != nil {
		return err
	}
	for _, environment := range p.GetComponents().GetEnvironments() {
		for _, dependency := range environment.GetDependencies() {
			var payload pipepb.ArtifactFilePayload
			if err := proto.Unmarshal(dependency.GetTypePayload(), &payload); err != nil {
				return err
			}
			beam.PipelineOptions.Set(boot.ChecksumOption, payload.GetSha256())
		}
	}
	return nil
}

// run sends a pipeline and the worker binary, and returns the id of the job.
func (s *Service) run(ctx context.Context, p *pipepb.Pipeline, worker string, env Environment) (id string, err error) {
	request, err := prepare(p, env)
	if err != nil {
		return "", err
	}
	prepared, err := s.client.Prepare(ctx, request)
	if err != nil {
		return "", fmt.Errorf("the job service at %s refuses the job: %w", s.endpoint, err)
	}
	artifacts := prepared.GetArtifactStagingEndpoint().GetUrl()
	// If nobody responds, staging would wait for two minutes.
	conn, err := dial(ctx, artifacts)
	if err != nil {
		return "", fmt.Errorf("the job service at %s takes files at %s, where nothing answers: %w", s.endpoint, artifacts, err)
	}
	_ = conn.Close() // no call is in progress
	retrieval, err := runnerlib.Stage(ctx, prepared.GetPreparationId(), artifacts, worker, prepared.GetStagingSessionToken())
	if err != nil {
		return "", fmt.Errorf("the worker binary could not be sent to %s: %w", artifacts, err)
	}
	// Not cancellable, because a job whose id is unknown could not be cancelled.
	if id, err = runnerlib.Submit(context.WithoutCancel(ctx), s.client, prepared.GetPreparationId(), retrieval); err != nil {
		return "", fmt.Errorf("the job service at %s does not run the job: %w", s.endpoint, err)
	}
	return id, nil
}

// prepare returns the request that describes a job. Beam's own (runnerlib.Prepare) has only some of the
// options that runners know.
//
// Workers do not send their logs to the runner. If an idle worker connects for its log while the
// runner already ends it, Flink and Spark wait for that connection for a minute (GrpcFnServer.close
// in Beam 2.62). Errors are part of its answers.
func prepare(p *pipepb.Pipeline, env Environment) (*jobpb.PrepareJobRequest, error) {
	hooks.DisableHook(harness.DefaultRemoteLoggingHook)
	hooks.SerializeHooksToOptions()
	beam.PipelineOptions.LoadOptionsFromFlags(nil)
	name := jobopts.GetJobName()
	options, err := tools.OptionsToProto(runtime.RawOptionsWrapper{
		Options:      beam.PipelineOptions.Export(),
		AppName:      name,
		Experiments:  append(jobopts.GetExperiments(), "beam_fn_api"),
		RetainDocker: *jobopts.RetainDockerContainers,
		Parallelism:  *jobopts.Parallelism,
	})
	if err != nil {
		return nil, fmt.Errorf("pipeline options: %w", err)
	}
	if env.Kept > 0 {
		options.Fields["beam:option:environment_cache_millis:v1"] = structpb.NewNumberValue(float64(env.Kept.Milliseconds()))
	}
	return &jobpb.PrepareJobRequest{Pipeline: p, PipelineOptions: options, JobName: name}, nil
}

// noWorker creates an empty file.
func noWorker() (string, error) {
	f, err := os.CreateTemp("", "worker-")
	if err != nil {
		return "", err
	}
	return f.Name(), f.Close()
}
