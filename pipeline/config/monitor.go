package config

import (
	"fmt"
	"slices"
)

// Monitor says what beameval monitor looks at in finished reports, and when it raises an alarm.
type Monitor struct {
	// The metrics that are monitored. If the list is empty, they are the metrics that the newest report shows first.
	Metrics []string `key:"metrics" default:"[]"`
	// Whether each slice is monitored, or only all examples.
	Slices string `key:"slices" values:"each none" default:"each"`
	// How many nights pass, in the mean, until a false alarm of any metric, slice or label.
	NightsToFalseAlarm float64 `key:"nights_to_false_alarm" default:"365" range:"(1,)"`
	// How many nights only serve as a reference.
	BurnIn int `key:"burn_in" default:"14" range:"[14,100000]"`
	// The number of days after which values repeat, such as 7; 0 for none. Each night is then compared
	// with the mean of the earlier nights at the same place in the season.
	Season int `key:"season" default:"0" range:"[0,366]"`
	// What share of its examples the last night may lose, compared with the median of the last four nights at the
	// same place in the season: from it on, there is an alarm. More than 20% is a warning.
	MaxVolumeDrop float64 `key:"max_volume_drop" form:"share" default:"40%" range:"(0,1]"`
	// What the mean of a metric over the nights must be. An alarm is raised if it is surely not.
	Bounds []MonitorBound `key:"bounds"`
}

// Values of Monitor.Slices.
const monitorEach = "each"

// EachSlice reports whether each slice is monitored.
func (m *Monitor) EachSlice() bool { return m.Slices == monitorEach }

// MonitorBound is a bound of the mean of a metric over the nights.
type MonitorBound struct {
	// A metric that the reports have.
	Metric string `key:"metric" json:"metric"`
	// The slice with these values of columns, such as {country: de}, or each: every slice but the
	// overall one. Without it, the bound is on the slice of all examples.
	Slice GateSlice `key:"slice" json:"slice,omitzero"`
	// The label, for a metric that each label has. Without it, it is the metric of all labels together.
	Label string `key:"label" form:"label" json:"label,omitempty"`
	// The least mean; or set max.
	Min *float64 `key:"min" form:"share" json:"min,omitempty"`
	// The greatest mean; or set min.
	Max *float64 `key:"max" form:"share" json:"max,omitempty"`
}

// Gate returns the gate with the same limit.
func (b *MonitorBound) Gate() Gate {
	return Gate{Metric: b.Metric, Slice: b.Slice, Label: b.Label, Min: b.Min, Max: b.Max}
}

// ParseMonitor reads what to monitor from the text of a configuration file. It checks only that, and
// not whether reports have its metrics, slices and labels.
func ParseMonitor(data []byte, filename string) (*Config, error) {
	return parsePart(data, filename, (*validator).monitorAlone)
}

// monitorAlone checks no other key than monitor.
func (v *validator) monitorAlone() {
	defaults := Default()
	keys := v.Config.keys()
	at := slices.IndexFunc(keys, func(k key) bool { return k.name == "monitor" })
	v.keys("", keys[at:at+1], defaults.keys()[at:at+1])
	v.monitor()
}

// monitor checks what tags cannot express. It does not check slices and labels: the finished reports may have other
// configurations.
func (v *validator) monitor() {
	m := &v.Monitor
	v.distinct("monitor.metrics", m.Metrics)
	v.failIf(m.Season == 1, "monitor.season", "must be 0 or at least 2 days, is 1")
	for i := range m.Bounds {
		b, path := &m.Bounds[i], fmt.Sprintf("monitor.bounds[%d]", i)
		v.failIf(b.Metric == "", path, "needs a metric")
		v.failIf((b.Min == nil) == (b.Max == nil), path, "needs min or max, and not both")
		v.ends(path, b.Min, b.Max)
	}
}
