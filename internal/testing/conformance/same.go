package conformance

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/beameval/beameval/io/columns"
)

// same reports whether a value that was read is the value of another library, which spells it.
func same(got, want any, field columns.Field) bool {
	if got == nil || want == nil {
		return got == nil && want == nil
	}
	if list, is := got.([]any); is {
		wanted, is := want.([]any)
		if !is || len(list) != len(wanted) {
			return false
		}
		for i := range list {
			if !same(list[i], wanted[i], field) {
				return false
			}
		}
		return true
	}
	switch got := got.(type) {
	case float64:
		return sameFloat(got, spelled(want))
	case int64:
		return strconv.FormatInt(got, 10) == whole(want, field)
	case string:
		return got == spelled(want)+suffixOf(field)
	}
	return false
}

// suffixOf returns what beameval writes behind a timestamp of an INT96, which Impala, Hive and Spark mean in UTC. Other
// libraries leave the zone open.
func suffixOf(field columns.Field) string {
	if strings.HasSuffix(strings.TrimSuffix(field.Physical, ">"), "(int96)") {
		return "Z"
	}
	return ""
}

// spelled returns the text of a value. Each rune of a string is a byte.
func spelled(v any) string {
	switch v := v.(type) {
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		return v.String()
	case string:
		bytes := make([]byte, 0, len(v))
		for _, r := range v {
			bytes = append(bytes, byte(r))
		}
		return string(bytes)
	}
	return ""
}

// whole returns the text of an integer, or of a truth value as one.
func whole(v any, field columns.Field) string {
	text := spelled(v)
	if field.Type != columns.Bool {
		return text
	}
	switch strings.ToLower(text) {
	case "true":
		return "1"
	case "false":
		return "0"
	}
	return text
}

func sameFloat(got float64, want string) bool {
	unsigned := strings.TrimLeft(want, "+-")
	if strings.EqualFold(unsigned, "nan") {
		return math.IsNaN(got)
	}
	x, err := strconv.ParseFloat(want, 64)
	return err == nil && math.Float64bits(x) == math.Float64bits(got)
}
