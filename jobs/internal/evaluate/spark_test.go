//go:build spark

package evaluate

import (
	"slices"
	"testing"

	"github.com/beameval/beameval/internal/testing/cluster"
)

// Spark, in the process of its job server, with two threads.
func TestSpark(t *testing.T) {
	endpoint, _ := cluster.StartSpark(t, "../../../bin/spark.classpath")
	runner := []string{"--runner", "spark", "--endpoint", endpoint, "--environment_type", "LOOPBACK"}
	t.Run("ports", func(t *testing.T) { requireLoopback(t, runner...) })
	for _, s := range slices.Concat(bundled, generated, large) {
		t.Run(s.name, func(t *testing.T) { s.run(t, runner...) })
	}
}
