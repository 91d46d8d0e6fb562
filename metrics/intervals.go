package metrics

import (
	"math"
	"slices"

	"github.com/beameval/beameval/metrics/confidence"
)

// IntervalOptions say how results become intervals.
type IntervalOptions struct {
	// Level is the probability with which an interval contains the true value.
	Level float64
	// Clustered says that a group has examples that depend on each other, such as those of a user;
	// Weighted, that examples have weights. In either case, a proportion is not one of independent
	// trials.
	Clustered, Weighted bool
	// Groups, if not nil, returns the numbers of groups that have positives and negatives of a
	// label. The label of a binary task is 0.
	Groups func(label int) (positive, negative int)
}

// Intervals returns the interval of each result in all. without has an element for each group that
// has examples: the results for all examples except those of the group, of the same metrics and
// labels in the same order.
func (p *Params) Intervals(o IntervalOptions, all []Result, without [][]Result) []confidence.Interval {
	scales := make(map[string]confidence.Scale)
	for c := range p.orNothing().chosen() {
		scales[c.full] = c.scale()
	}
	intervals, replicates := make([]confidence.Interval, len(all)), make([]float64, len(without))
	for i, r := range all {
		for group, results := range without {
			replicates[group] = results[i].Estimate()
		}
		e := confidence.Estimate{Value: r.Estimate(), Replicates: replicates, Scale: scales[r.Name], Rarer: math.MaxInt, HeavyTails: r.HeavyTails}
		if !o.Clustered && !o.Weighted {
			e.Trials = r.Trials
		}
		if o.Groups != nil && (r.Label >= 0 || p.Task == Binary) {
			e.Rarer = min(o.Groups(max(r.Label, 0)))
		}
		intervals[i] = e.Interval(o.Level)
	}
	return intervals
}

// Align shifts the results without each group, if they are Binned, by the difference that bins make
// to the result of all examples. whole holds the results of all examples computed with the same
// bins. After the shift, the results are comparable to those in all, from which the bias is
// estimated.
func (p *Params) Align(all, whole []Result, without [][]Result) {
	for i, r := range all {
		by := r.Estimate() - whole[i].Estimate()
		if by == 0 || math.IsNaN(by) || math.IsInf(by, 0) {
			continue
		}
		least, greatest := Bounds(r.Name)
		for _, results := range without {
			of := &results[i].Value
			*of = Value{Number: min(max(of.Estimate()+by, least), greatest), Undefined: of.Undefined}
		}
	}
}

// scale returns the scale of the errors of c. An average over labels is not a proportion of
// independent trials.
func (c choice) scale() confidence.Scale {
	if s := c.metric.scale; c.averaging() == "" || !s.IsProportion() {
		return s
	}
	return confidence.Logit
}

// Better says which values of a metric are better.
type Better uint8

// Which values are better.
const (
	Neither Better = iota // the metric describes the data, or it depends on them which values are better
	Higher
	Lower
	NearZero // on either side of 0
	NearOne
)

var betterNames = []string{"", "higher", "lower", "near 0", "near 1"}

// String returns the word for it in reports, such as "higher"; it is "" for Neither.
func (b Better) String() string { return nameOf(betterNames, b) }

// Target returns the number that values should be near. near is false if there is none.
func (b Better) Target() (target float64, near bool) {
	switch b {
	case NearZero:
		return 0, true
	case NearOne:
		return 1, true
	}
	return 0, false
}

// Direction returns which values of a metric, or of a disparity, are better, by the name of its
// results. It is Neither if there is no such metric.
func Direction(name string) Better {
	if m := metricOf(name); m != nil {
		return m.better
	}
	of, d := disparityOf(name)
	switch {
	case d == nil || !slices.ContainsFunc(taskNames, func(t taskName) bool { return compared(t.task, of) }):
		return Neither
	case d.better == Neither:
		return Direction(of)
	}
	return d.better
}

// Bounds returns the smallest and the largest value that a metric can have, by the name of its
// results. They are infinite if there is no bound, or no such metric.
func Bounds(name string) (least, greatest float64) {
	if m := metricOf(name); m != nil {
		return m.scale.Bounds()
	}
	return confidence.Identity.Bounds()
}

// metricOf returns the metric whose results have the given name, from the first task with one, or
// nil. A name means much the same in all tasks.
func metricOf(name string) *metric {
	for _, t := range taskNames {
		if found, _, _ := resolve(t.task, name, nil); len(found) > 0 {
			return found[0].metric
		}
	}
	return nil
}
