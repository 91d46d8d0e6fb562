package ingest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
)

// TestClasses reads the same classes by index, by name, and as the numbers
// that were found in the data.
func TestClasses(t *testing.T) {
	signs := &Vocabulary{Names: []string{"-1", "0", "1"}, Numbers: true}
	for name, c := range map[string]struct {
		vocab  *Vocabulary
		column *columns.Column
	}{
		"indices":            {numbered(3), ints(0, 2, 1)},
		"float indices":      {numbered(3), floats(0, 2, 1)},
		"indices of names":   {named("x", "y", "z"), ints(0, 2, 1)},
		"names":              {named("x", "y", "z"), words("x", "z", "y")},
		"text of numbers":    {numbered(3), words("0", "2", "1")},
		"numbers found":      {signs, ints(-1, 1, 0)},
		"whole floats found": {signs, floats(-1, 1, 0)},
		"text found":         {signs, words("-1", "1", "0")},
		"nulls of no effect": {numbered(3), null(ints(0, 2, 1))},
	} {
		t.Run(name, func(t *testing.T) {
			spec := Spec{Params: metrics.Params{Task: metrics.Multiclass, Decisions: true}}
			b := good(t, spec, c.vocab, Input{Rows: 3, Label: c.column, Prediction: c.column})
			require.Equal(t, []int32{0, 2, 1}, b.Class)
			require.Equal(t, []int32{0, 2, 1}, b.Predicted)
		})
	}
}

func TestBoolClasses(t *testing.T) {
	spec := Spec{Params: metrics.Params{Task: metrics.Multiclass, Decisions: true}}
	in := Input{Rows: 2, Label: bools(false, true), Prediction: bools(true, true)}
	for _, vocab := range []*Vocabulary{numbered(2), {Names: []string{"0", "1"}, Numbers: true}} {
		b := good(t, spec, vocab, in)
		require.Equal(t, []int32{0, 1}, b.Class)
		require.Equal(t, []int32{1, 1}, b.Predicted)
	}
}
