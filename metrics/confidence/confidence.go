// Package confidence says how sure a value is that was computed from a sample of examples, and
// whether two such values really differ.
//
// The examples are divided at random into groups. A replicate is the value of all examples but
// those of one group. From how replicates vary follow a standard error and its degrees of
// freedom (the delete-a-group jackknife), and from these an interval, on a scale on which the
// value's errors are about symmetric. Proportions of independent examples have Wilson's interval
// instead, which holds for few examples, too.
//
// All sums are exact, so that results do not depend on the order of groups.
package confidence

import (
	"math"

	"github.com/beameval/beameval/internal/elementary"
)

// MinGroups is how many groups must have examples, and examples of either class if there are
// two, for an interval to be made of replicates.
const MinGroups = 10

// The methods of intervals.
const (
	MethodWilson    = "wilson"
	MethodJackknife = "jackknife"
)

// The reasons for which a value has no interval.
const (
	Undefined        = "undefined"
	FewGroups        = "few groups"                   // fewer than MinGroups groups have examples
	FewOfAClass      = "few of a class"               // fewer than MinGroups groups have examples of the rarer class
	UndefinedWithout = "undefined without some group" // a replicate is undefined or infinite
	NoVariation      = "no variation"                 // all replicates are equal
	AtItsBound       = "at its bound"                 // the value is as low or as high as it can be
	TooWide          = "too wide"                     // a bound of the interval exceeds float64
	HasBias          = "biased"                       // the scale is Biased
	IsNotSmooth      = "not smooth"                   // the scale is NotSmooth
	IsCount          = "a count"                      // the scale is Count
)

// HeavyTails is the warning that few examples decide a value, so that other samples would have quite another standard
// error: its interval covers the true value less often than it should.
const HeavyTails = "heavy tails"

// Estimate is a value with what its interval depends on.
type Estimate struct {
	Value float64 // NaN if it is undefined
	// Replicates are the values without each of the groups that have examples, NaN where
	// undefined.
	Replicates []float64
	Scale      Scale
	// Trials is how many independent trials a proportion is of, or 0 if that is unknown or
	// they are not independent. For F1 the proportion is Jaccard's index.
	Trials float64
	// Rarer is how many groups have examples of the rarer of two classes. If there are no
	// classes, it is at least MinGroups.
	Rarer      int
	HeavyTails bool // see the warning
}

// Interval is a confidence interval. Its numbers are NaN where they are unknown.
type Interval struct {
	Low, High     float64
	StdError, DOF float64 // of the replicates
	Groups        int     // how many replicates there are
	Method        string  // MethodWilson or MethodJackknife, "" if there is no interval
	NoInterval    string  // the reason for which there is none, or ""
	Warning       string  // HeavyTails, or ""
}

// Interval returns the interval that covers the true value with a probability of level.
func (e Estimate) Interval(level float64) Interval {
	nan := math.NaN()
	found := Interval{Low: nan, High: nan, StdError: nan, DOF: nan, Groups: len(e.Replicates)}
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

// around widens an interval by the rounding errors that may have left out its value.
func (e Estimate) around(low, high float64) (float64, float64) {
	return min(low, e.Value), max(high, e.Value)
}

// centre returns the centre of an interval and the standard error of that. A Maximum is less its
// bias as the jackknife estimates it (Quenouille 1956), an estimate that is uncertain by about its own
// size.
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
	case e.Scale >= Biased:
		return e.Scale.String()
	case reason == FewGroups:
		return reason
	case e.Rarer < MinGroups:
		return FewOfAClass
	case reason == "" && !e.Scale.contains(e.Value):
		return AtItsBound
	default:
		return reason
	}
}

// obstacle returns the reason for which replicates say nothing, or "". se is their standard
// error.
func obstacle(replicates []float64, se float64) string {
	switch {
	case len(replicates) < MinGroups:
		return FewGroups
	case math.IsNaN(se):
		return UndefinedWithout
	case se == 0:
		return NoVariation
	}
	return ""
}
