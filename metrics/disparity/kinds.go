package disparity

import (
	"math"
	"slices"

	"github.com/beameval/beameval/internal/elementary"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/confidence"
)

// infinite is the reason for which a difference, or the greatest or least value, is undefined.
const infinite = "a value is infinite"

// Kind says how a number is computed from values by group, and how uncertain it is.
type Kind struct {
	Suffix string // of the name
	// extremes computes the number from the greatest and the least value of a metric. If there are
	// several metrics, worst chooses among their numbers.
	extremes func(greatest, least float64) float64
	worst    func(a, b float64) float64
	// pair, if not nil, computes the number from the values of two groups instead.
	pair      func(reference, other float64) float64
	undefined string // the reason if there is no value
	scale     confidence.Scale
	// contrasts, if not nil, returns contrasts of the values of a metric: the number is a function
	// of the greatest of these. The errors of contrasts are about symmetric: replicates are
	// transformed with the slope at the value.
	contrasts func(values, at []float64) []float64
	from      func(greatest float64) float64
	// within returns the range of the number, given the range of the metrics. Intervals are limited
	// to it.
	within func(least, greatest float64) (low, high float64)
}

var (
	differenceKind = Kind{
		Suffix: metrics.GroupDifference, undefined: infinite, scale: confidence.Identity, extremes: distance, worst: math.Max,
		contrasts: pairs(subtracted), from: itself, within: upToDistance,
	}
	ratioKind = Kind{
		Suffix: metrics.GroupRatio, undefined: "the greatest value is 0", scale: confidence.Log, extremes: quotient, worst: math.Min,
		contrasts: pairs(subtractedLogs), from: func(x float64) float64 { return elementary.Exp(-x) }, within: upToOne,
	}
	greatestKind = Kind{
		Suffix: metrics.GroupMax, undefined: infinite, scale: confidence.Identity, extremes: first,
		contrasts: each(1), from: itself, within: asTheMetric,
	}
	leastKind = Kind{
		Suffix: metrics.GroupMin, undefined: infinite, scale: confidence.Identity, extremes: second,
		contrasts: each(-1), from: func(x float64) float64 { return -x }, within: asTheMetric,
	}
	differenceToReferenceKind = Kind{
		Suffix: metrics.DifferenceToReference, pair: func(reference, other float64) float64 { return other - reference }, undefined: infinite,
		scale: confidence.Identity, within: eitherDistance,
	}
	ratioToReferenceKind = Kind{
		Suffix: metrics.RatioToReference, pair: func(reference, other float64) float64 { return other / reference }, undefined: "the value of the reference is 0",
		scale: confidence.Log, within: anything,
	}
)

func itself(x float64) float64 { return x }

func distance(greatest, least float64) float64 { return greatest - least }
func quotient(greatest, least float64) float64 { return least / greatest }
func first(greatest, _ float64) float64        { return greatest }
func second(_, least float64) float64          { return least }

func upToDistance(least, greatest float64) (low, high float64) { return 0, greatest - least }
func upToOne(_, _ float64) (low, high float64)                 { return 0, 1 }
func asTheMetric(least, greatest float64) (low, high float64)  { return least, greatest }
func eitherDistance(least, greatest float64) (low, high float64) {
	return least - greatest, greatest - least
}
func anything(_, _ float64) (low, high float64) { return math.Inf(-1), math.Inf(1) }

// pairs returns the contrasts of all groups with all others.
func pairs(contrast func(a, b, atA, atB float64) float64) func(values, at []float64) []float64 {
	return func(values, at []float64) (list []float64) {
		for i := range values {
			for j := range values {
				if i != j {
					list = append(list, contrast(values[i], values[j], at[i], at[j]))
				}
			}
		}
		return list
	}
}

func subtracted(a, b, _, _ float64) float64 { return a - b }

func subtractedLogs(a, b, atA, atB float64) float64 { return logNear(a, atA) - logNear(b, atB) }

// logNear returns the logarithm of x, linearized at a value near it.
func logNear(x, at float64) float64 { return elementary.Log(at) + (x-at)/at }

// each returns the values themselves, multiplied by a factor.
func each(factor float64) func(values, at []float64) []float64 {
	return func(values, _ []float64) (list []float64) {
		for _, x := range values {
			list = append(list, float64(factor*x))
		}
		return list
	}
}

// value computes the number from the values of each metric.
func (k *Kind) value(values [][]float64) float64 {
	if k.pair != nil {
		return k.pair(values[0][0], values[0][1])
	}
	number := k.extremes(slices.Max(values[0]), slices.Min(values[0]))
	for _, v := range values[1:] {
		number = k.worst(number, k.extremes(slices.Max(v), slices.Min(v)))
	}
	return number
}

// ToReference are the kinds for pairs of groups. The second group is compared with the first.
var ToReference = []*Kind{&differenceToReferenceKind, &ratioToReferenceKind}
