package document

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
)

// TestFailedGates: gates that fail one limit in many slices are one sentence, the worst are shown first
// and few, and digits show on which side of the limit a value is.
func TestFailedGates(t *testing.T) {
	least, most := 0.7, 0.5
	shop := func(i int) slice.Key { return slice.Key{{Column: "shop", Value: slice.Int(int64(i))}} }
	gate := func(metric string, key slice.Key, value float64, limits report.Limits, verdict report.Verdict) report.GateResult {
		return report.GateResult{Metric: metric, Slice: key, Value: value, Limits: limits, Verdict: verdict, Low: math.NaN(), High: math.NaN(), Difference: math.NaN(), PAdjusted: math.NaN()}
	}
	var gates []report.GateResult
	for i := range 8 {
		gates = append(gates, gate("recall", shop(i), 0.6999999-float64(i*i)/100, report.Limits{Min: &least}, report.Fail))
	}
	gates = append(gates, gate("recall", shop(9), 0.9, report.Limits{Min: &least}, report.Pass),
		gate("log_loss", nil, 0.9, report.Limits{Max: &most}, report.Fail), gate("log_loss", shop(1), 0.4, report.Limits{Max: &most}, report.Pass))
	const shared = "recall: min 0.7 fails in 8 of 9 slices, worst 0.2100 (shop=7)"

	sections := map[Output][]Section{}
	for _, output := range []Output{OnScreen, Markdown, Page} {
		d := &Document{Output: output}
		d.AddGates(gates)
		require.Equal(t, "Failed: 9 of 11 gates.", d.VerdictText)
		sections[output] = d.Sections
	}
	require.Equal(t, []string{shared, "gates: 9 failed, 2 passed"}, sections[OnScreen][0].Notes)
	require.Equal(t, []string{shared}, sections[Markdown][0].List)
	require.Equal(t, []string{shared}, sections[Page][0].List)

	rows := func(s Section) (list []string) {
		for _, row := range s.Table.Rows {
			list = append(list, strings.Join(row, " | "))
		}
		return list
	}
	worst := []string{"fail | log_loss | overall | max 0.5 | 0.9000", "fail | recall | shop=7 | min 0.7 | 0.2100", "fail | recall | shop=6 | min 0.7 | 0.3400", "fail | recall | shop=5 | min 0.7 | 0.4500", "fail | recall | shop=4 | min 0.7 | 0.5400"}
	passed := []string{"pass | recall | shop=9 | min 0.7 | 0.9000", "pass | log_loss | shop=1 | max 0.5 | 0.4000"}
	require.Equal(t, append(worst[:5:5], passed...), rows(sections[OnScreen][0]))
	require.Len(t, sections[Page], 3)
	require.Equal(t, worst, rows(sections[Page][0]))
	require.Equal(t, "show all 9 gates that failed or are unknown", sections[Page][1].Folded)
	require.Equal(t, "fail | recall | shop=0 | min 0.7 | 0.6999999", rows(sections[Page][1])[8])
	require.Equal(t, "2 gates passed", sections[Page][2].Folded)
	require.Equal(t, passed, rows(sections[Page][2]))
}

// TestShortfall: failures are in the order of their distance from the limit, relative to the limit or to the
// baseline.
func TestShortfall(t *testing.T) {
	half, zero := 0.5, 0.0
	drop := func(value float64, percent bool) *report.Limit { return &report.Limit{Value: value, Percent: percent} }
	for _, c := range []struct {
		gate report.GateResult
		want float64
	}{
		{report.GateResult{Value: 0.25, Limits: report.Limits{Min: &half}}, 0.5},
		{report.GateResult{Value: 1.5, Limits: report.Limits{Max: &half}}, 2},
		{report.GateResult{Value: 0.25, Limits: report.Limits{Max: &zero}}, 0.25},
		{report.GateResult{Value: 0.25, Difference: -0.75, Limits: report.Limits{MaxDrop: drop(0.25, false)}}, 0.5},
		{report.GateResult{Value: 1, Difference: -1, Limits: report.Limits{MaxDrop: drop(25, true)}}, 0.25},
		{report.GateResult{Value: 3, Difference: 2, Limits: report.Limits{MaxRise: drop(50, true)}}, 1.5},
		{report.GateResult{Value: 1, Difference: -1, Limits: report.Limits{Min: &half, MaxDrop: drop(25, true)}}, 0.25},
		{report.GateResult{Value: math.NaN(), Limits: report.Limits{Min: &half}}, math.Inf(1)},
	} {
		require.Equal(t, c.want, shortfall(&c.gate), "%+v", c.gate)
	}
}
