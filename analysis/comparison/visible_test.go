package comparison_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/analysis/comparison"
	changes "github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/differences"
	"github.com/beameval/beameval/metrics/power"
)

// TestVisible: a comparison says what it could have shown of headline metrics that do not differ
// significantly, at the level of the labels that are tested together.
func TestVisible(t *testing.T) {
	row := func(name string, value, spread float64) report.Row {
		return report.Row{Name: name, Value: value, Replicates: around(value, spread, 20)}
	}
	labelled := row("accuracy", 0.5, 1e-3)
	labelled.Label = new("x")
	before := labelled
	before.Replicates = around(0.5, 2e-3, 20)
	elsewhere := row("log_loss", 0.5, 1e-3)
	elsewhere.Slice = in("de")
	a := report20(row("accuracy", 0.801, 0), before, row("f1", 0.9, 0), row("log_loss", 0.5, 0), row("roc_auc", 0.5, 0), row("ece", 0.1, 0))
	b := report20(row("accuracy", 0.8, 1e-3), labelled, row("f1", 0.5, 1e-3), row("log_loss", 0.5, 1e-3), elsewhere, row("roc_auc", 0.5, 0), row("ece", 0.1, 0))
	a.Examples, b.Examples = 500, 1000
	c := compare(t, a, b, changes.BenjaminiHochberg)
	require.Len(t, c.Visible, 2, "f1 is worse, and roc_auc has no test")
	of := map[string]changes.Change{}
	for _, d := range c.Changes {
		if len(d.Slice) == 0 && d.Label == nil {
			of[d.Name] = d
		}
	}
	for i, want := range []struct {
		name      string
		direction differences.Worsening
		level     float64
	}{{"accuracy", differences.Drop, 0.975}, {"log_loss", differences.Rise, 0.95}} {
		d, got := of[want.name], c.Visible[i]
		require.Equal(t, changes.NoSignificantChange, d.Verdict)
		test := power.Test{Level: want.level, DOF: d.DOF}
		require.Equal(t, want.name, got.Metric)
		require.Equal(t, want.direction, got.Direction)
		require.InDelta(t, test.Effect(d.StdError, 0.8), got.Drop, 1e-12)
		if d.Difference == 0 {
			require.True(t, math.IsNaN(got.Needed))
		} else {
			require.InEpsilon(t, test.Examples(1000, d.StdError, 0.001, 0.8), got.Needed, 1e-9)
		}
	}
	c = compare(t, a, b, changes.Unadjusted)
	require.InDelta(t, power.Test{Level: 0.95, DOF: of["accuracy"].DOF}.Effect(of["accuracy"].StdError, 0.8), c.Visible[0].Drop, 1e-12)
}

// TestVisibleOfSystems: the comparison of several systems says so of each system and metric that does not differ
// significantly from the reference, at the level of all differences that are adjusted together.
func TestVisibleOfSystems(t *testing.T) {
	for _, adjust := range []changes.Adjustment{changes.BenjaminiHochberg, changes.Unadjusted} {
		l := rank(t, systems(0.8, 0.8, 0.8, 0.7), comparison.Options{Adjust: adjust})
		together := 3.0
		if adjust == changes.Unadjusted {
			together = 1
		}
		want := map[string]float64{}
		for _, d := range l.Differences.All() {
			if len(d.Slice) == 0 && d.Label == nil && d.Verdict == changes.NoSignificantChange && slices.Contains(l.Headline, d.Name) {
				want[d.SystemB+" "+d.Name] = power.Test{Level: 1 - 0.05/together, DOF: d.DOF}.Effect(d.StdError, 0.8)
			}
		}
		require.GreaterOrEqual(t, len(want), 2)
		got := map[string]float64{}
		for _, v := range l.Visible {
			require.NotEqual(t, "d", v.System, "it is worse")
			got[v.System+" "+v.Metric] = v.Drop
		}
		require.InDeltaMapValues(t, want, got, 1e-12)
	}
	require.NotEmpty(t, rank(t, systems(0.8, 0.8, 0.8), comparison.Options{}).Visible)
}
