//go:build spark

package evaluate

import (
	"slices"
	"testing"

	"github.com/beameval/beameval/internal/testing/cluster"
)

// Spark, in the process of its job server, with two threads.
func TestSpark(t *testing.T) {
	config, worker := cluster.Boot(t, "github.com/beameval/beameval/jobs/beameval")
	endpoint, server := cluster.StartSpark(t, "../../../bin/spark.classpath")
	flags := []string{"--runner", "spark", "--endpoint", endpoint}
	loopback := append(slices.Clip(flags), "--environment_type", "LOOPBACK")
	t.Run("ports", func(t *testing.T) { requireLoopback(t, loopback...) })
	for _, s := range slices.Concat(bundled, generated, large) {
		t.Run(s.name, func(t *testing.T) { s.run(t, loopback...) })
	}
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

func TestSparkLocal(t *testing.T) { tryLocal(t, "spark") }
