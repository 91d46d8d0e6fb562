package document

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
)

// TestConfidenceIsShown: the width has two significant digits, and what is shown covers the
// interval.
func TestConfidenceIsShown(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		low, value, high float64
		want             string
	}{
		{0.925, 0.935, 0.945, "0.935 ± 0.010"},
		{0.9247, 0.93478, 0.9449, "0.935 ± 0.011"},
		{0.9, 0.93, 0.955, "0.930 ± 0.030"},
		{0.730332575252417, 0.8707386363636364, 0.9437780266700379, "0.87 [0.73, 0.95]"},
		{0.98123, 1, 1, "1.000 [0.981, 1.000]"},
		{0, 0, 0.0088, "0.0000 [0.0000, 0.0088]"},
		{-0.1, 0, 0.1, "0.00 ± 0.10"},
		{-0.3, -0.1, 0.02, "-0.10 [-0.30, 0.02]"},
		{-1e-9, 1e-9, 3e-9, "1.000e-09 [-1.000e-09, 3.000e-09]"},
		{1000, 1234.5, 1500, "1234 ± 266"},
		{12.25, 12.5, 12.75, "12.50 ± 0.25"},
		{1e7, 2e7, 3e7, "2.000e+07 [1.000e+07, 3.000e+07]"},
		{0.8999999, 0.9, 0.9000001, "0.90000000 ± 0.00000010"},
		{0.9 - 1e-12, 0.9, 0.9 + 1e-12, "0.9000 [0.9000, 0.9000]"},
		{0.9, 0.9, 0.9, "0.9000 [0.9000, 0.9000]"},
		{math.MaxFloat64 / 2, math.MaxFloat64, math.MaxFloat64, "1.798e+308 [8.988e+307, 1.798e+308]"},
		{-math.MaxFloat64, 0, math.MaxFloat64, "0.0000 [-1.798e+308, 1.798e+308]"},
		{-math.MaxFloat64, math.MaxFloat64, math.MaxFloat64, "1.798e+308 [-1.798e+308, 1.798e+308]"},
	} {
		row := &report.Row{Name: "f1", Value: c.value, Confidence: &report.Confidence{Low: c.low, High: c.high, Method: "jackknife"}}
		require.Equal(t, c.want, Value(row))
	}
	for _, c := range []*report.Confidence{nil, {Low: 0, High: inf}, {Low: math.NaN(), High: 1}, {Low: 0, High: 1, NoInterval: "few groups"}} {
		require.Equal(t, "0.5000", Value(&report.Row{Name: "f1", Value: 0.5, Confidence: c}))
	}
	require.Equal(t, "–", Value(&report.Row{Name: "f1", Value: math.NaN(), Confidence: &report.Confidence{Low: 0, High: 1}}))
}
