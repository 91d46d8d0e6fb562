//go:build spark

package evaluate

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/testing/cluster"
	"github.com/beameval/beameval/internal/testing/synthetic"
)

// Spark, in the process of its job server, with two threads.
func TestSpark(t *testing.T) {
	config, worker := cluster.Boot(t, "github.com/beameval/beameval/jobs/beameval")
	endpoint, server := cluster.StartSpark(t, "../../../bin/spark.classpath")
	flags := []string{"--runner", "spark", "--endpoint", endpoint}
	loopback := append(slices.Clip(flags), "--environment_type", "LOOPBACK")
	t.Run("ports", func(t *testing.T) { requireLoopback(t, loopback...) })
	for _, s := range slices.Concat(chosen(t, "spark", generated, slices.Concat(bundled, reported())...), someLarge(0, 1)) {
		t.Run(s.name, func(t *testing.T) { s.run(t, loopback...) })
	}
	t.Run("balance", func(t *testing.T) { sparkBalance(t, server, loopback) })
	t.Run("passes", func(t *testing.T) { evaluateInPasses(t, "spark", endpoint) })
	t.Run("process", func(t *testing.T) {
		plantOldBinary(t, server)
		for _, s := range []scenario{bundled[0], generated[0]} {
			t.Run(s.name, func(t *testing.T) {
				s.run(t, append(slices.Clip(flags), "--environment_type", "PROCESS", "--environment_config", config, "--worker_binary", worker)...)
			})
		}
		requireSwept(t, server)
	})
}

// sparkBalance evaluates 32 files in four partitions: none shuffles more than 1.5 times the mean of
// its stage.
func sparkBalance(t *testing.T, server *cluster.Process, flags []string) {
	onGenerated("", synthetic.Spec{Rows: 3_200_000, Files: 32}, severalRanges).run(t, flags...)
	written, read, err := cluster.SparkShuffles(server)
	require.NoError(t, err)
	stages := 0
	for _, of := range []map[int][]int64{written, read} {
		for stage, bytes := range of {
			mean := float64(collections.Sum(slices.Values(bytes))) / 4
			bytes = slices.DeleteFunc(bytes, func(n int64) bool { return float64(n) < mean/100 }) // of other inputs, such as totals
			if mean < 1e6 {
				continue
			}
			stages++
			t.Logf("stage %d: bytes of tasks: %d", stage, bytes)
			require.Len(t, bytes, 4)
			require.LessOrEqual(t, float64(slices.Max(bytes)), 1.5*mean)
		}
	}
	require.GreaterOrEqual(t, stages, 2, "one folds, and one traces curves")
}

func TestSparkLocal(t *testing.T) { tryLocal(t, "spark") }
