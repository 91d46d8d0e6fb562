package document

import (
	"math"
	"strconv"

	"github.com/beameval/beameval/internal/elementary"
	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/report"
)

// skewed is the largest ratio of the two halves of an interval that is still written with ±.
const skewed = 1.5

// Around formats a value and its interval for people: 0.935 ± 0.010, or 0.871 [0.730, 0.944] if one
// half of the interval is much wider than the other. The width has two significant digits, and what
// is shown covers the interval.
func Around(c *report.Confidence, value float64) string {
	below, above := value-c.Low, c.High-value
	wide, narrow := max(below, above), min(below, above)
	places, fixed := 0, wide > 0
	if fixed {
		_, fixed = decimals(max(math.Abs(value), wide))
		places = max(0, 1-elementary.Exponent10(wide))
	}
	if !fixed || places > 9 {
		return Number(value) + " [" + Number(c.Low) + ", " + Number(c.High) + "]"
	}
	unit := math.Pow10(places)
	text := func(units float64) string { return strconv.FormatFloat(units/unit+0, 'f', places, 64) }
	center := math.RoundToEven(value * unit)
	if narrow*skewed < wide {
		return text(center) + " [" + text(math.Floor(float64(c.Low*unit)+1e-6)) + ", " + text(math.Ceil(float64(c.High*unit)-1e-6)) + "]"
	}
	return text(center) + " ± " + text(math.Ceil(max(float64(c.High*unit)-center, center-float64(c.Low*unit))-1e-6))
}

// aroundExact formats a value of the interval for people: 0.9123 if both ends round to it, and
// otherwise 0.9123 ± 0.0004. The number after ± is rounded up to cover the interval, minus a
// millionth of the last decimal, so that rounding errors do not turn 0.0004 into 0.0005. If the
// value is very small or large, or an end is missing, it writes the rounded ends instead.
func aroundExact(i *report.Bounds, value float64) string {
	shown, low, high := Number(value), End(i.Low, "-∞"), End(i.High, "∞")
	if low == shown && high == shown {
		return shown
	}
	if places, fixed := decimals(value); fixed {
		center, _ := strconv.ParseFloat(shown, 64) // number wrote it
		unit := math.Pow10(places)
		if units := math.Ceil(float64(max(i.High-center, center-i.Low)*unit) - 1e-6); units >= 0 && units < 1e6*unit {
			return shown + " ± " + strconv.FormatFloat(units/unit, 'f', places, 64)
		}
	}
	return "[" + low + ", " + high + "]"
}

// End formats an end of an interval, or returns missing if it is not finite.
func End(f float64, missing string) string {
	if !floats.Finite(f) {
		return missing
	}
	return Number(f)
}
