package evaluate

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/progress"
	"github.com/beameval/beameval/jobs/internal/jobservice"
	"github.com/beameval/beameval/pipeline"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/transforms"
)

// Progress shows what a runner reports.
func TestHowFar(t *testing.T) {
	counter := func(name string, n byte) *pipepb.MonitoringInfo {
		return &pipepb.MonitoringInfo{Payload: []byte{n}, Labels: map[string]string{"NAMESPACE": transforms.CounterNamespace, "NAME": name}}
	}
	counters := []*pipepb.MonitoringInfo{counter(transforms.RowsCounter, 40), counter(transforms.RowsCounter, 20), counter(transforms.GroupsCounter, 2)}
	for want, status := range map[string]jobservice.Status{
		"waiting for the runner to start the job":                     {Waiting: "the runner to start the job"},
		"the job has been running for 4s":                             {},
		"60 of 90 rows, 2 of 3 row groups, 15 rows/s":                 {Metrics: counters},
		"12 of 56 tasks, 60 of 90 rows, 2 of 3 row groups, 15 rows/s": {Tasks: 56, Done: 12, Metrics: counters},
	} {
		require.Equal(t, want, howFar(told(status), &pipeline.Plan{Rows: 90, RowGroups: 3}, 4*time.Second))
	}
}

// The direct runner counts rows while they are read.
func TestProgressOnDirect(t *testing.T) {
	dir := t.TempDir()
	writeTable(t, filepath.Join(dir, "preds.parquet"), many)
	cfg := config.Default()
	cfg.Input.Files, cfg.Output.Dir = []string{filepath.Join(dir, "preds.parquet")}, filepath.Join(dir, "out")
	plan, err := pipeline.Make(t.Context(), &cfg)
	require.NoError(t, err)
	p, scope := beam.NewPipelineWithRoot()
	plan.TempDir = dir
	require.NoError(t, plan.Build(scope, "direct", time.Now()))
	ctx, read := progress.Count(t.Context())
	_, err = beam.Run(ctx, "direct", p)
	require.NoError(t, err)
	at, err := farIn(read)(t.Context())
	require.NoError(t, err)
	require.Equal(t, "1000 of 1000 rows, 2 of 2 row groups, 500 rows/s", howFar(at, plan, 2*time.Second))
}
