package boot

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// TestPoolListensOnLoopback: nobody else reaches a pool that was not told to listen elsewhere, and of one that was there
// is a warning.
func TestPoolListensOnLoopback(t *testing.T) {
	f, err := parse([]string{"--worker_pool"})
	require.NoError(t, err)
	host, port, err := net.SplitHostPort(f.poolAddress)
	require.NoError(t, err)
	require.Equal(t, []string{"localhost", "50000"}, []string{host, port})
	_, err = parse([]string{"--worker_pool_address=:50000", "--id=1"})
	require.ErrorContains(t, err, "--worker_pool_address needs --worker_pool")

	for address, warns := range map[string]bool{"localhost:0": false, "127.0.0.1:0": false, ":0": true, "0.0.0.0:0": true} {
		f, err := parse([]string{"--worker_pool", "--worker_pool_address=" + address})
		require.NoError(t, err)
		var said bytes.Buffer
		ctx, stop := context.WithCancel(t.Context())
		stop()
		require.Error(t, servePool(ctx, f.poolAddress, &said))
		require.Equal(t, warns, said.Len() > 0, "%s: %s", address, said.String())
	}
	require.ErrorContains(t, servePool(t.Context(), "here", nil), "--worker_pool_address: ")
}

// TestPoolStartsWorkers: a worker is a process of the program with the endpoints of the runner; it ends when the runner
// or the pool says so.
func TestPoolStartsWorkers(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell")
	}
	folder := t.TempDir()
	program := filepath.Join(folder, "program")
	require.NoError(t, os.WriteFile(program, []byte("#!"+shell+"\necho \"$@\" >\""+folder+"/said.$$\" && mv \""+folder+"/said.$$\" \""+folder+"/args\"\nexec sleep 600\n"), 0o755))
	ctx, end := context.WithCancel(t.Context())
	defer end()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server, pool := grpc.NewServer(), &workerPool{ctx: ctx, program: program, workers: map[string]context.CancelFunc{}}
	fnpb.RegisterBeamFnExternalWorkerPoolServer(server, pool)
	var serving sync.WaitGroup
	serving.Go(func() { server.Serve(listener) })
	defer serving.Wait()
	defer server.Stop()
	conn, err := grpc.NewClient(listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	defer conn.Close()
	client := fnpb.NewBeamFnExternalWorkerPoolClient(conn)
	at := func(url string) *pipepb.ApiServiceDescriptor { return &pipepb.ApiServiceDescriptor{Url: url} }
	request := &fnpb.StartWorkerRequest{WorkerId: "7", LoggingEndpoint: at("l"), ControlEndpoint: at("c"), ArtifactEndpoint: at("a"), ProvisionEndpoint: at("p")}
	start := func(r *fnpb.StartWorkerRequest) string {
		answer, err := client.StartWorker(ctx, r)
		require.NoError(t, err)
		return answer.GetError()
	}
	running := func() int {
		pool.mu.Lock()
		defer pool.mu.Unlock()
		return len(pool.workers)
	}
	require.Contains(t, start(&fnpb.StartWorkerRequest{WorkerId: "7"}), "endpoint")
	require.Empty(t, start(request))
	require.Contains(t, start(request), `a worker "7" already`)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		args, err := os.ReadFile(filepath.Join(folder, "args"))
		require.NoError(c, err)
		require.Equal(c, "--id=7 --logging_endpoint=l --control_endpoint=c --artifact_endpoint=a --provision_endpoint=p\n", string(args))
	}, time.Minute, 10*time.Millisecond)
	_, err = client.StopWorker(ctx, &fnpb.StopWorkerRequest{WorkerId: "7"})
	require.NoError(t, err)
	require.Eventually(t, func() bool { return running() == 0 }, time.Minute, 10*time.Millisecond)
	require.Empty(t, start(request))
	end()
	require.Eventually(t, func() bool { return running() == 0 }, time.Minute, 10*time.Millisecond)
}
