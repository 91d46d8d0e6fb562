package findings

import (
	"fmt"

	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/report/findings"
)

// leastError is the expected calibration error from which it matters.
const leastError = 0.01

// miscalibrated says that probabilities are too extreme, or not extreme enough: the slope of Cox's regression surely differs from
// 1, and so much that it matters.
func miscalibrated(f *Facts) *findings.Finding {
	slope := f.overall["calibration_slope"]
	if slope == nil || !slope.Confidence.HasInterval() || slope.Confidence.Low <= 1 && slope.Confidence.High >= 1 {
		return nil
	}
	ece, sure := f.overall["ece_debiased"], true
	if ece == nil {
		ece = f.overall["ece"]
	} else if c := ece.Confidence; c.HasInterval() {
		sure = c.Low > 0
	}
	if ece == nil || !sure || !floats.Finite(ece.Value) || ece.Value < leastError {
		return nil
	}
	c := slope.Confidence
	word, meaning := "over-confident", "closer to 0 and 1 than is right"
	if slope.Value > 1 {
		word, meaning = "under-confident", "farther from 0 and 1 than is right"
	}
	values := map[string]float64{slope.Name: slope.Value, "ci_low": c.Low, "ci_high": c.High, ece.Name: ece.Value}
	return &findings.Finding{Metric: &slope.Name, Values: values,
		Message: fmt.Sprintf("Probabilities are %s, %s: %s is %s, where 1 is right, and they are off by %s on average (%s); recalibration would mend it",
			word, meaning, slope.Name, within(slope.Value, c.Low, c.High), number(ece.Value, 3), ece.Name)}
}
