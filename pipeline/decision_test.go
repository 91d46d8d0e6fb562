package pipeline

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzThresholds reads files of thresholds, such as a thresholds.json: they are finite.
func FuzzThresholds(f *testing.F) {
	for _, text := range []string{`{"default": 0.5}`, `{"a": -1e308, "b": 0}`, `{}`, `{"a": 1e999}`, `{"a": "0.5"}`, `{"a": null}`, `[0.5]`, `{"a": {"b": 1}}`, `{"a": 0.5`, `{"a": 0x1}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		thresholds, err := parseThresholds(data)
		if err != nil {
			return
		}
		require.NotEmpty(t, thresholds)
		for label, threshold := range thresholds {
			require.False(t, math.IsNaN(threshold) || math.IsInf(threshold, 0), "%q: %v", label, threshold)
		}
	})
}
