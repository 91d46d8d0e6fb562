package transforms

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/element"
)

// TestReportsEqual writes the same report from files and from memory: but for
// run.json, they are the same bytes.
func TestReportsEqual(t *testing.T) {
	rows := drawExamples(300)
	shard := written(t, rows, 70)
	for _, name := range []string{"binary", "multiclass, labels found", "multilabel", "regression"} {
		t.Run(name, func(t *testing.T) {
			s := scenarioNamed(t, name)
			list := make([]input.Prediction, len(rows))
			for i := range rows {
				list[i] = s.prediction(&rows[i])
			}
			dirs := []string{filepath.Join(t.TempDir(), "files"), filepath.Join(t.TempDir(), "memory")}
			p, scope := beam.NewPipelineWithRoot()
			for i, evaluate := range []func(beam.Scope) Evaluation{inFiles(s.spec, shard), inMemory(s.spec, list)} {
				evaluate(scope).WriteReport(scope, Output{Dir: dirs[i], Formats: report.Formats(), Runner: "prism", Started: time.Now()})
			}
			_, err := beam.Run(context.Background(), "prism", p)
			require.NoError(t, err)
			entries, err := os.ReadDir(dirs[0])
			require.NoError(t, err)
			require.Greater(t, len(entries), 4)
			for _, e := range entries {
				want, err := os.ReadFile(filepath.Join(dirs[0], e.Name()))
				require.NoError(t, err)
				got, err := os.ReadFile(filepath.Join(dirs[1], e.Name()))
				require.NoError(t, err)
				if e.Name() != report.RunJSON {
					require.Equal(t, string(want), string(got), e.Name())
				}
			}
		})
	}
}

// TestConfusionNames: cells name the classes as the spec does.
func TestConfusionNames(t *testing.T) {
	for name, want := range map[string][]string{
		"binary":     {"not ham", "ham"},
		"multiclass": labelNames,
		"multilabel": {"0", "1"},
	} {
		s := scenarioNamed(t, name)
		vocab := s.spec.labels()
		p, err := element.DecodePartial([]byte(foldPredictions(t, s, drawExamples(300), 100)[element.Overall]))
		require.NoError(t, err)
		out := &evaluable{spec: s.spec.with(&vocab), vocab: &vocab}
		cells := out.confusion(slice.Key{}, p.Stats)
		require.NotEmpty(t, cells)
		for _, c := range cells {
			require.Equal(t, want[c.TrueIndex], c.True)
			require.Equal(t, want[c.PredictedIndex], c.Predicted)
			require.Equal(t, name == "multilabel", c.Label != nil)
		}
	}
}
