package findings

import (
	"fmt"
	"math"
	"strings"

	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/findings"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/confidence"
)

// leastError is the expected calibration error from which it matters.
const leastError = 0.01

// miscalibrated says that probabilities are surely wrong, how, and so much that it matters: by the slope of Cox's regression if the
// report has it, and otherwise by the bins of the calibration curve.
func miscalibrated(f *Facts) *findings.Finding {
	if f.overall["calibration_slope"] != nil {
		return wrongSlope(f)
	}
	ece := f.overall["ece"]
	if ece == nil || !floats.Finite(ece.Value) || ece.Value < leastError {
		return nil
	}
	message, difference, b := "", 0.0, f.calibrationBins()
	switch bias := b.mean - b.share; {
	case f.Task == metrics.Multiclass && b.surely(bias):
		message, difference = b.wrongTop(bias), bias
	case f.Task == metrics.Multiclass:
		return nil
	case b.surely(bias) && math.Abs(bias) >= math.Abs(b.spread):
		message, difference = b.wrongMean(bias), bias
	case b.surely(b.spread):
		message, difference = b.wrongSpread(), b.spread
	default:
		return nil
	}
	values := map[string]float64{"difference": difference, "ci_low": difference - b.half, "ci_high": difference + b.half, "mean": b.mean, "share": b.share, ece.Name: ece.Value}
	return &findings.Finding{Metric: &ece.Name, Values: values, Message: message + "; recalibration would mend it"}
}

// wrongSlope says that the slope is not 1: probabilities are too extreme, or not extreme enough.
func wrongSlope(f *Facts) *findings.Finding {
	slope := f.overall["calibration_slope"]
	if !slope.Confidence.HasInterval() || slope.Confidence.Low <= 1 && slope.Confidence.High >= 1 {
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

// wrongTop says that the class with the highest probability is right more or less often than that probability says.
func (b *calibrationBins) wrongTop(bias float64) string {
	word := "over-confident"
	if bias < 0 {
		word = "under-confident"
	}
	d, places := plusMinus(bias, b.half)
	return fmt.Sprintf("Probabilities are %s: the highest of a row is %s on average, and its class is right in %s of the rows (difference %s)", word, number(b.mean, places), percent(b.share), d)
}

// wrongMean says that probabilities are too high or too low on the whole.
func (b *calibrationBins) wrongMean(bias float64) string {
	word := "high"
	if bias < 0 {
		word = "low"
	}
	d, places := plusMinus(bias, b.half)
	return fmt.Sprintf("Probabilities are too %s on the whole: their mean is %s, and the share of positives is %s (difference %s)", word, number(b.mean, places), number(b.share, places), d)
}

// wrongSpread says that probabilities are too far from their mean, or too close to it.
func (b *calibrationBins) wrongSpread() string {
	word, where := "over-confident", "farther from"
	if b.spread < 0 {
		word, where = "under-confident", "closer to"
	}
	d, places := plusMinus(math.Abs(b.spread), b.half)
	return fmt.Sprintf("Probabilities are %s: on average, they are %s %s their mean, %s, than the shares of positives are", word, strings.TrimPrefix(d, "+"), where, number(b.mean, places))
}

// calibrationBins are what the bins of the calibration curve of all examples say.
type calibrationBins struct {
	mean, share float64 // the mean probability, and the share of the examples that are positive or whose class is right
	// spread is how much farther probabilities are from their mean than shares are, on average: it is positive if they are too
	// extreme.
	spread float64
	half   float64 // half the width of the interval of each of these differences; NaN if it is unknown
}

// calibrationBins returns what the bins say. Differences of independent examples have the variance of their labels, and signs do
// not change it.
func (f *Facts) calibrationBins() *calibrationBins {
	b := &calibrationBins{half: math.NaN()}
	points, all := f.calibrationCurve(), 0.0
	for _, p := range points {
		all += p.Weight
		b.mean += float64(p.Weight * p.X)
		b.share += float64(p.Weight * p.Y)
	}
	n, known := f.independent()
	if !known || !(all > 0) {
		return b
	}
	b.mean, b.share = b.mean/all, b.share/all
	variance := 0.0
	for _, p := range points {
		variance += float64(p.Weight / all * max(float64(p.X*(1-p.X)), float64(p.Y*(1-p.Y))))
		b.spread += float64(p.Weight / all * math.Copysign(1, p.X-b.mean) * (p.X - p.Y))
	}
	level := f.Report.Confidence.Level
	if f.Task == metrics.Binary {
		level = (1 + level) / 2 // of two differences that are tested, neither may be found by chance
	}
	b.half = float64(confidence.NormalQuantile(level) * math.Sqrt(variance/n))
	return b
}

// calibrationCurve returns the bins that have examples.
func (f *Facts) calibrationCurve() (points []report.CurvePoint) {
	for i := range f.Report.Curves {
		c := &f.Report.Curves[i]
		if c.Name != report.CurveCalibration || c.Label != nil || len(c.Slice) > 0 {
			continue
		}
		for _, p := range c.Points {
			if p.Weight > 0 {
				points = append(points, p)
			}
		}
	}
	return points
}

// surely reports whether a difference is surely not 0.
func (b *calibrationBins) surely(difference float64) bool { return math.Abs(difference) > b.half }
