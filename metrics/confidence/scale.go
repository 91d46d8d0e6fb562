package confidence

import (
	"fmt"
	"math"

	"github.com/beameval/beameval/internal/elementary"
)

// Scale says on which scale the errors of a value are about symmetric. Intervals are symmetric on
// that scale.
type Scale uint8

const (
	Identity    Scale = iota // x
	Proportion               // the share of trials that succeed; Wilson's interval, or else as Logit
	F1                       // 2J/(1+J) of a Proportion J, Jaccard's index
	Logit                    // log(x/(1-x)), of values in [0, 1]
	Log                      // log x, of values that are not negative
	Atanh                    // ½ log((1+x)/(1-x)), of values in [-1, 1]
	LogOneMinus              // log(1-x), of values up to 1
	Maximum                  // as Logit, of the greatest of many values, which is too high by chance
	Projection               // the sum of Gaps, by projection, or else as Biased
	Biased                   // none: the value of a sample is not centred on the true one
	NotSmooth                // none: the value jumps, or depends on single examples
	Count                    // none: the value belongs to this sample, and grows with its size
)

// String returns the formula of the scale.
func (s Scale) String() string {
	if int(s) < len(scales) {
		return scales[s].formula
	}
	return fmt.Sprintf("Scale(%d)", s)
}

// scales holds, for each Scale, an increasing function, its derivative, its inverse, and the bounds
// between which a value must lie. The last scales have no function; their formula is the reason.
var scales = [...]struct {
	formula          string
	to, slope, from  func(float64) float64
	lowest, greatest float64
}{
	Proportion:  {"Wilson", logit, logitSlope, logistic, 0, 1},
	F1:          {"Wilson", logit, logitSlope, logistic, 0, 1},
	Logit:       {"logit", logit, logitSlope, logistic, 0, 1},
	Log:         {"log", elementary.Log, func(x float64) float64 { return 1 / x }, elementary.Exp, 0, math.Inf(1)},
	Atanh:       {"atanh", elementary.Atanh, func(x float64) float64 { return 1 / ((1 - x) * (1 + x)) }, elementary.Tanh, -1, 1},
	LogOneMinus: {"log(1-x)", func(x float64) float64 { return -elementary.Log1p(-x) }, func(x float64) float64 { return 1 / (1 - x) }, func(y float64) float64 { return -elementary.Expm1(-y) }, math.Inf(-1), 1},
	Identity:    {"x", itself, func(float64) float64 { return 1 }, itself, math.Inf(-1), math.Inf(1)},
	Maximum:     {"logit, less its bias", logit, logitSlope, logistic, 0, 1},
	Projection:  {formula: MethodProjection},
	Biased:      {formula: HasBias},
	NotSmooth:   {formula: IsNotSmooth},
	Count:       {formula: IsCount},
}

func itself(x float64) float64     { return x }
func logit(x float64) float64      { return elementary.Log(x) - elementary.Log1p(-x) }
func logitSlope(x float64) float64 { return 1 / (x * (1 - x)) }
func logistic(y float64) float64   { return 1 / (1 + elementary.Exp(-y)) }

// IsProportion reports whether the value is a proportion of trials, or a function of one, which can
// have Wilson's interval.
func (s Scale) IsProportion() bool { return s == Proportion || s == F1 }

// Bounds returns the smallest and the largest value; infinite if there is no bound.
func (s Scale) Bounds() (least, greatest float64) {
	if s >= Projection {
		s = Identity
	}
	return scales[s].lowest, scales[s].greatest
}

// contains reports whether a value is within the bounds of the scale.
func (s Scale) contains(x float64) bool { return scales[s].lowest < x && x < scales[s].greatest }

// around returns the interval that extends from x by halfWidth to either side, transformed to the
// scale with the slope at x, and back (the delta method).
func (s Scale) around(x, halfWidth float64) (low, high float64) {
	g := &scales[s]
	at, half := g.to(x), float64(halfWidth*g.slope(x))
	return g.from(at - half), g.from(at + half)
}
