package transforms

import (
	"math"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
)

// drawings returns the points of the curves of a slice, one of so many.
func drawings(spec Spec, vocab *Vocabulary, key slice.Key, stats *metrics.Partial, slices int) []report.CurvePoint {
	params := spec.with(vocab).Params
	var points []report.CurvePoint
	for _, d := range params.Drawings(stats, spec.options(vocab), slices) {
		var label *string
		if d.Label >= 0 && params.Task != metrics.Binary {
			name := vocab.Name(d.Label)
			label = &name
		}
		add := func(curve string, x, y, threshold, weight float64) {
			points = append(points, report.CurvePoint{Slice: key, Label: label, Curve: curve, X: x, Y: y, Threshold: threshold, Weight: weight})
		}
		for _, p := range d.Calibration {
			add(report.CurveCalibration, p.MeanProbability, p.PositiveShare, p.From, p.Weight)
		}
		for _, p := range d.PR {
			add(report.CurvePR, p.Recall, p.Precision, p.Threshold, 0)
		}
		for _, p := range d.ROC {
			add(report.CurveROC, p.FPR, p.TPR, p.Threshold, 0)
		}
	}
	return points
}

// thresholds returns the best threshold of each label, if they are asked for.
func thresholds(spec Spec, vocab *Vocabulary, stats *metrics.Partial) *report.Thresholds {
	params := spec.with(vocab).Params
	if params.Tuning == nil {
		return nil
	}
	t := &report.Thresholds{Default: spec.Decision.Threshold, Criterion: spec.TuningName}
	for label, threshold := range params.Thresholds(stats) {
		switch {
		case math.IsNaN(threshold):
		case params.Task == metrics.Binary:
			t.Default = threshold
		default:
			t.PerLabel = append(t.PerLabel, report.LabelThreshold{Label: vocab.Name(label), Threshold: threshold})
		}
	}
	return t
}
