package ingest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
)

func TestPreferences(t *testing.T) {
	vocab := input.Vocabulary{Names: []string{"x", "y"}}
	vocab.Prepare()
	spec := &input.Spec{Params: metrics.Params{Task: metrics.Preference, Labels: 2}, Columns: input.Columns{Label: "y", First: "a", Second: "b"}}
	c := NewConverter(spec, &vocab, new(Findings))
	in := &Input{
		Rows: 9,
		Of: Columns{roles.A: null(words("x", "y", "x", "x", "x", "x", "", "z", "x"), 6),
			roles.B:     words("y", "x", "y", "y", "x", "y", "y", "y", "y"),
			roles.Label: null(words("a", "model_b", "Tie", "both_bad", "A", "won", "a", "a", ""), 8)},
	}
	require.NoError(t, c.Check(in))
	b, rows, bad := c.Convert(in)
	require.Equal(t, []int32{0, 1, 2, 3}, rows)
	require.Equal(t, []int32{0, 1, 0, 0}, b.First[:4])
	require.Equal(t, []int32{1, 0, 1, 1}, b.Second[:4])
	require.Equal(t, []metrics.Outcome{metrics.FirstWins, metrics.SecondWins, metrics.Tie, metrics.Tie}, b.Outcome[:4])
	var why []Reason
	for _, x := range bad {
		why = append(why, x.Reason)
	}
	require.ElementsMatch(t, []Reason{sameSystem, notOutcome, nullOf(roles.A), unknownName, nullLabel}, why)
	in.Of[roles.B] = nil
	require.EqualError(t, c.Check(in), "no columns of the two systems: set Columns.First and Columns.Second")
}
