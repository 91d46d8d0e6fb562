//go:build spark

package evaluate

import (
	"slices"
	"testing"

	"github.com/beameval/beameval/jobs/internal/cluster"
)

// Spark, in the process of its job server, with two threads.
func TestSpark(t *testing.T) {
	runner := []string{"--runner", "spark", "--endpoint", cluster.StartSpark(t, "../../../bin/spark.classpath"), "--environment_type", "LOOPBACK"}
	for _, s := range slices.Concat(bundled, generated, large) {
		t.Run(s.name, func(t *testing.T) { s.run(t, runner...) })
	}
}
