package exactcurve

import (
	"math"

	"github.com/beameval/beameval/metrics/curves"
	"github.com/beameval/beameval/metrics/internal/isotonic"
	"github.com/beameval/beameval/metrics/scoreruns"
)

// Extra says what is computed for a curve in addition to areas and operating points: a set of bits.
type Extra uint8

// The extras.
const (
	Quantiles    Extra = 1 << iota // calibration bins of equal weight
	Gain                           // the gain of all labels as one ranking
	Pairs                          // pairs of an example of the class and one of another
	OnlyMedian                     // the median, and nothing else
	Trapezoids                     // the area under the precision-recall curve, by trapezoids
	Interpolated                   // the same, by linear growth of false positives
	Isotonic                       // the isotonic fit of the labels

	// FewPoints are the extras that need only a few points of a curve: the Accumulator computes
	// them.
	FewPoints = Trapezoids | Interpolated
)

// Work says what is computed for a curve.
type Work struct {
	Extra    Extra
	Criteria []curves.Criterion
	Lines    int   // of the grid of a drawing; 0 if there is none
	Label    int32 // for Pairs
	Bins     int   // the number of Quantiles
	Blocks   int   // the limit of the isotonic fit
	// Probability returns the probability of a score; nil if scores are probabilities.
	Probability func(score float64) float64
}

// Through returns the areas and operating points of a curve that is known only at the ends of bins.
func (w *Work) Through(c *curves.BinnedCurve) *curves.Accumulator {
	return c.Accumulator(w.Extra&Trapezoids != 0, w.Extra&Interpolated != 0, w.Criteria...)
}

// Builder computes a Curve from the stretches of a range of scores.
type Builder struct {
	Curve
	work  *Work
	total float64 // the weight of all examples
}

// Start begins a curve of examples with these totals at a point, the start of a range. known are the
// best points of other ranges. The tallies and the areas keep their memory, because the curves
// without folds may be many and consist of nothing else.
func (b *Builder) Start(work *Work, all *scoreruns.Totals, from curves.Point, known curves.Bests) {
	b.Positive.Reset()
	b.Negative.Reset()
	b.Curve = Curve{Positive: b.Positive, Negative: b.Negative, Areas: b.Areas}
	totals := curves.Totals{Positives: all.Positive.Weight(), Negatives: all.Negative.Weight()}
	b.work, b.total = work, totals.Positives+totals.Negatives
	if work.Extra&OnlyMedian != 0 {
		b.Areas = curves.Accumulator{}
		return
	}
	b.Areas.Restart(totals, work.Criteria...)
	if work.Extra&Trapezoids == 0 {
		b.Areas.WithoutPRAUC()
	}
	if work.Extra&Interpolated != 0 {
		b.Areas.Interpolating()
	}
	b.Areas.MoveTo(from)
	b.Areas.Know(known)
	if work.Extra&Isotonic != 0 {
		b.Fit = isotonic.New(work.Blocks)
	}
	if work.Lines > 0 {
		b.Outline = *curves.NewOutline(totals, work.Lines)
		b.Outline.MoveTo(from)
	}
}

// Add advances through the points of a stretch.
func (b *Builder) Add(s *curves.Stretch) {
	extra := b.work.Extra
	if extra&OnlyMedian != 0 {
		for i := range s.Points {
			b.Median.add(s.Points[i].Score, s.Points[i].TP, b.total)
		}
		return
	}
	if extra&Gain != 0 {
		b.addGain(s)
	}
	if extra&Pairs != 0 && s.Classes != nil {
		b.Pairs.AddStretch(s, b.work.Label)
	}
	if extra&Quantiles != 0 && b.total != 0 {
		b.addQuantiles(s)
	}
	points := s.Moving()
	b.Areas.Add(points, s.Whole)
	if extra&Isotonic != 0 && b.total <= math.MaxFloat64 {
		b.Fit.Add(points)
	}
	if b.work.Lines > 0 {
		b.Outline.Add(points)
	}
}

// addGain adds the gain of the rows of each score. Negatives have no gain.
func (b *Builder) addGain(s *curves.Stretch) {
	for _, i := range s.Rising() {
		before, rows := s.BeforeRows, s.Rows(int(i))
		if i > 0 {
			before = s.Rows(int(i) - 1)
		}
		above := before.TP + before.FP
		b.Gain.Add(above, rows.TP+rows.FP-above, rows.TP-before.TP)
	}
}

// quantilePoints is the largest number of points that are added to a bin at once.
const quantilePoints = 128

// addQuantiles adds the examples of each score to their bin of equal weight. Points are in order:
// if the first and the last are in a bin, so are all between them.
func (b *Builder) addQuantiles(s *curves.Stretch) {
	binAfter := func(p curves.Point) uint64 { return quantile(p.TP+p.FP, b.total, b.work.Bins) }
	before, points := s.Before, s.Points
	for len(points) > 0 {
		n, bin := min(len(points), quantilePoints), binAfter(before)
		for n > 1 && binAfter(points[n-2]) != bin {
			n /= 2
		}
		b.addToBin(bin, before, points[:n])
		before, points = points[n-1], points[n:]
	}
}

// addToBin adds at most quantilePoints points to a bin.
func (b *Builder) addToBin(bin uint64, before curves.Point, points []curves.Point) {
	var positives, negatives, predictions [quantilePoints]float64
	np, nn := 0, 0
	for i, p := range points {
		positive, negative := p.TP-before.TP, p.FP-before.FP
		positives[np], negatives[nn] = positive, negative
		if positive > 0 {
			np++
		}
		if negative > 0 {
			nn++
		}
		if weight := positive + negative; weight != 0 { // a probability may be infinite
			probability := p.Score
			if b.work.Probability != nil {
				probability = b.work.Probability(probability)
			}
			predictions[i] = float64(weight * probability)
		}
		before = p
	}
	to := b.Quantiles.Value(bin)
	to.Positive.AddAll(positives[:np])
	to.Negative.AddAll(negatives[:nn])
	to.Prediction.AddAll(predictions[:len(points)])
}
