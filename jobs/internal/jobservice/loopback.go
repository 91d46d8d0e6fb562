package jobservice

import (
	"context"
	"net"
	"sync"
	"time"

	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/extworker"
	"google.golang.org/grpc"
)

// workers are the workers of a job in this process. The runner requests each of them.
type workers struct {
	*extworker.Loopback
	address string
	server  *grpc.Server
	once    sync.Once
	asked   chan struct{} // closed when the runner has requested the first
}

// newWorkers returns workers that live until they are stopped.
func newWorkers(ctx context.Context) (*workers, error) {
	pool, err := extworker.StartLoopback(context.WithoutCancel(ctx), 0)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return nil, err
	}
	w := &workers{Loopback: pool, address: listener.Addr().String(), server: grpc.NewServer(), asked: make(chan struct{})}
	fnpb.RegisterBeamFnExternalWorkerPoolServer(w.server, w)
	go func() { _ = w.server.Serve(listener) }() // until it is stopped
	return w, nil
}

// StartWorker starts a worker.
func (w *workers) StartWorker(ctx context.Context, request *fnpb.StartWorkerRequest) (*fnpb.StartWorkerResponse, error) {
	defer w.once.Do(func() { close(w.asked) })
	return w.Loopback.StartWorker(ctx, request)
}

// awaitAsked waits until the runner has requested a worker, if it will. Prism does so immediately,
// and ends its process if nobody answers, even if the job has been cancelled.
func (w *workers) awaitAsked() {
	select {
	case <-w.asked:
	case <-time.After(patience):
	}
}

func (w *workers) stop() {
	_ = w.Stop(context.Background()) // always returns nil
	w.server.GracefulStop()
}
