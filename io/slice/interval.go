package slice

import (
	"cmp"
	"math"
	"strconv"
	"strings"
)

// Interval returns the interval of numbers from low to below high as a value: "[18, 40)", or "< 18"
// or ">= 65" if an end is infinite. The value is a string, so it survives being written and read;
// but see [Value.Compare].
func Interval(low, high float64) Value {
	switch {
	case math.IsInf(low, -1):
		return String("< " + boundText(high))
	case math.IsInf(high, 1):
		return String(">= " + boundText(low))
	}
	return String("[" + boundText(low) + ", " + boundText(high) + ")")
}

func boundText(f float64) string { return Float(f).String() }

// interval parses a string written by [Interval].
func interval(s string) (low, high float64, ok bool) {
	from, to := "-Inf", "+Inf"
	if text, below := strings.CutPrefix(s, "< "); below {
		to = text
	} else if text, above := strings.CutPrefix(s, ">= "); above {
		from = text
	} else if text, closed := strings.CutPrefix(s, "["); closed {
		from, to, _ = strings.Cut(strings.TrimSuffix(text, ")"), ", ")
	} else {
		return 0, 0, false
	}
	low, errLow := strconv.ParseFloat(from, 64)
	high, errHigh := strconv.ParseFloat(to, 64)
	return low, high, errLow == nil && errHigh == nil && Interval(low, high).str == s
}

// Ends returns the ends of an interval made by [Interval]; ok is false for other values.
func (v Value) Ends() (low, high float64, ok bool) { return interval(v.str) }

// relation returns the text between a column and its value v.
func (v Value) relation() string {
	_, _, ok := interval(v.str)
	switch {
	case !ok:
		return "="
	case v.str[0] == '[':
		return " in "
	}
	return " " // precedes < or >=
}

// compareTexts orders strings: first intervals by their ends, then other strings by their bytes.
func compareTexts(a, b string) int {
	lowA, highA, intervalA := interval(a)
	lowB, highB, intervalB := interval(b)
	switch {
	case intervalA && intervalB:
		return cmp.Or(cmp.Compare(lowA, lowB), cmp.Compare(highA, highB), strings.Compare(a, b))
	case intervalA:
		return -1
	case intervalB:
		return 1
	}
	return strings.Compare(a, b)
}
