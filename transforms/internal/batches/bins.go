package batches

import (
	"math"
	"slices"
	"strconv"

	"github.com/beameval/beameval/io/slice"
)

// bins holds the ascending bounds between the intervals into which numbers are divided.
type bins []float64

// of returns the interval that contains a number, which may be written as text, as in a hive-style
// key. Null, NaN and values that are not numbers remain unchanged; so does every value if there are
// no bins.
func (b bins) of(v slice.Value) slice.Value {
	if b == nil {
		return v
	}
	x := v.Float()
	switch v.Kind() {
	case slice.KindString:
		var err error
		if x, err = strconv.ParseFloat(v.Text(), 64); err != nil {
			return v
		}
	case slice.KindInt, slice.KindFloat:
	default:
		return v
	}
	if x != x {
		return v
	}
	return b.interval(b.find(x))
}

// find returns the number of the interval that contains x.
func (b bins) find(x float64) int {
	i, found := slices.BinarySearch(b, x)
	if found {
		i++
	}
	return i
}

// interval returns the interval with the given number.
func (b bins) interval(i int) slice.Value {
	low, high := math.Inf(-1), math.Inf(1)
	if i > 0 {
		low = b[i-1]
	}
	if i < len(b) {
		high = b[i]
	}
	return slice.Interval(low, high)
}

// binned returns the code of the interval that contains x.
func (t *valueTable) binned(x float64) int32 {
	if x != x {
		return t.constant(slice.Float(x))
	}
	if t.byBin == nil {
		t.byBin = make([]int32, len(t.bins)+1)
	}
	i := t.bins.find(x)
	if t.byBin[i] == 0 {
		t.byBin[i] = t.constant(t.bins.interval(i)) + 1
	}
	return t.byBin[i] - 1
}
