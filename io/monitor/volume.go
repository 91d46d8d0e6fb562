package monitor

import (
	"fmt"
	"math"

	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report/document"
)

// Volume compares the number of examples of the last night with nights before it.
type Volume struct {
	Date     string  `json:"date"`
	Examples int64   `json:"examples"`
	Nights   int     `json:"nights"` // before it, at the same place of the season
	Median   float64 `json:"median"` // of their numbers of examples, above 0
	Change   float64 `json:"change"` // as a share of the median
	Alarm    bool    `json:"alarm"`
}

// Text says how the number of examples has changed.
func (v *Volume) Text() string {
	word := "more"
	if v.Change < 0 {
		word = "fewer"
	}
	return fmt.Sprintf("%s has %s examples, %.3g %% %s than the median of %s before it, %v", document.Brief(v.Date), document.Grouped(v.Examples), 100*math.Abs(v.Change), word,
		document.Plural(int64(v.Nights), "night"), v.Median)
}

// alarm returns the alarm of the number of examples.
func (v *Volume) alarm() alarm {
	date := document.Brief(v.Date)
	return alarm{
		metric: "examples", verdict: "fewer", since: date, raised: date, change: signed(float64(v.Examples) - v.Median), last: document.Grouped(v.Examples),
		why: v.Text(), sentence: v.Text(),
	}
}

// json returns the volume in the form of monitor.json.
func (v *Volume) json() *Volume {
	if v == nil {
		return nil
	}
	valid := *v
	valid.Date = quote.Valid(v.Date)
	return &valid
}
