package curves

import (
	"fmt"
	"math"
)

// Kind says what an operating point is chosen for. Of points that are equally
// good, that of the highest threshold is chosen. Thresholds are scores that
// occur, and an example is predicted positive if its score is the threshold or
// higher. Predicting no positives at all counts as one more point, of recall
// and false positive rate 0 and precision 1, which has no threshold.
type Kind byte

const (
	// KolmogorovSmirnov is the highest |TPR - FPR|: the two-sample
	// Kolmogorov-Smirnov statistic of the scores of positives and negatives.
	KolmogorovSmirnov Kind = iota + 1
	// Youden is the highest TPR - FPR (Youden 1950), at least 0.
	Youden
	// FBeta is the highest F-beta, with At as beta: (1+b²)TP / (TP + FP + b²P).
	FBeta
	// RecallAtPrecision is the highest recall where the precision is At or more;
	// 0 if it is nowhere.
	RecallAtPrecision
	// PrecisionAtRecall is the highest precision where the recall is At or more.
	PrecisionAtRecall
	// RecallAtFPR is the highest recall where the false positive rate is At or less.
	RecallAtFPR
	// SpecificityAtSensitivity is the highest true negative rate where the
	// recall is At or more.
	SpecificityAtSensitivity
	// SensitivityAtSpecificity is the highest recall where the true negative
	// rate is At or more.
	SensitivityAtSpecificity
	// ThresholdAtRecall is the highest threshold of a recall of At or more.
	ThresholdAtRecall

	endOfKinds
)

// Criterion is what an operating point is chosen for. At is the beta of FBeta
// and the bound, within [0, 1], of those that have "At" in their names; others
// do not use it.
type Criterion struct {
	Kind Kind
	At   float64
}

// Check says whether an operating point can be chosen for c.
func (c Criterion) Check() error {
	switch {
	case c.Kind == 0 || c.Kind >= endOfKinds:
		return fmt.Errorf("no such kind of operating point: %d", c.Kind)
	case math.IsNaN(c.At) || math.IsInf(c.At, 0):
		return fmt.Errorf("operating point at %v: it must be finite", c.At)
	case c.Kind == FBeta && c.At <= 0:
		return fmt.Errorf("beta of %v: it must be positive", c.At)
	case c.Kind > FBeta && (c.At < 0 || c.At > 1):
		return fmt.Errorf("operating point at %v: it must be within 0 and 1", c.At)
	}
	return nil
}

// needsNegatives says whether the false positive rate matters.
func (c Criterion) needsNegatives() bool {
	switch c.Kind {
	case FBeta, RecallAtPrecision, PrecisionAtRecall, ThresholdAtRecall:
		return false
	}
	return true
}

// rates are what criteria look at.
type rates struct {
	tp, fp         float64
	positives      float64
	tpr, fpr, tnr  float64
	precision      float64
	scaledDistance float64 // TPR - FPR, times the scaled area
	area           float64
}

func (s *scale) rates(p Point, t Totals) rates {
	return rates{
		tp: p.TP, fp: p.FP, positives: t.Positives,
		tpr: p.TP / t.Positives, fpr: p.FP / t.Negatives, tnr: (t.Negatives - p.FP) / t.Negatives,
		precision: p.precision(),
		scaledDistance: differenceOfProducts(p.TP*s.positive, s.totals.Negatives,
			p.FP*s.negative, s.totals.Positives),
		area: s.area(),
	}
}

// differenceOfProducts is ab - cd to about one unit in the last place (Kahan;
// Jeannerod, Louvet, Muller 2013). For counts it is exact: of points at the
// same distance none is preferred by rounding.
func differenceOfProducts(a, b, c, d float64) float64 {
	cd := float64(c * d)
	return math.FMA(a, b, -cd) + math.FMA(-c, d, cd)
}

// of returns how good a point is, and whether it meets the condition. More TP
// and less FP make no point worse, and let it meet any condition that it met;
// for KolmogorovSmirnov, where TPR < FPR, less TP and more FP do.
func (c Criterion) of(r *rates) (value float64, ok bool) {
	switch c.Kind {
	case KolmogorovSmirnov:
		return math.Abs(r.scaledDistance) / r.area, true
	case Youden:
		return r.scaledDistance / r.area, true
	case FBeta:
		b := float64(c.At * c.At)
		value = float64((1+b)*r.tp) / (r.tp + r.fp + float64(b*r.positives))
		return value, !math.IsNaN(value)
	case RecallAtPrecision:
		return r.tpr, r.precision >= c.At
	case PrecisionAtRecall:
		return r.precision, r.tpr >= c.At
	case RecallAtFPR:
		return r.tpr, r.fpr <= c.At
	case SpecificityAtSensitivity:
		return r.tnr, r.tpr >= c.At
	case SensitivityAtSpecificity:
		return r.tpr, r.tnr >= c.At
	case ThresholdAtRecall:
		return 0, r.tpr >= c.At // all that do are equally good: the highest is chosen
	}
	return 0, false
}
