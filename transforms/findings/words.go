package findings

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/beameval/beameval/internal/elementary"
)

// mostPlaces is the largest number of decimals.
const mostPlaces = 6

// plusMinus writes a difference and half the width of its interval, such as "−0.13 ± 0.04", and returns the number of decimals.
// What is shown covers the interval, and is as far from 0.
func plusMinus(difference, half float64) (text string, places int) {
	if places = 2; half > 0 {
		places = min(max(-elementary.Exponent10(half), 0), mostPlaces)
	}
	if half < 1 {
		places = max(places, 2)
	}
	for ; ; places++ {
		width := math.Ceil(float64(half*math.Pow10(places))-1e-6) / math.Pow10(places)
		shown, err := strconv.ParseFloat(strconv.FormatFloat(difference, 'f', places, 64), 64)
		if places >= mostPlaces || err != nil || math.Abs(shown) > width || !(math.Abs(difference) > half) {
			return sign(difference) + number(difference, places) + " ± " + number(width, places), places
		}
	}
}

// sign returns the sign to write before a number that is not negative.
func sign(x float64) string {
	if x < 0 {
		return ""
	}
	return "+"
}

// number writes a number with a fixed number of decimals.
func number(x float64, places int) string {
	return strings.Replace(strconv.FormatFloat(x+0, 'f', places, 64), "-", "−", 1)
}

// within writes a value with its interval.
func within(value, low, high float64) string {
	_, places := plusMinus(high-low, (high-low)/2)
	return number(value, places) + " [" + number(low, places) + ", " + number(high, places) + "]"
}

// percent writes a share.
func percent(share float64) string {
	switch {
	case share < 0.001:
		return "less than 0.1 %"
	case share < 0.01:
		return strconv.FormatFloat(100*share, 'f', 1, 64) + " %"
	}
	return strconv.FormatFloat(100*share, 'f', 0, 64) + " %"
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// list joins words with commas and "and".
func list(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}
