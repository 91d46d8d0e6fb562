package report

import (
	"cmp"
	"math"
	"strconv"
)

// Interval is where the exact value of a metric certainly lies, for a value
// that is not exact itself. Both ends belong to it and have the unit of the
// value. An end that is not finite bounds nothing and is written as null.
type Interval struct{ Low, High float64 }

// interval returns the interval to write for r: nil if the value is exact, or
// if no end would say anything.
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

// around writes a value of the interval for people: 0.9123 where every exact
// value would be shown so, and else 0.9123 ± 0.0004, rounded up so that it
// covers the interval (but for a millionth of the last decimal, because 0.0004
// should not become 0.0005 by an error of rounding). Where ± would not do (the value is very small or large,
// an end is missing), it writes the ends alone, rounded.
func (i *Interval) around(value float64) string {
	shown, low, high := number(value), end(i.Low, "-∞"), end(i.High, "∞")
	if low == shown && high == shown {
		return shown
	}
	if places, fixed := decimals(value); fixed {
		center, _ := strconv.ParseFloat(shown, 64) // number wrote it
		unit := math.Pow10(places)
		if units := math.Ceil(max(i.High-center, center-i.Low)*unit - 1e-6); units >= 0 && units < 1e6*unit {
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
