package document

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
)

func TestNumber(t *testing.T) {
	for f, want := range map[float64]string{
		0:             "0.0000",
		1:             "1.0000",
		0.5:           "0.5000",
		0.912345:      "0.9123",
		-0.912345:     "-0.9123",
		9.99999:       "10.0000",
		0.0123456:     "0.01235",
		0.000123456:   "0.0001235",
		0.0000123456:  "1.235e-05",
		12.3456:       "12.346",
		12345.6:       "12346",
		999999.9:      "1000000",
		1234567:       "1.235e+06",
		math.Inf(1):   "–",
		5e-324:        "4.941e-324",
		math.MaxInt64: "9.223e+18",
	} {
		require.Equal(t, want, Number(f))
	}
	require.Equal(t, "–", Number(math.NaN()))
	require.Equal(t, "1,234,567", Weight(1234567))
	require.Equal(t, "0.3000", Weight(0.3))
	for n, want := range map[int64]string{0: "0", -1: "-1", 999: "999", 1000: "1,000", -123456: "-123,456", 1234567: "1,234,567"} {
		require.Equal(t, want, Grouped(n))
	}
}

func TestIntervalForPeople(t *testing.T) {
	inf := math.Inf(1)
	for _, test := range []struct {
		value, low, high float64
		want             string
	}{
		{0.9123, 0.91195, 0.91265, "0.9123 ± 0.0004"},
		{0.9123, 0.9123, 0.9130, "0.9123 ± 0.0007"},
		{0.91231, 0.91229, 0.91232, "0.9123"},
		{0.91235, 0.91234, 0.91236, "0.9123 ± 0.0001"}, // the shown ends differ
		{0, 0, 1, "0.0000 ± 1.0000"},
		{-0.05, -0.06, -0.04, "-0.05000 ± 0.01000"},
		{123.456, 123, 124, "123.46 ± 0.54"},
		{2e-5, 1e-5, 3e-5, "[1.000e-05, 3.000e-05]"},
		{0.5, 0.25, inf, "[0.2500, ∞]"},
		{0.5, -inf, 0.75, "[-∞, 0.7500]"},
		{0.5, 0, math.MaxFloat64, "[0.0000, 1.798e+308]"},
		{0.5, 1, 0, "[1.0000, 0.0000]"}, // nonsense, but not hidden
		{inf, 0, 1, "–"},
		{math.NaN(), 0, 1, "–"},
	} {
		row := &report.Row{Name: "tp", Value: test.value, Bounds: &report.Bounds{Low: test.low, High: test.high}}
		require.Equal(t, test.want, Value(row))
	}
	require.Equal(t, "12,345", Value(&report.Row{Name: "tp", Value: 12345, Bounds: &report.Bounds{Low: -inf, High: inf}}))
}
