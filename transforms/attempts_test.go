package transforms

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/report"
)

// TestWriteAgain: a runner that does not know whether the report was written has it
// written again. That succeeds, and changes nothing.
func TestWriteAgain(t *testing.T) {
	s := scenarioNamed(t, "binary")
	s.spec.Params.Metrics, s.spec.Params.Curves = []string{"accuracy"}, ""
	vocab := s.spec.labels()
	all := &evaluable{spec: s.spec.with(&vocab), vocab: &vocab}
	for slice, state := range foldPredictions(t, s, drawExamples(100), 100) {
		all.slices = append(all.slices, outcomeElement{Slice: []byte(slice), Partial: []byte(state)})
	}
	dir := filepath.Join(t.TempDir(), "out")
	write := func(id string) error {
		f := &writeFn{Spec: s.spec, Output: Output{Dir: dir, Formats: report.Formats()}, ID: id}
		return f.write(t.Context(), all)
	}
	require.NoError(t, write("first"))
	before, err := os.ReadFile(filepath.Join(dir, report.RunJSON))
	require.NoError(t, err)
	require.Equal(t, "first", report.RunID(before))
	require.NoError(t, write("first"))
	after, err := os.ReadFile(filepath.Join(dir, report.RunJSON))
	require.NoError(t, err)
	require.Equal(t, before, after)
	require.ErrorIs(t, write("second"), files.ErrOutputExists)

	// A report that is not complete is not there.
	require.NoError(t, os.Remove(filepath.Join(dir, report.MetricsJSON)))
	require.ErrorIs(t, write("first"), files.ErrOutputExists)
}
