package report

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Limit is a number or, if Percent is set, a percentage of something else: of all rows, or of the
// value in another report.
type Limit struct {
	Value   float64
	Percent bool
}

// Of returns by how much a value may differ from baseline: infinitely without a limit. A percentage
// of 0 is NaN, because it would allow nothing.
func (l *Limit) Of(baseline float64) float64 {
	switch {
	case l == nil:
		return math.Inf(1)
	case !l.Percent:
		return l.Value
	case baseline == 0:
		return math.NaN()
	}
	return float64(l.Value*math.Abs(baseline)) / 100
}

// ValueIf returns the value of a limit of the requested kind, percentage or number; nil for the
// other kind and for no limit.
func (l *Limit) ValueIf(percent bool) *float64 {
	if l == nil || l.Percent != percent {
		return nil
	}
	return &l.Value
}

// Text returns the limit as written in a configuration, or "" if there is none.
func (l *Limit) Text() string {
	if l == nil {
		return ""
	}
	return l.String()
}

// String returns the limit as written in a configuration: 100 or 1%.
func (l Limit) String() string {
	text := GateNumber(&l.Value)
	if l.Percent {
		return text + "%"
	}
	return text
}

// ParsePercent parses a percentage such as 1%.
func ParsePercent(text string) (Limit, error) {
	percent, found := strings.CutSuffix(text, "%")
	x, err := strconv.ParseFloat(percent, 64)
	if !found || err != nil {
		return Limit{}, fmt.Errorf("expected a percentage such as 1%%, found %q", text)
	}
	return Limit{x, true}, nil
}

// MarshalJSON writes a number as such, and a percentage as a string.
func (l Limit) MarshalJSON() ([]byte, error) {
	if l.Percent {
		return json.Marshal(l.String())
	}
	return json.Marshal(l.Value)
}

// UnmarshalJSON reads the output of MarshalJSON.
func (l *Limit) UnmarshalJSON(data []byte) (err error) {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*l, err = ParsePercent(text)
		return err
	}
	l.Percent = false
	return json.Unmarshal(data, &l.Value)
}

// GateNumber writes all digits, because a rounded value could appear to be on the wrong side of a
// bound.
func GateNumber(x *float64) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'g', -1, 64)
}
