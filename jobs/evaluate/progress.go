package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/coder"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/beameval/beameval/pipeline"
	"github.com/beameval/beameval/transforms"
)

// showProgress prints rows, row groups and rates while the job runs: every second on a
// terminal, otherwise every ten seconds. The function that it returns ends it.
func showProgress(ctx context.Context, plan *pipeline.Plan, stderr io.Writer) (stop func()) {
	if *quiet {
		return func() {}
	}
	interval, end := 10*time.Second, "\n"
	if isTerminal(stderr) {
		interval, end = time.Second, "\r"
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		began := time.Now()
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		shown := false
		for {
			select {
			case <-ctx.Done():
				if shown && end == "\r" {
					fmt.Fprintln(stderr)
				}
				return
			case now := <-ticker.C:
				rows, groups, err := counters(ctx)
				if err != nil {
					continue // the job is not there yet, or the runner has no job service
				}
				shown = true
				fmt.Fprintf(stderr, "%d of %d rows, %d of %d row groups, %.0f rows/s    %s",
					rows, plan.Rows, groups, plan.RowGroups, float64(rows)/now.Sub(began).Seconds(), end)
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// counters asks the job service for the progress counters of the running job.
func counters(ctx context.Context) (rows, groups int64, err error) {
	if *jobopts.Endpoint == "" {
		return 0, 0, fmt.Errorf("no job service")
	}
	conn, err := grpc.NewClient(*jobopts.Endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return 0, 0, err
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	client := jobpb.NewJobServiceClient(conn)
	jobs, err := client.GetJobs(ctx, &jobpb.GetJobsRequest{})
	if err != nil {
		return 0, 0, err
	}
	for _, job := range jobs.GetJobInfo() {
		if job.GetState() != jobpb.JobState_RUNNING {
			continue
		}
		answer, err := client.GetJobMetrics(ctx, &jobpb.GetJobMetricsRequest{JobId: job.GetJobId()})
		if err != nil {
			return 0, 0, err
		}
		return sum(answer.GetMetrics().GetAttempted(), transforms.RowsCounter), sum(answer.GetMetrics().GetAttempted(), transforms.GroupsCounter), nil
	}
	return 0, 0, fmt.Errorf("no running job")
}

// sum adds up one of our counters.
func sum(infos []*pipepb.MonitoringInfo, name string) int64 {
	var total int64
	for _, info := range infos {
		labels := info.GetLabels()
		if labels["NAMESPACE"] != transforms.CounterNamespace || labels["NAME"] != name {
			continue
		}
		if n, err := coder.DecodeVarInt(bytes.NewReader(info.GetPayload())); err == nil {
			total += n
		}
	}
	return total
}
