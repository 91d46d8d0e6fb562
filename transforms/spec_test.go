package transforms

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
)

// TestSpecTravels: specs go to workers as JSON.
func TestSpecTravels(t *testing.T) {
	specs := []Spec{{}, {Truth: &Truth{Columns: input.Columns{Example: "id"}, SkipMissing: true}, PerQuery: true}}
	for _, s := range scenarios(t) {
		specs = append(specs, s.spec)
	}
	type fn struct { // as DoFns have it
		Spec  Spec
		Other int
	}
	for _, spec := range specs {
		data, err := json.Marshal(&fn{spec, 7})
		require.NoError(t, err)
		var back fn
		require.NoError(t, json.Unmarshal(data, &back))
		require.Equal(t, fn{spec, 7}, back)
	}
}

func TestZeroDivision(t *testing.T) {
	for text, want := range map[string]float64{"": 0, "0": 0, "1": 1, "nan": math.NaN()} {
		got := (&Spec{ZeroDivision: text}).options(&input.Vocabulary{}).ZeroDivision
		require.Equal(t, math.Float64bits(want), math.Float64bits(got), "%q", text)
	}
}

func TestPerLabel(t *testing.T) {
	vocab := input.Vocabulary{Names: []string{"a", "b", "c"}}
	rows := []report.Row{{Name: "f1_macro"}, {Name: "f1", Label: &vocab.Names[0]}}
	for _, c := range []struct {
		perLabel PerLabel
		want     []bool
		warnings []string
	}{
		{PerLabel{}, []bool{false, false, false}, nil},
		{PerLabel{All: true}, []bool{true, true, true}, nil},
		{PerLabel{Limit: 3}, []bool{true, true, true}, nil},
		{PerLabel{Limit: 2}, []bool{true, true, false}, []string{"metrics of single labels are reported for the first 2 of 3 labels that occur; set per_label for others"}},
		{PerLabel{Names: []string{"c", "x"}, Limit: 1}, []bool{false, false, true}, []string{`per_label names "x", which is not one of the labels`}},
		{PerLabel{Names: []string{}}, []bool{false, false, false}, nil},
	} {
		spec := Spec{Params: metrics.Params{Task: metrics.Multilabel}, PerLabel: c.perLabel}
		perLabel := spec.options(&vocab).PerLabel
		for label, want := range c.want {
			require.Equal(t, want, slices.Contains(perLabel.Labels, label) || perLabel.All || perLabel.Labels == nil && label < perLabel.Limit, "%+v, label %d", c.perLabel, label)
		}
		require.Equal(t, c.warnings, spec.warnings(&vocab, rows))
		if spec.PerLabel.Names == nil {
			require.Nil(t, spec.warnings(&vocab, rows[:1]), "no metric of single labels was asked for")
		}
		spec.Params.Task = metrics.Binary
		require.Nil(t, spec.warnings(&vocab, rows))
	}
}
