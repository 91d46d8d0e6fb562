// Package boot starts the workers of a runner, like the program boot of Beam, and takes the same
// flags. Beam's copies the worker binary to two new places for every worker; workers started by
// this package share one copy of each binary.
package boot

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/artifact"
	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/diagnostics"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// ChecksumOption is the pipeline option with the SHA-256 of the worker binary, in hexadecimal.
// With it, a machine that has the binary does not fetch it again. Beam's job servers in Java forget
// the checksum that Beam itself sends.
const ChecksumOption = "worker_sha256"

// flags are the flags that runners pass.
type flags struct {
	pool                                                                        bool
	poolAddress, id, logging, control, artifacts, provision, semiPersistentPath string
}

func parse(args []string) (flags, error) {
	var f flags
	set := flag.NewFlagSet("boot", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.BoolVar(&f.pool, "worker_pool", false, "")
	set.StringVar(&f.poolAddress, "worker_pool_address", "", "")
	set.StringVar(&f.id, "id", "", "")
	set.StringVar(&f.logging, "logging_endpoint", "", "")
	set.StringVar(&f.control, "control_endpoint", "", "")
	set.StringVar(&f.artifacts, "artifact_endpoint", "", "")
	set.StringVar(&f.provision, "provision_endpoint", "", "")
	set.StringVar(&f.semiPersistentPath, "semi_persist_dir", os.TempDir(), "")
	if err := set.Parse(args); err != nil {
		return f, err
	}
	f.id = strings.Trim(f.id, "'") // prism of Beam 2.77 quotes it as if a shell read it
	switch {
	case f.pool:
		f.poolAddress = cmp.Or(f.poolAddress, poolAddress)
	case f.poolAddress != "":
		return f, errors.New("--worker_pool_address needs --worker_pool")
	case f.id == "":
		return f, errors.New("the runner passed no --id")
	case f.provision == "":
		return f, errors.New("the runner passed no --provision_endpoint")
	}
	return f, nil
}

// Run starts the worker that the arguments of a runner describe and waits until it has ended, or
// serves a pool that starts workers. It always returns an error, because neither is meant to end.
func Run(ctx context.Context, args []string) error {
	f, err := parse(args)
	if err != nil {
		return err
	}
	if f.pool {
		return servePool(ctx, f.poolAddress, os.Stderr)
	}
	ctx = grpcx.WriteWorkerID(ctx, f.id)
	info, err := tools.ProvisionInfo(ctx, f.provision)
	if err != nil {
		return fmt.Errorf("asking the runner at %s what to run: %w", f.provision, err)
	}
	f.logging = cmp.Or(info.GetLoggingEndpoint().GetUrl(), f.logging)
	f.control = cmp.Or(info.GetControlEndpoint().GetUrl(), f.control)
	f.artifacts = cmp.Or(info.GetArtifactEndpoint().GetUrl(), f.artifacts)
	err = f.work(ctx, info)
	return errors.Join(err, f.tell(ctx, fmt.Sprintf("worker %s: %v", f.id, err)))
}

// tell logs an error at the runner, which has it when tell returns.
func (f flags) tell(ctx context.Context, message string) error {
	const patience = 10 * time.Second
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, err := grpcx.Dial(ctx, f.logging, patience)
	if err != nil {
		return err
	}
	defer conn.Close()
	stream, err := fnpb.NewBeamFnLoggingClient(conn).Logging(ctx)
	if err != nil {
		return err
	}
	entry := &fnpb.LogEntry{Severity: fnpb.LogEntry_Severity_ERROR, Timestamp: timestamppb.Now(), Message: message}
	err = errors.Join(stream.Send(&fnpb.LogEntry_List{LogEntries: []*fnpb.LogEntry{entry}}), stream.CloseSend())
	if _, ended := stream.Recv(); ended != io.EOF {
		err = errors.Join(err, ended)
	}
	return err
}

// work runs a worker to its end.
func (f flags) work(ctx context.Context, info *fnpb.ProvisionInfo) error {
	options := tools.ParseOptionsFromProto(info.GetPipelineOptions(), "go_options")
	ctx = artifact.WithArtifactValidation(ctx, !options.HasExperiment("disable_staged_file_integrity_checks"))
	checksum, _ := options.GetString(ChecksumOption) // "" if another program submitted the job
	program, err := f.program(ctx, info, checksum)
	if err != nil {
		return fmt.Errorf("worker binary: %w", err)
	}
	worker := exec.Command(program, "--worker=true", "--id="+f.id, "--logging_endpoint="+f.logging,
		"--control_endpoint="+f.control, "--semi_persist_dir="+f.semiPersistentPath)
	worker.Stdout, worker.Stderr = os.Stdout, os.Stderr
	worker.Env = slices.Concat(os.Environ(), ofRunner(info), ofProfiler(info, options))
	err = passOptions(worker, info)
	if err == nil {
		err = worker.Run()
	}
	if location, _ := options.GetString("temp_location"); location != "" {
		to := fmt.Sprintf("%s/heapProfiles/profile-%s", strings.TrimSuffix(location, "/"), f.id)
		err = errors.Join(err, diagnostics.UploadHeapProfile(ctx, to)) // if the worker left one
	}
	return fmt.Errorf("it ended: %w", cmp.Or(err, errors.New("exit status 0")))
}

// ofRunner returns what a worker finds in its environment about its runner.
func ofRunner(info *fnpb.ProvisionInfo) (env []string) {
	if endpoint := info.GetStatusEndpoint().GetUrl(); endpoint != "" {
		env = append(env, "STATUS_ENDPOINT="+endpoint)
	}
	if able := info.GetRunnerCapabilities(); len(able) > 0 {
		env = append(env, "RUNNER_CAPABILITIES="+strings.Join(able, " "))
	}
	return env
}

// ofProfiler returns the names under which Google Cloud Profiler, a service option of Dataflow, files
// the profiles of a worker.
func ofProfiler(info *fnpb.ProvisionInfo, options *tools.PipelineOptions) []string {
	const profiler = "enable_google_cloud_profiler"
	services, _ := options.GetStringSlice("dataflow_service_options")
	metadata := info.GetMetadata()
	for _, service := range services {
		key, name, _ := strings.Cut(service, "=")
		if name = cmp.Or(name, metadata["job_name"]); key == profiler && name != "" && metadata["job_id"] != "" {
			return []string{"CLOUD_PROF_JOB_NAME=" + name, "CLOUD_PROF_JOB_ID=" + metadata["job_id"]}
		}
	}
	return nil
}

// passOptions passes the pipeline options to a worker through a pipe. Beam's program leaves a
// file in its working directory, which the workers of another job may read instead of theirs.
func passOptions(worker *exec.Cmd, info *fnpb.ProvisionInfo) error {
	text, err := tools.ProtoToJSON(info.GetPipelineOptions())
	if err != nil {
		return err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	worker.ExtraFiles = []*os.File{read}
	worker.Env = append(worker.Env, "PIPELINE_OPTIONS_FILE=/dev/fd/3")
	go func() {
		defer write.Close()
		_, _ = io.WriteString(write, text) // fails if the worker ends, which is reported
	}()
	return nil
}
