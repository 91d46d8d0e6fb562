package document

import (
	"math"
	"strconv"
	"strings"

	"github.com/beameval/beameval/internal/elementary"
	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/report"
)

// Plural formats a number of things.
func Plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok && !strings.HasSuffix(stem, "a") { // queries, but days
		noun = stem + "ie"
	}
	return Grouped(n) + " " + noun + "s"
}

// Grouped formats 1234567 as 1,234,567.
func Grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// Number formats f with four to six significant digits.
func Number(f float64) string {
	places, fixed := decimals(f)
	switch {
	case !floats.Finite(f):
		return "–"
	case f == 0:
		return "0.0000" // not negative zero
	case !fixed:
		return strconv.FormatFloat(f, 'e', 3, 64)
	}
	return strconv.FormatFloat(f, 'f', places, 64)
}

// decimals returns how many decimals of f to write. fixed is false if f is so small or large that
// it needs an exponent.
func decimals(f float64) (places int, fixed bool) {
	abs := math.Abs(f)
	switch {
	case abs == 0:
		return 4, true
	case !(abs >= 1e-4 && abs < 1e6):
		return 0, false
	case abs < 0.1:
		return 3 - elementary.Exponent10(abs), true
	case abs >= 10:
		return max(0, 4-elementary.Exponent10(abs)), true
	}
	return 4, true
}

// Weight formats a sum of weights, which usually is a whole number.
func Weight(f float64) string {
	if f == math.Trunc(f) && math.Abs(f) < 1e15 {
		return Grouped(int64(f))
	}
	return Number(f)
}

// Value formats the value of row with its interval, if it has one: preferably the confidence
// interval, which is far wider in practice. A value that is not finite becomes –, and a nil row
// becomes "".
func Value(row *report.Row) string {
	switch {
	case row == nil:
		return ""
	case row.Confidence.HasInterval() && floats.Finite(row.Value):
		return Around(row.Confidence, row.Value)
	case row.FiniteBounds() != nil && floats.Finite(row.Value):
		return aroundExact(row.Bounds, row.Value)
	case counts[row.Name] && floats.Finite(row.Value):
		return Weight(row.Value)
	}
	return Number(row.Value)
}

// Fixed formats a number with the decimals of a column of its own.
func Fixed(x float64, places int) string { return decimalsOf(places, x).text(x) }

// FixedLike formats a number with as many decimals as text has, which is another number of its column.
func FixedLike(x float64, text string) string {
	_, after, _ := strings.Cut(text, ".")
	return precision(len(after)).text(x)
}

// Marked returns the value of a row, and adds a star if the data do not define the metric completely.
func Marked(row *report.Row, value func(*report.Row) string) string {
	if row != nil && row.Undefined != "" && floats.Finite(row.Value) {
		return value(row) + "*"
	}
	return value(row)
}

// counts is the set of metrics that count something.
var counts = map[string]bool{
	"tp": true, "fp": true, "tn": true, "fn": true, "queries": true, "queries_without_relevant": true, "attempts": true, "judged_rows": true, "ratings": true,
}

// PValue formats a p-value with at least two significant digits; "" if it is unknown.
func PValue(p float64) string {
	switch {
	case math.IsNaN(p):
		return ""
	case p == 0:
		return "0"
	case p < 1e-4:
		return strconv.FormatFloat(p, 'e', 1, 64)
	case p < 0.01:
		return strconv.FormatFloat(p, 'f', 5, 64)
	}
	return strconv.FormatFloat(p, 'f', 3, 64)
}
