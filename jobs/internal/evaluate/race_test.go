//go:build race

package evaluate

import (
	"slices"
	"testing"

	"github.com/beameval/beameval/internal/testing/cluster"
)

// TestRace runs each shape of graph on prism and on direct under the race detector, whose first report
// ends the worker.
func TestRace(t *testing.T) {
	prism := []string{"--runner", "universal", "--endpoint", cluster.Prism(t), "--environment_type", "LOOPBACK"}
	for _, s := range chosen(t, "universal", generated, slices.Concat(bundled, reported())...) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.run(t, prism...)
		})
	}
}
