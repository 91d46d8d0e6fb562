package transforms

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/transforms/internal/element"
)

// TestConfusionNames: cells name the classes as the spec does.
func TestConfusionNames(t *testing.T) {
	for name, want := range map[string][]string{
		"binary":     {"not ham", "ham"},
		"multiclass": labelNames,
		"multilabel": {"0", "1"},
	} {
		s := scenarioNamed(t, name)
		vocab := s.spec.labels()
		p := mustDecode(t, foldPredictions(t, s, drawExamples(300), 100)[element.Overall])
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
