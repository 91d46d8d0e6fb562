package forecast

import (
	"math"
	"slices"
)

// Levels are the levels of forecasts of quantiles, increasing, within (0, 1).
type Levels []float64

// tolerance is how far two levels may be apart to count as equal: (1 - 0.9) / 2 is not quite 0.05.
const tolerance = 1e-9

// Valid reports whether the levels are increasing, at least 1e-6 apart, and within (0, 1).
func (l Levels) Valid() bool {
	last := 0.0
	for i, level := range l {
		if !(level > last && level < 1) || i > 0 && level-last < 1e-6 {
			return false
		}
		last = level
	}
	return true
}

// Index returns the index of a level, or -1.
func (l Levels) Index(level float64) int {
	i, _ := slices.BinarySearch(l, level-tolerance)
	if i < len(l) && l[i] <= level+tolerance {
		return i
	}
	return -1
}

// Tails returns the levels of the ends of the central interval that has the given probability.
func Tails(probability float64) (lower, upper float64) {
	return (1 - probability) / 2, (1 + probability) / 2
}

// Intervals returns the probabilities of the central intervals whose ends are among the levels,
// increasing.
func (l Levels) Intervals() (list []float64) {
	for _, lower := range slices.Backward(l) {
		if lower < 0.5-tolerance && l.Index(1-lower) >= 0 {
			// Rounded, so that 0.05 and 0.95 give 0.9.
			list = append(list, math.Round((1-2*lower)*1e9)/1e9)
		}
	}
	return list
}

// Missing returns the wanted levels that are not among l.
func (l Levels) Missing(wanted ...float64) (list []float64) {
	for _, level := range wanted {
		if l.Index(level) < 0 {
			list = append(list, level)
		}
	}
	return list
}
