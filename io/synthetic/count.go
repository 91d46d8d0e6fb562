package synthetic

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ParseCount reads a whole number as people write large ones: 10000000, 10_000_000, 10M,
// 1e6, 1.5k.
func ParseCount(text string) (int64, error) {
	number := strings.ReplaceAll(text, "_", "")
	for suffix, exponent := range map[string]string{"k": "e3", "m": "e6", "g": "e9"} {
		if before, ok := strings.CutSuffix(strings.ToLower(number), suffix); ok {
			number = before + exponent
			break
		}
	}
	value, err := strconv.ParseFloat(number, 64)
	// ParseFloat also knows signs, hexadecimal numbers, infinities and NaN.
	if err != nil || strings.Trim(number, "0123456789.eE") != "" {
		return 0, fmt.Errorf("%q is not a count; write it like 10000000, 10M, 1e6 or 50k", text)
	}
	if value > 1<<53 {
		return 0, fmt.Errorf("%s is too large; the nearest is %d", text, int64(1)<<53)
	}
	if value != math.Trunc(value) {
		return 0, fmt.Errorf("%s is not a whole number; the nearest is %.0f", text, math.Round(value))
	}
	return int64(value), nil
}
