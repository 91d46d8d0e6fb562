package document

import (
	"math"
	"slices"

	"github.com/beameval/beameval/internal/lists"
	"github.com/beameval/beameval/internal/numbers"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
)

// slider is the data of the threshold slider.
type slider struct {
	Kind               string // the kind of thing that is predicted
	Choice             bool   // there are several curves
	Positive, Negative string
	Curves             []sliderCurve // written to the page as JSON
}

// sliderCurve is the curve of a label. Each point has a threshold and the numbers of true and false
// positives at that threshold.
type sliderCurve struct {
	Name      string       `json:"name"`
	Positives float64      `json:"positives"`
	Negatives float64      `json:"negatives"`
	Start     int          `json:"start"` // index of the point shown first
	Points    [][3]float64 `json:"points"`
}

// sliderPoints is the number of points in a curve of the slider.
const sliderPoints = 200

// newSlider returns the slider of a binary or multilabel task, or nil if there are no curves.
func newSlider(r *report.Report, config *report.Settings) *slider {
	s := &slider{Kind: "label", Positive: "true", Negative: "not"}
	if r.Task == "binary" {
		s.Kind, s.Positive, s.Negative = "positive", "1", "0"
		if config.PositiveLabel != "" {
			s.Positive, s.Negative = quote.Visible(config.PositiveLabel), "not "+quote.Visible(config.PositiveLabel)
		}
	} else if r.Task != "multilabel" {
		return nil
	}
	confusion := r.ConfusionOf(math.MaxInt)
	if confusion == nil || confusion.PerLabel == (r.Task == "binary") || !confusion.PerLabel && len(confusion.Names) != 2 {
		return nil
	}
	place := lists.Places(confusion.Names)
	for _, c := range report.OverallCurves(r.Curves) {
		if c.Name != report.CurveROC || (c.Label == nil) != (r.Task == "binary") || len(s.Curves) == PageCurves {
			continue
		}
		label, table, known := "", 0, true
		if c.Label != nil {
			label = *c.Label
			table, known = place[label]
		}
		at, given := config.Threshold(label)
		if !given {
			at = math.NaN()
		}
		if !known {
			continue
		}
		if curve := newSliderCurve(quote.Visible(label), c.Points, confusion.Matrices[table].Weights, at); curve != nil {
			s.Curves = append(s.Curves, *curve)
		}
	}
	s.Choice = len(s.Curves) > 1 || r.Task == "multilabel"
	if len(s.Curves) == 0 {
		return nil
	}
	return s
}

// newSliderCurve returns the points of a ROC curve as counts, including the decision at the
// threshold at if it fits the curve. w are the weights of the 2×2 table. It returns nil if there are
// no positives or no negatives.
func newSliderCurve(name string, points []report.CurvePoint, w []float64, at float64) *sliderCurve {
	c := &sliderCurve{Name: name, Positives: w[report.TP] + w[report.FN], Negatives: w[report.TN] + w[report.FP]}
	if !(c.Positives > 0 && c.Negatives > 0) || !numbers.Finite(c.Positives+c.Negatives) {
		return nil
	}
	var all [][3]float64
	for i := range points {
		if p := &points[i]; numbers.Finite(p.Threshold) && numbers.Finite(p.X) && numbers.Finite(p.Y) {
			all = append(all, [3]float64{p.Threshold, rounded(p.Y * c.Positives), rounded(p.X * c.Negatives)})
		}
	}
	if len(all) == 0 {
		return nil
	}
	c.Points = lists.Spread(all, sliderPoints)
	// Thresholds fall and counts rise, so the decision belongs between two points.
	c.Start, _ = slices.BinarySearchFunc(c.Points, at, func(p [3]float64, at float64) int {
		if p[0] >= at {
			return -1
		}
		return 1
	})
	decided := [3]float64{at, w[report.TP], w[report.FP]}
	if numbers.Finite(at) && between(c.Points, c.Start, decided) {
		c.Points = slices.Insert(slices.Clone(c.Points), c.Start, decided)
	}
	c.Start = min(c.Start, len(c.Points)-1)
	return c
}

// between reports whether the counts of p lie between those of its future neighbours.
func between(points [][3]float64, i int, p [3]float64) bool {
	if i > 0 && (p[1] < points[i-1][1] || p[2] < points[i-1][2]) {
		return false
	}
	return i == len(points) || p[1] <= points[i][1] && p[2] <= points[i][2]
}

// rounded removes rounding errors from a whole number.
func rounded(x float64) float64 {
	x = float64(x)
	if whole := math.Round(x); math.Abs(x-whole) < float64(1e-6*max(1, math.Abs(x))) {
		return whole
	}
	return x
}
