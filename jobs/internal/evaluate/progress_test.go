package evaluate

import (
	"testing"
	"time"

	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/jobs/internal/jobservice"
	"github.com/beameval/beameval/pipeline"
	"github.com/beameval/beameval/transforms"
)

// Progress says what a runner tells.
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
		require.Equal(t, want, howFar(status, &pipeline.Plan{Rows: 90, RowGroups: 3}, 4*time.Second))
	}
}
