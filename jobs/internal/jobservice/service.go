// Package jobservice submits pipelines to Beam job services, such as Flink's, Spark's and prism's,
// and follows and cancels the jobs. Beam's own code does not reveal the id of a job; here, a job
// belongs to its submitter until it ends.
//
//	Connect, Prism ─► Service ─ Submit ─► Job ─ Wait, Status, Cancel ─► Close
//	                                       │
//	                                       ├ workers   LOOPBACK: workers in this process (loopback.go)
//	                                       └ flink     what only the cluster knows (flink.go)
package jobservice

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
)

// Service is a job service.
type Service struct {
	client   jobpb.JobServiceClient
	conn     *grpc.ClientConn // nil if it is in this process
	endpoint string
}

// patience is the time within which a service must respond.
const patience = 10 * time.Second

// Connect connects to the job service at an address.
func Connect(ctx context.Context, endpoint string) (*Service, error) {
	conn, err := dial(ctx, endpoint)
	if err != nil {
		return nil, fmt.Errorf("no job service answers at %s: %w", endpoint, err)
	}
	return &Service{jobpb.NewJobServiceClient(conn), conn, endpoint}, nil
}

// Runner returns the runner of the service, flink or spark, whose job servers describe their
// options. It returns "" for all others.
func (s *Service) Runner(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	described, err := s.client.DescribePipelineOptions(ctx, new(jobpb.DescribePipelineOptionsRequest))
	switch status.Code(err) {
	case codes.OK:
	case codes.Unavailable, codes.DeadlineExceeded, codes.Canceled:
		return "", fmt.Errorf("the job service at %s does not say what options it has: %w", s.endpoint, err)
	default: // the service lacks this method
		return "", nil
	}
	for _, o := range described.GetOptions() {
		switch o.GetName() {
		case "flink_master":
			return "flink", nil
		case "spark_master":
			return "spark", nil
		}
	}
	return "", nil
}

// Prism starts prism, Beam's local runner, in this process.
func Prism(ctx context.Context) (*Service, error) {
	client, err := prism.CreateJobServer(ctx, prism.Options{})
	if err != nil {
		return nil, fmt.Errorf("prism does not start: %w", err)
	}
	return &Service{client: client, endpoint: "this process"}, nil
}

// Close closes the connection. Jobs continue.
func (s *Service) Close() {
	if s.conn != nil {
		_ = s.conn.Close() // no call is in progress
	}
}

// dial connects to an address and checks that a server responds.
func dial(ctx context.Context, endpoint string) (*grpc.ClientConn, error) {
	conn, err := grpc.NewClient("passthrough:///"+endpoint,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32)))
	if err != nil {
		return nil, err
	}
	if err := ping(ctx, conn); err != nil {
		_ = conn.Close() // it was never used
		return nil, err
	}
	return conn, nil
}

// ping returns an error if no gRPC server responds. A response that the method is unknown suffices.
func ping(ctx context.Context, conn *grpc.ClientConn) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, err := grpc_health_v1.NewHealthClient(conn).Check(ctx, new(grpc_health_v1.HealthCheckRequest))
	switch status.Code(err) {
	case codes.Canceled:
		return context.Canceled
	case codes.DeadlineExceeded:
		return fmt.Errorf("nothing that Beam understands within %v", patience)
	case codes.Unavailable:
		return errors.New(status.Convert(err).Message())
	case codes.Unimplemented:
		if text := status.Convert(err).Message(); strings.HasPrefix(text, "unexpected HTTP status") {
			return errors.New(text)
		}
	}
	return nil
}
