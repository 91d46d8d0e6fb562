package disparity

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics/confidence"
)

// valuesOf returns values of groups with 20 replicates each, which differ from the value by up to
// 0.02.
func valuesOf(metric string, numbers ...float64) *Values {
	v := &Values{Metric: metric}
	for k, x := range numbers {
		g := Group{Value: x, Interval: new(confidence.Interval)}
		for i := range 20 {
			g.Folds = append(g.Folds, int32(i))
			g.Replicates = append(g.Replicates, x+0.002*float64(i*(2*k+3)%20-10))
		}
		v.Groups = append(v.Groups, g)
	}
	return v
}

func TestCombinations(t *testing.T) {
	list := Combinations([]string{"fpr", "recall"})
	values := []*Values{valuesOf("fpr", 0.25, 0.5), valuesOf("recall", 0.5, 0.25, 1)}
	got := map[string]float64{}
	for _, c := range list {
		var of []*Values
		for _, at := range c.Of {
			of = append(of, values[at])
		}
		d := c.Compare(of)
		require.Empty(t, d.Undefined)
		got[c.Name] = d.Value
		c.Assess(&d, of, 0.95)
		require.Len(t, d.Replicates, 20)
		require.Len(t, d.Folds, 20)
		require.Empty(t, d.Interval.NoInterval, c.Name)
		require.LessOrEqual(t, d.Interval.Low, d.Value+1e-9, c.Name)
		require.GreaterOrEqual(t, d.Interval.High, d.Value-1e-9, c.Name)
	}
	require.Equal(t, map[string]float64{
		"equalized_odds_difference": 0.75, "equalized_odds_ratio": 0.25, "equal_opportunity_difference": 0.75, "equal_opportunity_ratio": 0.25,
		"fpr_difference": 0.25, "fpr_ratio": 0.5, "fpr_group_max": 0.5, "fpr_group_min": 0.25,
		"recall_difference": 0.75, "recall_ratio": 0.25, "recall_group_max": 1, "recall_group_min": 0.25,
	}, got)
}

func TestToReference(t *testing.T) {
	of := []*Values{valuesOf("recall", 0.5, 0.25)}
	require.Equal(t, -0.25, ToReference[0].Compare(of).Value)
	require.Equal(t, 0.5, ToReference[1].Compare(of).Value)
}

func TestUndefined(t *testing.T) {
	for want, v := range map[string]*Values{
		"recall is undefined in all groups":    {Metric: "recall", Left: 2},
		"recall is undefined in 1 of 3 groups": {Metric: "recall", Left: 1, Groups: valuesOf("", 1, 2).Groups},
		"the value of the reference is 0":      valuesOf("recall", 0, 1),
	} {
		t.Run(fmt.Sprint(len(v.Groups)), func(t *testing.T) {
			d := ToReference[1].Compare([]*Values{v})
			require.Equal(t, want, d.Undefined)
		})
	}
	// Values without intervals make none.
	v := valuesOf("recall", 0.5, 0.25)
	v.Groups[1].Interval = nil
	d := Disparity{Value: 1}
	ToReference[0].Assess(&d, []*Values{v}, 0.95)
	require.Equal(t, Disparity{Value: 1}, d)
}
