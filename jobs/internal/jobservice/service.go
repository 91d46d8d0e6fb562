// Package jobservice submits pipelines to Beam job services, such as those of Flink, Spark and
// prism, and follows and cancels the jobs. Beam's own runners keep the id of a job to
// themselves; here a job belongs to whoever submitted it until it ends.
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

// patience is how long a service may take to answer.
const patience = 10 * time.Second

// Connect connects to the job service at an address.
func Connect(ctx context.Context, endpoint string) (*Service, error) {
	conn, err := dial(ctx, endpoint)
	if err != nil {
		return nil, fmt.Errorf("no job service answers at %s: %w", endpoint, err)
	}
	return &Service{jobpb.NewJobServiceClient(conn), conn, endpoint}, nil
}

// Runner returns which runner the service is of, flink or spark: those of Java describe their
// options. It returns "" for all others.
func (s *Service) Runner(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	described, err := s.client.DescribePipelineOptions(ctx, new(jobpb.DescribePipelineOptionsRequest))
	switch status.Code(err) {
	case codes.OK:
	case codes.Unavailable, codes.DeadlineExceeded, codes.Canceled:
		return "", fmt.Errorf("the job service at %s does not say what options it has: %w", s.endpoint, err)
	default: // it has no such method
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

// Close ends the connection. Jobs go on.
func (s *Service) Close() {
	if s.conn != nil {
		_ = s.conn.Close() // nothing is under way
	}
}

// dial connects to an address, at which a server must answer.
func dial(ctx context.Context, endpoint string) (*grpc.ClientConn, error) {
	conn, err := grpc.NewClient("passthrough:///"+endpoint,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32)))
	if err != nil {
		return nil, err
	}
	if err := ping(ctx, conn); err != nil {
		_ = conn.Close() // it was never of use
		return nil, err
	}
	return conn, nil
}

// ping returns an error if no gRPC server answers. That it does not know the question is an
// answer.
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
