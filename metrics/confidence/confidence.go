// Package confidence computes how uncertain a value is that was computed from a sample of examples,
// and whether two such values really differ.
//
// The examples are divided at random into folds. A replicate is the value without the examples of
// one fold. The variation of the replicates gives a standard error and its degrees of freedom (the
// delete-a-group jackknife). These give an interval, on a scale on which the errors of the value
// are about symmetric.
//
//	value          ──────────────┬──────────────
//	replicates         · ·· · ··│·· · ·            without fold 1, 2, 3, …
//	interval         [──────────┴──────────]
//
// Proportions of independent examples have Wilson's interval instead, which is also valid for few
// examples. Values whose standard error is known have the normal interval. Sums of distances, which
// are biased, have an interval by projection, which is wide enough for any bias.
//
// All sums are exact, so that results do not depend on the order of folds.
package confidence

import (
	"math"

	"github.com/beameval/beameval/internal/elementary"
)

// MinFolds is the smallest number of folds that must have examples, and examples of either class
// if there are two, for an interval from replicates.
const MinFolds = 10

// The methods of intervals.
const (
	MethodWilson     = "wilson"
	MethodNormal     = "normal"
	MethodProjection = "projection"
	MethodJackknife  = "jackknife"
)

// The reasons for which a value has no interval.
const (
	Undefined        = "undefined"
	FewFolds         = "few groups"                   // fewer than MinFolds folds have examples
	FewOfAClass      = "few of a class"               // fewer than MinFolds folds have examples of the rarer class
	FewRowsOfShare   = "few rows in the share"        // the value is read at a share that holds few examples
	UndefinedWithout = "undefined without some group" // a replicate is undefined or infinite
	NoVariation      = "no variation"                 // all replicates are equal
	AtItsBound       = "at its bound"                 // the value is as low or as high as it can be
	TooWide          = "too wide"                     // a bound of the interval exceeds float64
	HasBias          = "biased"                       // the scale is Biased, or Projection without Gaps
	IsNotSmooth      = "not smooth"                   // the scale is NotSmooth
	IsCount          = "a count"                      // the scale is Count
)

// HeavyTails is the warning that few examples determine a value: other samples would give very
// different standard errors, so its interval contains the true value less often than it should.
const HeavyTails = "heavy tails"

// Estimate is a value with everything that its interval depends on.
type Estimate struct {
	Value float64 // NaN if it is undefined
	// Replicates are the values without each of the folds that have examples. They are NaN where
	// undefined.
	Replicates []float64
	Scale      Scale
	// Trials is the number of independent trials of a proportion, or 0 if it is unknown or they are
	// not independent. For F1 it is the number of trials of Jaccard's index.
	Trials float64
	// Rarer is the number of folds that have examples of the rarer of two classes. If there are no
	// classes, it is at least MinFolds.
	Rarer      int
	HeavyTails bool // see the warning
	// StdError is the standard error of a value with normal errors, or 0 or NaN if it is unknown.
	StdError float64
	// Gaps, if not nil, are what Value estimates the sum of, in size.
	Gaps *Gaps
	// FewRows says that the value depends on too few examples for its errors to be as replicates show.
	FewRows bool
}

// Interval is a confidence interval. Unknown numbers are NaN.
type Interval struct {
	Low, High     float64
	StdError, DOF float64 // of the replicates
	Folds         int     // the number of replicates
	Method        string  // MethodWilson, MethodNormal, MethodProjection or MethodJackknife, or "" if there is no interval
	NoInterval    string  // the reason for which there is no interval, or ""
	Warning       string  // HeavyTails, or ""
}

// Interval returns the interval that contains the true value with probability level.
func (e Estimate) Interval(level float64) Interval {
	nan := math.NaN()
	found := Interval{Low: nan, High: nan, StdError: nan, DOF: nan, Folds: len(e.Replicates)}
	if math.IsNaN(e.Value) {
		found.NoInterval = Undefined
		return found
	}
	found.StdError, found.DOF = Jackknife(e.Replicates)
	if e.Trials > 0 && e.Scale.IsProportion() {
		found.Low, found.High = e.around(e.wilson(level))
		found.Method = MethodWilson
		return found
	}
	if e.StdError > 0 {
		half := float64(NormalQuantile(level) * e.StdError)
		found.Low, found.High, found.Method = e.Value-half, e.Value+half, MethodNormal
		return found
	}
	if e.Gaps != nil { // Value may be negative, what it estimates is not
		low, high := e.Gaps.Interval(level)
		found.Low, found.High, found.Method = min(low, max(e.Value, 0)), max(high, e.Value), MethodProjection
		return found
	}
	if found.NoInterval = e.obstacle(found.StdError); found.NoInterval != "" {
		return found
	}
	centre, spread := e.centre(found.StdError)
	if !e.Scale.contains(centre) {
		found.NoInterval = AtItsBound
		return found
	}
	low, high := e.Scale.around(centre, float64(TQuantile(level, found.DOF)*spread))
	if finite(low, high) {
		found.Low, found.High, found.Method = low, high, MethodJackknife
		if e.HeavyTails {
			found.Warning = HeavyTails
		}
		if e.Scale != Maximum {
			found.Low, found.High = e.around(low, high)
		}
	} else {
		found.NoInterval = TooWide
	}
	return found
}

// around widens an interval if rounding errors have excluded its value.
func (e Estimate) around(low, high float64) (float64, float64) {
	return min(low, e.Value), max(high, e.Value)
}

// centre returns the centre of an interval and its standard error. For a Maximum, the bias
// estimated by the jackknife (Quenouille 1956) is subtracted, an estimate with an error of about
// its own size.
func (e Estimate) centre(se float64) (centre, spread float64) {
	if e.Scale != Maximum {
		return e.Value, se
	}
	m := float64(len(e.Replicates))
	bias := float64((m - 1) * (sum(e.Replicates)/m - e.Value))
	return e.Value - bias, elementary.Hypot(se, bias)
}

// finite reports whether both bounds of an interval are finite.
func finite(low, high float64) bool {
	return math.Abs(low) <= math.MaxFloat64 && math.Abs(high) <= math.MaxFloat64
}

// obstacle returns the reason for which replicates give no interval, or "".
func (e Estimate) obstacle(se float64) string {
	switch reason := obstacle(e.Replicates, se); {
	case e.Scale == Projection:
		return HasBias
	case e.Scale >= Biased:
		return e.Scale.String()
	case reason == FewFolds:
		return reason
	case e.Rarer < MinFolds:
		return FewOfAClass
	case e.FewRows:
		return FewRowsOfShare
	case reason == "" && !e.Scale.contains(e.Value):
		return AtItsBound
	default:
		return reason
	}
}

// Untestable returns the reason for which replicates do not show how uncertain the differences of a value are,
// or "". method is the method of its interval, and noInterval the reason for which it has none: an
// interval by projection allows for a bias, but replicates do not.
func Untestable(method, noInterval string) string {
	if method == MethodProjection {
		return HasBias
	}
	return noInterval
}

// obstacle returns the reason for which replicates are useless, or "". se is their standard error.
func obstacle(replicates []float64, se float64) string {
	switch {
	case len(replicates) < MinFolds:
		return FewFolds
	case math.IsNaN(se):
		return UndefinedWithout
	case se == 0:
		return NoVariation
	}
	return ""
}
