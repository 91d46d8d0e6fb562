// Package monitor is the model of what many nightly reports show together: the trend of each metric,
// alarms, and drift. It also writes its files.
package monitor

import (
	"time"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
)

// Monitor is what the reports of many nights show. Unknown numbers are NaN.
type Monitor struct {
	Task  string
	Level float64 // of the intervals
	// Metrics are the metrics that are monitored, the first of a series first.
	Metrics []string
	// NightsToFalseAlarm is the expected number of nights until a false alarm, of all series
	// together, is at least this.
	NightsToFalseAlarm float64
	BurnIn, Season     int
	Nights             []Night // the oldest first
	Series             []Series
	Why                []Why // of the series of all examples that alarmed, by metric
	Bounds             []Bound
	Drift              []Drift
	LabelShift         []LabelShift
	Volume             *Volume // nil if there is nothing to compare with
	MissingDays        int     // days without a report, if reports are of every day
	Skipped            []Skipped
	Warnings           []string
}

// Night is one report.
type Night struct {
	Date     string // such as 2026-11-19 or, if a day has several reports, 2026-11-19 hour=03; unique
	At       time.Time
	Report   string // its location
	Model    string
	Examples int64
	// Segment counts the changes of configuration so far. Evidence begins anew with each segment.
	Segment int
	// Changed lists the options that differ from the night before, where a segment begins.
	Changed []string
}

// Series is a metric for one slice and label over the nights.
type Series struct {
	Metric string
	Slice  slice.Key
	Label  *string
	Values []Value
	// TwoSided says that neither higher nor lower values are better: the evidence is that the metric
	// changed. Otherwise it is that the metric became worse.
	TwoSided bool
	// Evidence is the evidence after the last night; an alarm is raised when it reaches Threshold.
	Evidence, Threshold float64
	Alarm               bool    // in the last segment, since what was acknowledged
	Since               string  // the night since which the metric is worse, or changed; "" without an alarm
	Change              float64 // of the mean since then, from the mean before; NaN without an alarm
	Reason              string  // why the series is not judged, or ""
}

// Value is the value of one night. Nights at which the metric is missing or undefined have none.
type Value struct {
	Night     int // its index in [Monitor.Nights]
	Value     float64
	Low, High float64 // of the interval, NaN if there is none
	P         float64 // NaN within the burn-in
	Evidence  float64 // NaN within the burn-in
}

// Bound is the judgement of a series against a fixed bound.
type Bound struct {
	Metric   string
	Slice    slice.Key
	Label    *string
	Min, Max *float64 // one of them is set
	// Mean is the mean over the nights, and Low and High are the ends of the confidence sequence
	// after the last night. There is an alarm if it excludes every allowed value.
	Mean, Low, High float64
	Alarm           bool
	Since           string // the night of the alarm
	Reason          string
}

// Drift is the change of a distribution, from the reference to the last night.
type Drift struct {
	Score string // "score", "target" or "prediction"
	Slice slice.Key
	Label *string
	// The distances between the two distributions.
	PSI, JensenShannon, Wasserstein, KSBound report.Estimate
}

// LabelShift is how much more frequent a class is on the last night than in the reference, estimated
// from the predicted classes; see package drift.
type LabelShift struct {
	Label  string
	Weight float64
}

// Skipped is a report that is left out: of all or, as the reason then says, of drift, label
// shift or why there was an alarm.
type Skipped struct {
	Report, Reason string
}
