//go:build flink

package evaluate

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/testing/cluster"
	"github.com/beameval/beameval/internal/testing/synthetic"
)

// Jobs run at parallelism 2 on a Flink cluster of two TaskManagers with two slots each.
func TestFlink(t *testing.T) {
	c := newCloud(t)
	config, worker := cluster.Boot(t, "github.com/beameval/beameval/jobs/beameval", c.storageEnv("127.0.0.1"))
	f := cluster.StartFlink(t, "../../../bin/flink.classpath", 2)
	flags := []string{"--runner", "flink", "--endpoint", f.Endpoint, "--parallelism", "2"}
	loopback := append(slices.Clip(flags), "--environment_type", "LOOPBACK")
	process := append(slices.Clip(flags), "--environment_type", "PROCESS", "--environment_config", config, "--worker_binary", worker)

	t.Run("loopback", func(t *testing.T) {
		for _, s := range chosen(t, "flink", generated, slices.Concat(bundled, reported())...) {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				s.run(t, loopback...)
			})
		}
	})
	t.Run("ports", func(t *testing.T) { requireLoopback(t, loopback...) })
	t.Run("data errors", func(t *testing.T) {
		names := []string{failedBadRows[0].name, "damaged page", "all rows skipped"}
		for _, s := range scenarios() {
			if i := slices.Index(names, s.name); i >= 0 {
				t.Run(s.name, func(t *testing.T) {
					t.Parallel()
					job := fmt.Sprint("wrong", i)
					s.run(t, append(slices.Clip(loopback), "--job_name", job)...)
					state, err := f.State(job)
					require.NoError(t, err)
					require.Equal(t, "CANCELED", state, "the cluster's restarts were all spent")
				})
			}
		}
	})
	t.Run("process", func(t *testing.T) {
		for _, p := range f.TaskManagers {
			plantOldBinary(t, p)
		}
		for _, s := range slices.Concat(bundled[:1], someGenerated()) {
			t.Run(s.name, func(t *testing.T) { s.run(t, process...) })
		}
		requireSwept(t, slices.Collect(maps.Values(f.TaskManagers))...)
	})
	t.Run("one subtask", func(t *testing.T) {
		for _, s := range someLarge(2) {
			t.Run(s.name, func(t *testing.T) { s.run(t, append(slices.Clip(loopback), "--parallelism", "1")...) })
		}
	})
	t.Run("universal", func(t *testing.T) {
		bundled[0].run(t, append(slices.Clip(loopback), "--runner", "universal", "--job_name", "universal")...)
		vertices, err := f.Vertices("universal")
		require.NoError(t, err)
		require.Equal(t, 1, busy(t, vertices, "writePerKeyFn"), "subtasks that write: the job is divided as one of --runner flink")
	})
	t.Run("parallelism", func(t *testing.T) {
		s := onGenerated("", synthetic.Spec{Rows: 400_000, Slices: countries}, severalRanges)
		s.run(t, append(slices.Clip(loopback), "--job_name", "parallelism")...)
		vertices, err := f.Vertices("parallelism")
		require.NoError(t, err)
		require.Equal(t, 2, busy(t, vertices, "fold.Fn"), "subtasks that fold")
		require.Equal(t, 2, busy(t, vertices, "/{curves,"), "subtasks that trace curves")
		require.Equal(t, 2, busy(t, vertices, "{beameval.Parquet, beameval.WriteReport}"), "subtasks that merge statistics and compute metrics")
	})
	t.Run("balance", func(t *testing.T) { flinkBalance(t, f, loopback) })
	t.Run("passes", func(t *testing.T) { evaluateInPasses(t, "flink", f.Endpoint) })
	t.Run("faults", func(t *testing.T) {
		managers := slices.Collect(maps.Values(f.TaskManagers)) // some will be killed
		flinkFaults(t, f, c, process)
		requireSwept(t, managers...)
	})
}

func TestFlinkLocal(t *testing.T) { tryLocal(t, "flink") }

// flinkBalance evaluates 32 files in four subtasks: none folds or traces more than 1.5 times the mean.
func flinkBalance(t *testing.T, f *cluster.Flink, flags []string) {
	s := onGenerated("", synthetic.Spec{Rows: 3_200_000, Files: 32}, severalRanges)
	s.run(t, append(slices.Clip(flags), "--parallelism", "4", "--job_name", "balance")...)
	vertices, err := f.Vertices("balance")
	require.NoError(t, err)
	for name, bytes := range map[string]func(cluster.Metrics) int64{
		"fold.Fn":   func(m cluster.Metrics) int64 { return m.WriteBytes },
		"/{curves,": func(m cluster.Metrics) int64 { return m.ReadBytes },
	} {
		var of []int64
		for _, s := range vertexOf(t, vertices, name).Subtasks {
			of = append(of, bytes(s.Metrics))
		}
		t.Logf("%s: bytes of subtasks: %d", name, of)
		require.Len(t, of, 4)
		mean := float64(collections.Sum(slices.Values(of))) / 4
		require.Greater(t, mean, 1e6, "bytes of a subtask")
		require.LessOrEqual(t, float64(slices.Max(of)), 1.5*mean, "%s: %d", name, of)
	}
}

// vertexOf returns the vertex whose name contains a text.
func vertexOf(t *testing.T, vertices []cluster.Vertex, name string) *cluster.Vertex {
	t.Helper()
	i := slices.IndexFunc(vertices, func(v cluster.Vertex) bool { return strings.Contains(v.Name, name) })
	require.GreaterOrEqual(t, i, 0, vertices)
	return &vertices[i]
}

// busy counts the subtasks of a vertex that read anything.
func busy(t *testing.T, vertices []cluster.Vertex, name string) (n int) {
	t.Helper()
	for _, s := range vertexOf(t, vertices, name).Subtasks {
		if s.Metrics.ReadRecords > 0 {
			n++
		}
	}
	return n
}
