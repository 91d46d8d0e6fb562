// Package leaderboard is the model of comparisons of three or more systems. It also writes and reads
// their files.
package leaderboard

import (
	"slices"

	"github.com/beameval/beameval/internal/lists"
	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
)

// Most is the greatest number of systems of a leaderboard.
const Most = 50

// Leaderboard describes how the metrics of several systems differ.
type Leaderboard struct {
	Task string
	// Level is the confidence level of the intervals. A difference is significant if its adjusted
	// p-value is at most 1 − Level.
	Level  float64
	Adjust comparison.Adjustment
	// OverMetrics says that p-values are adjusted over the headline metrics as well as over the
	// systems, slices and labels of a metric.
	OverMetrics bool
	AllPairs    bool   // Differences are those of all pairs, not only those from the reference
	Reference   string // the name of a system
	// Systems are in the order in which they were given. With several data sets, a system has an
	// item for each of them.
	Systems []System
	// Headline lists the metrics that are ranked, overall and in slices, in the order in which they
	// are shown.
	Headline    []string
	Differences Differences
	Ranks       []Rank
	// DataSets are tests over several data sets, one for each metric; nil unless the reports are
	// grouped by data set.
	DataSets []DataSetsTest
	Gates    []Gate
	Warnings []string
}

// System is the report of a system, on one data set if there are several.
type System struct {
	Name     string `json:"name"`
	Path     string `json:"path"`           // of its report
	Data     string `json:"data,omitempty"` // its data set, if there are several
	Date     string `json:"date,omitempty"`
	Examples int64  `json:"examples"`
	Groups   int    `json:"groups"`
	// Pairing says how it was compared with the reference; it is empty for the reference.
	Pairing comparison.Pairing `json:"pairing,omitempty"`
}

// MaxT is the adjustment of Westfall and Young by the joint distribution of the largest of all
// test statistics. It controls the family-wise error rate.
const MaxT comparison.Adjustment = "maxt"

// Adjustments returns every adjustment of a leaderboard.
func Adjustments() []comparison.Adjustment { return append(comparison.Adjustments(), MaxT) }

// Rank is the place of a system among those that have a value of a metric in one slice, for one
// label. Several systems of which none is significantly better share a place.
type Rank struct {
	Metric string
	Slice  slice.Key
	Label  *string
	Data   string // the data set, if there are several
	System string
	Value  float64 // NaN if undefined or missing
	// ValueLow and ValueHigh are the confidence interval of Value alone; NaN if unknown.
	ValueLow, ValueHigh float64
	// Low is 1 + the number of systems that are significantly better, High the number of systems
	// that are not significantly worse, including this one. Both are 0 if there is no rank.
	Low, High    int
	TiedForFirst bool   // Low is 1
	Best         bool   // no value of this place is better
	Reason       string // why there is no rank, or why some other systems could not be compared
}

// DataSetsTest compares the ranks of all systems on several data sets by one metric (Demšar 2006).
type DataSetsTest struct {
	Metric string
	// MeanRanks are in the order of the names of systems. 1 is the best; systems with equal values
	// share the mean of their places.
	MeanRanks []MeanRank
	DataSets  int
	// ChiSquare is Friedman's, with DOF degrees of freedom and p-value PValue. CriticalDifference is
	// Nemenyi's: mean ranks that differ by more differ significantly. NaN if Reason says why not.
	ChiSquare, DOF, PValue, CriticalDifference float64
	Reason                                     string
}

// MeanRank is the mean of the ranks of a system over data sets; NaN if the test has a reason.
type MeanRank struct {
	System string
	Mean   float64
}

// Gate is the result of a gate for a system, which is compared with the reference.
type Gate struct {
	System string
	Data   string
	report.GateResult
}

// Failed returns the number of failed gates of all systems.
func (l *Leaderboard) Failed() int { return report.CountVerdicts(l.gates())[report.Fail] }

// gates returns the gates with metrics that are preceded by the system, for people.
func (l *Leaderboard) gates() []report.GateResult {
	return lists.Map(l.Gates, func(g Gate) report.GateResult {
		g.Metric = in(g.System, g.Data) + ": " + g.Metric
		return g.GateResult
	})
}

// in returns the name of a system on a data set.
func in(system, data string) string {
	if data == "" {
		return system
	}
	return system + " on " + data
}

// names returns the names of the systems, in their order.
func (l *Leaderboard) names() (names []string) {
	for i := range l.Systems {
		if name := l.Systems[i].Name; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// dataSets returns the names of the data sets in their order; the only one is "" if reports are not
// grouped.
func (l *Leaderboard) dataSets() (names []string) {
	for i := range l.Systems {
		if name := l.Systems[i].Data; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// place identifies a value of a system, or its difference from the reference.
type place struct {
	data, system string
	row          report.Row // its name, slice and label
}

func placeOf(data, metric string, key slice.Key, label *string, system string) place {
	return place{data, system, report.Row{Name: metric, Slice: key, Label: label}}
}

// index finds ranks, and differences from the reference, by their places.
type index struct {
	ranks map[[2]string][]*Rank // by data set and key of a row
	pairs map[[2]string][]*Pair // by data set and system
}

func (l *Leaderboard) index() *index {
	x := &index{map[[2]string][]*Rank{}, map[[2]string][]*Pair{}}
	for i := range l.Ranks {
		r := &l.Ranks[i]
		key := [2]string{r.Data, string((&report.Row{Name: r.Metric, Slice: r.Slice, Label: r.Label}).Key())}
		x.ranks[key] = append(x.ranks[key], r)
	}
	for _, p := range l.Differences.pairs {
		if p.SystemA == l.Reference {
			key := [2]string{p.Data, p.SystemB}
			x.pairs[key] = append(x.pairs[key], p)
		}
	}
	return x
}

// rank returns the rank of a place, or nil.
func (x *index) rank(at place) *Rank {
	for _, r := range x.ranks[[2]string{at.data, string(at.row.Key())}] {
		if r.System == at.system {
			return r
		}
	}
	return nil
}

// difference returns the difference of a place, or nil.
func (x *index) difference(at place) *Difference {
	for _, p := range x.pairs[[2]string{at.data, at.system}] {
		number, known := p.places.At(&at.row)
		if i, found := p.Find(number); known && found {
			return new(p.difference(i))
		}
	}
	return nil
}
