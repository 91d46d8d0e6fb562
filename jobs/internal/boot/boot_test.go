package boot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/artifact"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/util/protox"
	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
)

// fakeRunner has one job. Like Beam's job servers in Java it does not know the checksum of the worker
// binary.
type fakeRunner struct {
	fnpb.UnimplementedProvisionServiceServer
	jobpb.UnimplementedArtifactRetrievalServiceServer
	fnpb.UnimplementedBeamFnLoggingServer

	address string
	worker  string // the binary
	options map[string]string
	fetched atomic.Int64
	logs    chan string
}

func newFakeRunner(t *testing.T, worker string) *fakeRunner {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	r := &fakeRunner{address: listener.Addr().String(), worker: worker, options: map[string]string{"a": "b"}, logs: make(chan string, 100)}
	server := grpc.NewServer()
	fnpb.RegisterProvisionServiceServer(server, r)
	jobpb.RegisterArtifactRetrievalServiceServer(server, r)
	fnpb.RegisterBeamFnLoggingServer(server, r)
	go server.Serve(listener)
	t.Cleanup(server.Stop)
	return r
}

func (r *fakeRunner) GetProvisionInfo(context.Context, *fnpb.GetProvisionInfoRequest) (*fnpb.GetProvisionInfoResponse, error) {
	options, err := tools.OptionsToProto(map[string]any{"beam:option:go_options:v1": map[string]any{"options": r.options}})
	at := &pipepb.ApiServiceDescriptor{Url: r.address}
	return &fnpb.GetProvisionInfoResponse{Info: &fnpb.ProvisionInfo{
		PipelineOptions: options, LoggingEndpoint: at, ControlEndpoint: at, ArtifactEndpoint: at, RunnerCapabilities: []string{"c1", "c2"},
		Dependencies: []*pipepb.ArtifactInformation{
			{TypeUrn: artifact.URNFileArtifact, TypePayload: protox.MustEncode(&pipepb.ArtifactFilePayload{Path: "/x/other"})},
			{TypeUrn: artifact.URNFileArtifact, TypePayload: protox.MustEncode(&pipepb.ArtifactFilePayload{Path: "/x/program"}), RoleUrn: artifact.URNGoWorkerBinaryRole},
		},
	}}, err
}

func (r *fakeRunner) ResolveArtifacts(_ context.Context, request *jobpb.ResolveArtifactsRequest) (*jobpb.ResolveArtifactsResponse, error) {
	return &jobpb.ResolveArtifactsResponse{Replacements: request.GetArtifacts()}, nil
}

func (r *fakeRunner) GetArtifact(request *jobpb.GetArtifactRequest, stream jobpb.ArtifactRetrievalService_GetArtifactServer) error {
	text := "a file"
	if strings.Contains(string(request.GetArtifact().GetTypePayload()), "program") {
		text = r.worker
		r.fetched.Add(1)
	}
	return stream.Send(&jobpb.GetArtifactResponse{Data: []byte(text)})
}

func (r *fakeRunner) Logging(stream fnpb.BeamFnLogging_LoggingServer) error {
	for {
		list, err := stream.Recv()
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		for _, entry := range list.GetLogEntries() {
			r.logs <- entry.GetMessage()
		}
	}
}

// script is a worker that writes what it was started with, and fails.
const script = "#!/bin/sh\necho \"$@\" >$OUT\ncat $PIPELINE_OPTIONS_FILE >>$OUT\necho $RUNNER_CAPABILITIES >>$OUT\nexit 7\n"

// run runs a worker as prism does, and returns what it wrote.
func (r *fakeRunner) run(t *testing.T) (string, error) {
	out := filepath.Join(t.TempDir(), "out")
	t.Setenv("OUT", out)
	err := Run(t.Context(), []string{"--id='w 1'", "--provision_endpoint=" + r.address})
	text, _ := os.ReadFile(out)
	return string(text), err
}

func nameOf(worker string) string {
	hash := sha256.Sum256([]byte(worker))
	return fmt.Sprintf("beameval-worker-%d-%s", os.Getuid(), hex.EncodeToString(hash[:]))
}

func tempDir(t *testing.T) string {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	return dir
}

// A worker gets the flags, options and environment that Beam's boot gives it, and the runner learns how
// it ended.
func TestRun(t *testing.T) {
	temp, r := tempDir(t), newFakeRunner(t, script)
	text, err := r.run(t)
	require.EqualError(t, err, "it ended: exit status 7")
	at := r.address
	lines := strings.Split(text, "\n")
	require.Equal(t, "--worker=true --id=w 1 --logging_endpoint="+at+" --control_endpoint="+at+" --semi_persist_dir="+temp, lines[0])
	require.JSONEq(t, `{"beam:option:go_options:v1": {"options": {"a": "b"}}}`, strings.TrimSuffix(lines[1], "c1 c2"))
	require.Contains(t, text, "c1 c2\n")
	require.Equal(t, "worker w 1: it ended: exit status 7", <-r.logs)
}

// The binary stays in one directory. It is fetched once if the job has its checksum; if not, it is
// fetched for each worker and kept once.
func TestReuse(t *testing.T) {
	temp, r := tempDir(t), newFakeRunner(t, script)
	fetched := func() int64 {
		text, err := r.run(t)
		require.EqualError(t, err, "it ended: exit status 7")
		require.NotEmpty(t, text)
		list, err := os.ReadDir(temp)
		require.NoError(t, err)
		require.Len(t, list, 1)
		require.Equal(t, nameOf(script), list[0].Name())
		return r.fetched.Load()
	}
	require.EqualValues(t, 1, fetched())
	require.EqualValues(t, 2, fetched())
	r.options[ChecksumOption] = nameOf(script)[strings.LastIndexByte(nameOf(script), '-')+1:]
	require.EqualValues(t, 2, fetched())
	require.NoError(t, os.RemoveAll(filepath.Join(temp, nameOf(script))))
	require.EqualValues(t, 3, fetched())
	require.EqualValues(t, 3, fetched())
}

// Several workers that start at once share what one of them fetched.
func TestStartTogether(t *testing.T) {
	temp, r := tempDir(t), newFakeRunner(t, "#!/bin/sh\nexit 7\n")
	ended := make(chan error)
	for range 8 {
		go func() { ended <- Run(t.Context(), []string{"--id=1", "--provision_endpoint", r.address}) }()
	}
	for range 8 {
		require.EqualError(t, <-ended, "it ended: exit status 7")
	}
	list, err := os.ReadDir(temp)
	require.NoError(t, err)
	require.Len(t, list, 1)
}

// What was not used for an hour is removed, also what a killed boot left half-fetched. Other files stay.
func TestSweep(t *testing.T) {
	temp, r := tempDir(t), newFakeRunner(t, script)
	mine := fmt.Sprintf("beameval-worker-%d-", os.Getuid())
	ago := time.Now().Add(-unused - time.Minute)
	for name, at := range map[string]time.Time{mine + "old": ago, mine + "new-1": ago, mine + "young": time.Now(), nameOf(script): ago, "other": ago} {
		dir := filepath.Join(temp, name)
		require.NoError(t, os.Mkdir(dir, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, programName), []byte(script), 0o700))
		require.NoError(t, os.Chtimes(dir, at, at))
	}
	r.options[ChecksumOption] = strings.TrimPrefix(nameOf(script), mine)
	_, err := r.run(t)
	require.EqualError(t, err, "it ended: exit status 7")
	require.Zero(t, r.fetched.Load(), "the old one was used")
	list, err := os.ReadDir(temp)
	require.NoError(t, err)
	var names []string
	for _, entry := range list {
		names = append(names, entry.Name())
	}
	require.ElementsMatch(t, []string{mine + "young", nameOf(script), "other"}, names)
}

// A binary that differs from the job's is not run, nor is a binary in a directory of another user.
func TestRefused(t *testing.T) {
	temp, r := tempDir(t), newFakeRunner(t, script)
	r.options[ChecksumOption] = "0123"
	text, err := r.run(t)
	require.ErrorContains(t, err, "worker binary: expected SHA-256 0123, the runner sent "+nameOf(script)[strings.LastIndexByte(nameOf(script), '-')+1:])
	require.Empty(t, text)
	list, err := os.ReadDir(temp)
	require.NoError(t, err)
	require.Empty(t, list)

	planted := filepath.Join(temp, nameOf("")[:strings.LastIndexByte(nameOf(""), '-')+1]+"0123")
	require.NoError(t, os.WriteFile(planted, []byte(script), 0o700))
	_, err = r.run(t)
	require.EqualError(t, err, "worker binary: "+planted+": another user owns it, and it may contain anything; remove it, or set TMPDIR")
}

func TestFlags(t *testing.T) {
	for args, want := range map[string]string{
		"--provision_endpoint=x": "the runner passed no --id",
		"--id=1":                 "the runner passed no --provision_endpoint",
		"--id=1 --x":             "flag provided but not defined: -x",
	} {
		require.EqualError(t, Run(t.Context(), strings.Fields(args)), want)
	}
	require.Equal(t, []string{"CLOUD_PROF_JOB_NAME=n", "CLOUD_PROF_JOB_ID=i"}, profiled(t, "x,enable_google_cloud_profiler"))
	require.Equal(t, []string{"CLOUD_PROF_JOB_NAME=m", "CLOUD_PROF_JOB_ID=i"}, profiled(t, "enable_google_cloud_profiler=m"))
	require.Empty(t, profiled(t, "enable_prime"))
}

func profiled(t *testing.T, services string) []string {
	options, err := tools.OptionsToProto(map[string]any{"beam:option:go_options:v1": map[string]any{"options": map[string]string{"dataflow_service_options": services}}})
	require.NoError(t, err)
	info := &fnpb.ProvisionInfo{Metadata: map[string]string{"job_name": "n", "job_id": "i"}}
	return ofProfiler(info, tools.ParseOptionsFromProto(options, "go_options"))
}
