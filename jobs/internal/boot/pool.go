package boot

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"sync"

	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	"google.golang.org/grpc"
)

// poolAddress is where a pool of workers listens unless it is told otherwise. Beam's own (its container/pool)
// listens at the same port of all interfaces.
const poolAddress = "localhost:50000"

// workerPool starts a process of this program for each worker that a runner asks for. There is no authentication: the
// worker runs the binary that whoever asked names.
type workerPool struct {
	fnpb.UnimplementedBeamFnExternalWorkerPoolServer
	ctx     context.Context // ends the workers; requests end when the worker has started
	program string

	mu      sync.Mutex
	workers map[string]context.CancelFunc
}

// servePool serves a pool at an address until the context is done. It warns of addresses that others can reach.
func servePool(ctx context.Context, address string, warnings io.Writer) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("--worker_pool_address: %w", err)
	}
	at := listener.Addr().(*net.TCPAddr)
	if !at.IP.IsLoopback() {
		fmt.Fprintf(warnings, "beameval: warning: whoever reaches the worker pool at %v can run programs with your rights, without authentication: let the runner alone reach it\n", at)
	}
	server := grpc.NewServer()
	fnpb.RegisterBeamFnExternalWorkerPoolServer(server, &workerPool{ctx: ctx, program: program, workers: map[string]context.CancelFunc{}})
	defer context.AfterFunc(ctx, server.Stop)()
	return cmp.Or(server.Serve(listener), context.Cause(ctx))
}

// StartWorker implements the service.
func (p *workerPool) StartWorker(_ context.Context, r *fnpb.StartWorkerRequest) (*fnpb.StartWorkerResponse, error) {
	if err := p.start(r); err != nil {
		return &fnpb.StartWorkerResponse{Error: err.Error()}, nil
	}
	return &fnpb.StartWorkerResponse{}, nil
}

func (p *workerPool) start(r *fnpb.StartWorkerRequest) error {
	id := r.GetWorkerId()
	logging, control := r.GetLoggingEndpoint(), r.GetControlEndpoint()
	switch {
	case logging == nil || control == nil:
		return fmt.Errorf("worker %q: a logging endpoint and a control endpoint are needed", id)
	case logging.Authentication != nil || control.Authentication != nil:
		return fmt.Errorf("worker %q: endpoints with authentication are not supported", id)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.workers[id] != nil {
		return fmt.Errorf("there is a worker %q already", id)
	}
	ctx, stop := context.WithCancel(p.ctx)
	worker := exec.CommandContext(ctx, p.program, "--id="+id, "--logging_endpoint="+logging.GetUrl(), "--control_endpoint="+control.GetUrl(),
		"--artifact_endpoint="+r.GetArtifactEndpoint().GetUrl(), "--provision_endpoint="+r.GetProvisionEndpoint().GetUrl())
	worker.Stdout, worker.Stderr = os.Stdout, os.Stderr
	if err := worker.Start(); err != nil {
		stop()
		return fmt.Errorf("worker %q: %w", id, err)
	}
	p.workers[id] = stop
	go func() {
		worker.Wait() // it says why it ended
		stop()
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.workers, id)
	}()
	return nil
}

// StopWorker implements the service. A worker that has ended is stopped.
func (p *workerPool) StopWorker(_ context.Context, r *fnpb.StopWorkerRequest) (*fnpb.StopWorkerResponse, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if stop := p.workers[r.GetWorkerId()]; stop != nil {
		stop()
	}
	return &fnpb.StopWorkerResponse{}, nil
}
