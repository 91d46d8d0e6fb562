package transforms

import (
	"encoding/json"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/transforms/input"
)

// TestManySlices: reports whose rows are encoded in several blocks are the same bytes on any runner
// and any number of cores.
func TestManySlices(t *testing.T) {
	s := scenarioNamed(t, "multilabel")
	s.spec.Slices = []input.Slice{{{Column: "c"}}}
	list := s.predictions(drawExamples(500))
	for i := range list {
		list[i].Slices = map[string]string{"c": strconv.Itoa(i % 150)}
	}
	write := func(run func(*beam.Pipeline) error, cores int) string {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		dir := filepath.Join(t.TempDir(), "report")
		p, scope := beam.NewPipelineWithRoot()
		e := must(Predictions(scope, s.spec, beam.CreateList(scope, list)))
		e.WriteReport(scope, Output{Dir: dir, Formats: report.Formats(), Config: json.RawMessage(`{"task":"multilabel"}`)})
		require.NoError(t, run(p))
		return dir
	}
	onDirect := func(p *beam.Pipeline) error {
		_, err := beam.Run(t.Context(), "direct", p)
		return err
	}
	first := write(onDirect, 1)
	others := []string{write(onDirect, 4), write(func(p *beam.Pipeline) error { return onPrism(p) }, 1), write(func(p *beam.Pipeline) error { return onPrism(p) }, 3)}
	r, err := report.Open(t.Context(), first)
	require.NoError(t, err)
	require.Greater(t, len(r.Metrics), 10_000, "several blocks")
	for _, other := range others {
		requireSameFiles(t, first, other)
	}
}
