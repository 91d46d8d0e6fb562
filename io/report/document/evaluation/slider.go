package evaluation

import (
	"math"
	"slices"
	"strconv"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
)

// The limits of what the page knows of labels. All curves together have about allPoints points.
const (
	mostPoints  = 200
	leastPoints = 40
	allPoints   = 450
	mostChoices = 1000
)

// newSlider returns the slider of a binary or multilabel task, or nil if there are no curves.
func newSlider(r *report.Report, config *report.Settings, curves []document.LabelCurve) *document.Slider {
	switch {
	case len(curves) == 0:
		return nil
	case r.Task == "multilabel":
		return &document.Slider{Kind: "label", Choice: true, Search: len(curves) > manyLabels, Positive: "true", Negative: "not"}
	case r.Task != "binary":
		return nil
	case config.PositiveLabel != "":
		name := quote.Visible(config.PositiveLabel)
		return &document.Slider{Kind: "positive", Positive: name, Negative: "not " + name}
	}
	return &document.Slider{Kind: "positive", Positive: "1", Negative: "0"}
}

// labelCurves returns the curves of a binary task or of labels. It leaves out labels without
// positives or without negatives.
func (g *gallery) labelCurves() (all []document.LabelCurve) {
	var list report.CurveList
	calibration := map[string]*report.Curve{}
	for _, c := range g.curves {
		if (c.Label == nil) != (g.Task == "binary") {
			continue
		}
		switch c.Name {
		case report.CurveROC:
			list = append(list, c)
		case report.CurveCalibration:
			calibration[labelOf(c)] = c
		}
	}
	list = list[:min(len(list), mostChoices)]
	most := max(leastPoints, min(mostPoints, allPoints/max(1, len(list))))
	for _, c := range list {
		label := labelOf(c)
		at, given := g.config.Threshold(label)
		if !given || g.Task == "multiclass" {
			at = math.NaN()
		}
		curve := newLabelCurve(quote.Visible(label), c.Points, g.decided.of(c.Label), at, most)
		if curve == nil {
			continue
		}
		if bins := calibration[label]; bins != nil && g.Task != "binary" {
			for _, p := range bins.Points {
				if p.Weight > 0 && floats.Finite(p.X+p.Y+p.Weight) {
					curve.Bins = append(curve.Bins, [3]float64{math.Round(1e4 * p.X), math.Round(1e4 * p.Y), digits(p.Weight, 6)})
				}
			}
		}
		for kind, shares := range g.scores.shares(c) {
			curve.Scores[kind] = collections.Map(shares, func(s float64) float64 { return math.Round(1e4 * s) })
		}
		all = append(all, *curve)
	}
	return all
}

// labelOf returns the label of a curve; "" for a curve of all examples.
func labelOf(c *report.Curve) string {
	if c.Label == nil {
		return ""
	}
	return *c.Label
}

// newLabelCurve returns at most most points of a ROC curve as counts, and the decision at the
// threshold at if it fits the curve. It returns nil if there are no positives or no negatives.
func newLabelCurve(name string, points []report.CurvePoint, w twoByTwo, at float64, most int) *document.LabelCurve {
	c := &document.LabelCurve{Name: name, Positives: w[report.TP] + w[report.FN], Negatives: w[report.TN] + w[report.FP], Decision: [2]float64{w[report.TP], w[report.FP]}}
	if !(c.Positives > 0 && c.Negatives > 0) || !floats.Finite(c.Positives+c.Negatives) {
		return nil
	}
	var all [][3]float64
	for i := range points {
		if p := &points[i]; floats.Finite(p.Threshold) && floats.Finite(p.X) && floats.Finite(p.Y) {
			all = append(all, [3]float64{p.Threshold, rounded(p.Y * c.Positives), rounded(p.X * c.Negatives)})
		}
	}
	if len(all) == 0 {
		return nil
	}
	c.Points = slices.Clone(collections.Spread(all, most))
	// Thresholds fall and counts rise, so the decision belongs between two points.
	c.Start, _ = slices.BinarySearchFunc(c.Points, at, func(p [3]float64, at float64) int {
		if p[0] >= at {
			return -1
		}
		return 1
	})
	decided := [3]float64{at, w[report.TP], w[report.FP]}
	if floats.Finite(at) && between(c.Points, c.Start, decided) {
		c.Points = slices.Insert(c.Points, c.Start, decided)
	}
	c.Start = min(c.Start, len(c.Points)-1)
	for i := range c.Points {
		c.Points[i][0] = digits(c.Points[i][0], 6)
	}
	return c
}

// between reports whether the counts of p lie between its future neighbours' counts.
func between(points [][3]float64, i int, p [3]float64) bool {
	if i > 0 && (p[1] < points[i-1][1] || p[2] < points[i-1][2]) {
		return false
	}
	return i == len(points) || p[1] <= points[i][1] && p[2] <= points[i][2]
}

// rounded removes rounding errors from a whole number, and digits that nobody sees from others.
func rounded(x float64) float64 {
	x = float64(x)
	if whole := math.Round(x); math.Abs(x-whole) < float64(1e-6*max(1, math.Abs(x))) {
		return whole
	}
	return digits(x, 9)
}

// digits returns x with n significant digits.
func digits(x float64, n int) float64 {
	if !floats.Finite(x) {
		return x
	}
	short, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', n, 64), 64)
	if err != nil { // rounding the largest number overflows
		return x
	}
	return short
}
