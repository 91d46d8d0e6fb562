package comparison

import (
	"fmt"
	"math"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/multiplecomparisons"
)

// byDataSet returns the systems of each data set, in the order in which the first has them. It is an
// error if a system lacks a data set or has one twice.
func byDataSet(systems []System) ([][]System, error) {
	var names, data []string
	at := map[[2]string]System{}
	for _, s := range systems {
		key := [2]string{s.Name, s.Data}
		if other, met := at[key]; met {
			if s.Data == "" {
				return nil, fmt.Errorf("two reports are of system %s: %s and %s", quote.Value(s.Name), other.Path, s.Path)
			}
			return nil, fmt.Errorf("two reports are of system %s on data set %s: %s and %s; set report.model and report.data in their configurations", quote.Value(s.Name), quote.Value(s.Data), other.Path, s.Path)
		}
		at[key] = s
		if !slices.Contains(names, s.Name) {
			names = append(names, s.Name)
		}
		if !slices.Contains(data, s.Data) {
			data = append(data, s.Data)
		}
	}
	sets := make([][]System, len(data))
	for i, set := range data {
		for _, name := range names {
			s, met := at[[2]string{name, set}]
			if !met {
				return nil, fmt.Errorf("system %s has no report on data set %s: every system needs one on each of the %d data sets", quote.Value(name), quote.Value(set), len(data))
			}
			sets[i] = append(sets[i], s)
		}
	}
	return sets, nil
}

// overDataSets adds a test over data sets for each headline metric.
func overDataSets(l *comparison.Leaderboard, sets [][]System) {
	names := collections.Map(sets[0], func(s System) string { return s.Name })
	for _, metric := range l.Headline {
		t := comparison.DataSetsTest{Metric: metric, DataSets: len(sets), ChiSquare: math.NaN(), DOF: math.NaN(), PValue: math.NaN(), CriticalDifference: math.NaN()}
		values, reason := losses(metric, sets)
		ranks := slices.Repeat([]float64{math.NaN()}, len(names))
		if t.Reason = reason; reason == "" {
			ranks, t.ChiSquare, t.DOF, t.PValue = multiplecomparisons.Friedman(values, false)
			t.CriticalDifference = multiplecomparisons.CriticalDifference(1-l.Level, len(names), len(sets), math.Inf(1))
		}
		for i, name := range names {
			t.MeanRanks = append(t.MeanRanks, comparison.MeanRank{System: name, Mean: ranks[i]})
		}
		l.DataSets = append(l.DataSets, t)
	}
}

// losses returns a number for each data set and system that is lower for better values of a metric,
// or the reason for which one is unknown.
func losses(metric string, sets [][]System) (values [][]float64, reason string) {
	for _, set := range sets {
		better := Direction(metric, set[0].Report, set[1].Report)
		if better == metrics.Neither {
			return nil, NoDirection
		}
		row := make([]float64, len(set))
		for i, s := range set {
			row[i] = math.NaN()
			for j := range s.Report.Metrics {
				if r := &s.Report.Metrics[j]; r.Name == metric && len(r.Slice) == 0 && r.Label == nil {
					row[i] = better.Loss(r.Value)
				}
			}
			if !floats.Finite(row[i]) {
				return nil, fmt.Sprintf("%s has no value on %s", quote.Visible(s.Name), quote.Visible(s.Data))
			}
		}
		values = append(values, row)
	}
	return values, ""
}
