// Package floats says which float64s can be written as JSON, and how, and orders numbers with NaN last.
package floats

import (
	"cmp"
	"math"
	"strconv"
)

// JSON returns f as JSON, or "" if JSON cannot represent it.
func JSON(f float64) string {
	if !Finite(f) {
		return ""
	}
	return string(AppendJSON(nil, f))
}

// CompareLast compares numbers, with NaN last.
func CompareLast(a, b float64) int {
	if math.IsNaN(a) || math.IsNaN(b) {
		return cmp.Compare(b, a)
	}
	return cmp.Compare(a, b)
}

// AppendJSON appends f in the format of encoding/json, which is ECMAScript's; or null if JSON
// cannot represent it.
func AppendJSON(dst []byte, f float64) []byte {
	if !Finite(f) {
		return append(dst, "null"...)
	}
	f += 0 // avoid negative zero
	if abs := math.Abs(f); abs == 0 || abs >= 1e-6 && abs < 1e21 {
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	if n := len(dst); string(dst[n-4:n-1]) == "e-0" {
		dst = append(dst[:n-2], dst[n-1]) // e-09 becomes e-9
	}
	return dst
}

// Finite reports whether f can be written as a JSON number.
func Finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
