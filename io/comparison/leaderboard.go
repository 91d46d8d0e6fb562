package comparison

import (
	"slices"
	"sync"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/tabular"
	"github.com/beameval/beameval/io/slice"
)

// Most is the greatest number of systems of a leaderboard.
const Most = 50

// Leaderboard describes how the metrics of three or more systems differ, and ranks them.
type Leaderboard struct {
	Task string
	// Level is the confidence level of the intervals. A difference is significant if its adjusted
	// p-value is at most 1 − Level.
	Level  float64
	Adjust Adjustment
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
	Headline []string
	// Differences are those of each pair of systems, one pair after the other; there may be millions.
	Differences tabular.List[Difference]
	Ranks       []Rank
	// DataSets are tests over several data sets, one for each metric; nil unless the reports are
	// grouped by data set.
	DataSets []DataSetsTest
	Gates    []Gate
	Visible  []SystemVisible // what comparisons with the reference could have shown of headline metrics without a significant difference
	Warnings []string

	// placed are indices of the differences from the reference, by what ranks they belong to, once a document
	// has asked for them.
	placed  map[place]int
	placing sync.Once
}

// Difference is the difference between two systems: the value of SystemB minus that of SystemA.
type Difference struct {
	Change
	SystemA, SystemB string
	Data             string // the data set, if there are several
	// PPairedT and PRandomization are p-values of the paired t-test and of the randomization test
	// over single queries; NaN if unknown. They are not adjusted.
	PPairedT, PRandomization float64
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
	Pairing Pairing `json:"pairing,omitempty"`
}

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

// place identifies a value of a system; row is the key of a row.
type place struct{ data, system, row string }

func placeOf(data, system, metric string, key slice.Key, label *string) place {
	return place{data, system, report.KeyOf(metric, key, label)}
}

// difference returns the difference of a ranked system from the reference, or nil.
func (l *Leaderboard) difference(r *Rank) *Difference {
	l.placing.Do(func() {
		l.placed = make(map[place]int, len(l.Ranks))
		for i := range l.Ranks {
			r := &l.Ranks[i]
			l.placed[placeOf(r.Data, r.System, r.Metric, r.Slice, r.Label)] = -1
		}
		for i, d := range l.Differences.All() {
			if d.SystemA != l.Reference {
				continue
			}
			if at := placeOf(d.Data, d.SystemB, d.Name, d.Slice, d.Label); l.placed[at] < 0 {
				l.placed[at] = i
			}
		}
	})
	if i := l.placed[placeOf(r.Data, r.System, r.Metric, r.Slice, r.Label)]; i >= 0 {
		return l.Differences.At(i, new(Difference))
	}
	return nil
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

func (l *Leaderboard) kind() string { return "leaderboard" }

// GateResults returns the results of gates, whose metrics are preceded by the system.
func (l *Leaderboard) GateResults() []report.GateResult {
	return collections.Map(l.Gates, func(g Gate) report.GateResult {
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
func (l *Leaderboard) names() []string {
	return l.distinct(func(s *System) string { return s.Name })
}

// dataSets returns the names of the data sets in their order; the only one is "" if reports are not
// grouped.
func (l *Leaderboard) dataSets() []string {
	return l.distinct(func(s *System) string { return s.Data })
}

func (l *Leaderboard) distinct(of func(*System) string) (names []string) {
	for i := range l.Systems {
		if name := of(&l.Systems[i]); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
