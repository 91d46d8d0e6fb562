package config

import (
	"math"
	"strconv"
	"strings"
)

// interval is the range of a number, parsed from a tag such as [1,10] or, without an upper bound,
// (0,).
type interval struct {
	low, high         float64 // high is infinite if there is no upper bound
	openLow, openHigh bool    // the bound itself is excluded
	words             string
}

func parseInterval(tag string) interval {
	low, high, _ := strings.Cut(tag[1:len(tag)-1], ",")
	r := interval{openLow: tag[0] == '(', openHigh: tag[len(tag)-1] == ')'}
	r.low, _ = strconv.ParseFloat(low, 64)
	var err error
	if r.high, err = strconv.ParseFloat(high, 64); err != nil {
		r.high = math.Inf(1)
	}
	r.words = map[bool]string{false: "at least ", true: "greater than "}[r.openLow] + low
	switch {
	case high != "" && !r.openLow && !r.openHigh:
		r.words = "from " + low + " to " + high
	case high != "":
		r.words += " and " + map[bool]string{false: "at most ", true: "less than "}[r.openHigh] + high
	}
	return r
}

// has reports whether a number is in the interval.
func (r interval) has(x float64) bool {
	return !(x < r.low || x > r.high || r.openLow && x == r.low || r.openHigh && x == r.high)
}

// String describes the interval in words: from 1 to 10.
func (r interval) String() string { return r.words }
