package evaluate

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/processcounters"
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
	counters := []*pipepb.MonitoringInfo{counter(transforms.RowsCounter, 40), counter(transforms.RowsCounter, 20), counter(transforms.RowGroupsCounter, 2)}
	for want, status := range map[string]jobservice.Status{
		"waiting for the runner to start the job":                     {Waiting: "the runner to start the job"},
		"the job has been running for 4s":                             {},
		"60 of 90 rows, 2 of 3 row groups, 15 rows/s":                 {Metrics: counters},
		"12 of 56 tasks, 60 of 90 rows, 2 of 3 row groups, 15 rows/s": {Tasks: 56, Done: 12, Metrics: counters},
	} {
		require.Equal(t, want, howFar(told(status), &pipeline.Plan{Rows: 90, RowGroups: 3}, 4*time.Second))
	}
	searched := []*pipepb.MonitoringInfo{counter(transforms.SearchedCounter, 40), counter(transforms.SearchedCounter, 80)}
	plan := &pipeline.Plan{Rows: 90, RowGroups: 3, Searches: 2}
	require.Equal(t, "search: 120 of 180 rows", howFar(told(jobservice.Status{Metrics: searched}), plan, time.Second))
	searched = append(searched, counter(transforms.TriedCounter, 100))
	require.Equal(t, "12 of 56 tasks, search: 120 of 180 rows, 100 slices tried", howFar(told(jobservice.Status{Tasks: 56, Done: 12, Metrics: searched}), plan, time.Second))
	require.Equal(t, "60 of 90 rows, 2 of 3 row groups, 60 rows/s", howFar(told(jobservice.Status{Metrics: append(searched, counters...)}), plan, time.Second))
	require.Equal(t, "1.2 M of 10 M rows, 3 of 25 row groups, 312.5 k rows/s",
		howFar(far{counted: true, rows: 1_250_000, groups: 3}, &pipeline.Plan{Rows: 10_000_000, RowGroups: 25}, 4*time.Second))
}

// Numbers of rows are rounded down, so that a part never reads like the whole.
func TestAmount(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1 k", 1234: "1.2 k", 999_999: "999.9 k", 1_000_000: "1 M", 118_449_999: "118.4 M", 2_500_000_000: "2.5 G", 12_345_678_000_000: "12345.6 G"} {
		require.Equal(t, want, amount(n))
	}
}

// What precedes a run is shown after a second on a terminal, and leaves nothing on the screen.
func TestShowWork(t *testing.T) {
	t.Setenv("TERM", "xterm")
	for _, quiet := range []bool{false, true} {
		printed := onScreen(t, 80, func(screen *os.File, printed func() string) {
			stop := (&flags{quiet: quiet}).showWork(screen, func() string { return "at work" })
			if !quiet {
				require.Eventually(t, func() bool { return strings.Contains(printed(), "at work") }, 3*time.Minute, time.Millisecond)
			}
			stop()
		})
		if quiet {
			require.Empty(t, printed)
			continue
		}
		require.True(t, strings.HasPrefix(printed, "\r\x1b[Kat work"), printed)
		require.True(t, strings.HasSuffix(printed, "at work\r\x1b[K"), printed)
	}
}

// Planning counts the rows of a text file.
func TestPlanningCounts(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "preds.csv"), []byte("label,score\n"+strings.Repeat("0,0.25\n1,0.75\n", 5_000)), 0o600))
	cfg := config.Default()
	cfg.Input.Files, cfg.Output.Dir = []string{filepath.Join(dir, "preds.csv")}, filepath.Join(dir, "out")
	before := processcounters.Planned.Load()
	_, err := pipeline.Make(t.Context(), &cfg)
	require.NoError(t, err)
	require.EqualValues(t, 10_000, processcounters.Planned.Load()-before)
	require.Regexp(t, "^planning: [0-9.]+( [kM])? rows of text$", planning())
}

// The first batch of a large row group is counted while the rest is being read.
func TestProgressWithinRowGroup(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "preds.csv"), []byte("label,score\n"+strings.Repeat("0,0.25\n1,0.75\n", 200_000)), 0o600))
	cfg := config.Default()
	cfg.Input.Files, cfg.Output.Dir = []string{filepath.Join(dir, "preds.csv")}, filepath.Join(dir, "out")
	plan, err := pipeline.Make(t.Context(), &cfg)
	require.NoError(t, err)
	require.Equal(t, 1, plan.RowGroups)
	p, scope := beam.NewPipelineWithRoot()
	plan.TempDir = dir
	require.NoError(t, plan.Build(scope, "direct", time.Now()))
	since, ended := countHere(), make(chan error, 1)
	go func() {
		_, err := beam.Run(t.Context(), "direct", p)
		ended <- err
	}()
	seen := false
	for {
		at, err := since.far(t.Context())
		require.NoError(t, err)
		seen = seen || at.rows > 0 && at.rows < plan.Rows && at.groups == 0
		select {
		case err := <-ended:
			require.NoError(t, err)
			require.True(t, seen, "rows were counted only with their row group")
			return
		default:
			runtime.Gosched()
		}
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
	since := countHere()
	_, err = beam.Run(t.Context(), "direct", p)
	require.NoError(t, err)
	at, err := since.far(t.Context())
	require.NoError(t, err)
	require.Equal(t, "1 k of 1 k rows, 2 of 2 row groups, 500 rows/s", howFar(at, plan, 2*time.Second))
}
