package report

import (
	"cmp"
	"math"
	"strconv"
)

// Interval certainly holds the exact value of a metric whose value in the report is not
// exact. Both ends belong to it and have the unit of the value. An end that is not finite
// bounds nothing and is written as null.
type Interval struct{ Low, High float64 }

// interval returns the interval to write for r. It is nil if the value is exact, or if
// neither end is finite.
func (r *Row) interval() *Interval {
	if i := r.Interval; i != nil && (finite(i.Low) || finite(i.High)) {
		return i
	}
	return nil
}

// compareIntervals puts exact values first.
func compareIntervals(a, b *Interval) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	return cmp.Or(cmp.Compare(a.Low, b.Low), cmp.Compare(a.High, b.High))
}

// around writes a value of the interval for people: 0.9123 if both ends would be written
// so, and otherwise 0.9123 ± 0.0004. The number after ± is rounded up to cover the
// interval, less a millionth of the last decimal, so that rounding errors do not turn
// 0.0004 into 0.0005. If the value is very small or large, or an end is missing, it writes
// the rounded ends instead.
func (i *Interval) around(value float64) string {
	shown, low, high := number(value), end(i.Low, "-∞"), end(i.High, "∞")
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

func end(f float64, missing string) string {
	if !finite(f) {
		return missing
	}
	return number(f)
}
