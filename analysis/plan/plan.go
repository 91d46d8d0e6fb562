// Package plan says what a finished report can show: how large a drop of a metric a comparison with it would
// show, and how many rows it takes to show a given one.
//
// Package power computes the numbers from the standard errors of differences. Differences are those that
// package comparison tests.
package plan

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/beameval/beameval/analysis/comparison"
	"github.com/beameval/beameval/internal/collections"
	changes "github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/plan"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/differences"
	"github.com/beameval/beameval/io/report/volume"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/power"
)

// Options say what is planned.
type Options struct {
	// Metrics are the names of the metrics, of all labels together and of each label. If there are none, it
	// takes the metrics that the report shows first.
	Metrics []string
	// Slice are the columns of the slices; without them, it takes all slices. All examples are always there.
	Slice []string
	// Drop is the size of a change for the worse; NaN if none is given.
	Drop float64
	// Power is the probability with which a drop is to be shown. Level is the confidence level; 0 takes the
	// report's.
	Power, Level float64
	// HalfWidth is half the width that intervals of prediction-powered means are to have, and LabelCost and JudgeCost
	// are the costs of a label and of a judgement; they are 0 if none is given.
	HalfWidth, LabelCost, JudgeCost float64
	// NightsToFalseAlarm and BurnIn are settings of the monitor that looks at the report's successors.
	NightsToFalseAlarm float64
	BurnIn             int
}

// Make plans differences of report r from a baseline or, if it is nil, from an independent report of equal
// size. nights are earlier reports, from which the variance between nights follows; there may be none.
func Make(r, baseline *report.Report, nights []*report.Report, o Options) (*plan.Plan, error) {
	if r.Confidence == nil {
		return nil, errors.New("the report has no standard errors: evaluate it with confidence in the configuration")
	}
	m := &maker{Plan: &plan.Plan{
		Task: r.Task, Level: cmp.Or(o.Level, r.Confidence.Level), Power: o.Power, Drop: o.Drop, Pairing: differences.Unpaired,
		HalfWidth: o.HalfWidth, LabelCost: o.LabelCost, JudgeCost: o.JudgeCost,
	}, r: r, o: o, examples: map[string]int64{}, better: map[string]metrics.Better{}}
	if chance := 1 - m.Level; o.Power <= chance {
		return nil, fmt.Errorf("the power is %v: a test of level %v shows a difference by chance with a probability of %.4g", o.Power, m.Level, chance)
	}
	if err := m.compareWith(baseline); err != nil {
		return nil, err
	}
	for _, row := range volume.Of(r, []string{volume.Support}) {
		m.examples[row.Slice.Encoded()] = row.Support
	}
	names, err := m.names()
	if err != nil {
		return nil, err
	}
	if err := m.checkSlice(); err != nil {
		return nil, err
	}
	m.Rows = m.rows(names)
	m.clusters()
	m.watch(nights)
	return m.Plan, m.labels()
}

// maker makes a plan.
type maker struct {
	*plan.Plan
	r        *report.Report
	o        Options
	changes  map[string]*differences.Change // from the baseline, by place; nil without one
	examples map[string]int64               // of each slice
	better   map[string]metrics.Better
	places   map[string]*report.Row // rows of the report; nil until labels are planned
}

// compareWith prepares the differences from a baseline, which may be nil.
func (m *maker) compareWith(baseline *report.Report) error {
	if baseline == nil {
		return nil
	}
	c, err := comparison.Compare(baseline, m.r, changes.BenjaminiHochberg)
	if err != nil {
		return err
	}
	m.Pairing = c.Pairing
	m.Warnings = collections.Map(c.Warnings, func(doubt string) string { return "the baseline, a, and this report, b: " + doubt })
	if m.Pairing == differences.Untested {
		return errors.New(strings.Join(m.Warnings, "; "))
	}
	m.changes = map[string]*differences.Change{}
	for i := range c.Changes {
		d := &c.Changes[i]
		m.changes[report.KeyOf(d.Name, d.Slice, d.Label)] = d
	}
	return nil
}

// names returns the names of the metrics to plan, those that matter most first.
func (m *maker) names() ([]string, error) {
	if len(m.o.Metrics) > 0 {
		return m.o.Metrics, nil
	}
	if found := report.HeadlinesOf(m.r); len(found) > 0 {
		return found, nil
	}
	return nil, errors.New("the report has no metric of all labels together: --metric names one of each label")
}

// family are the rows that a comparison adjusts together.
type family struct {
	name    string
	overall bool
}

// rows returns the rows of the metrics with the given names.
func (m *maker) rows(names []string) (list []plan.Row) {
	tested, of := map[family]int{}, map[family][]int{}
	for i := range m.r.Metrics {
		row := &m.r.Metrics[i]
		if !slices.Contains(names, row.Name) {
			continue
		}
		found := m.difference(row)
		f := family{row.Name, len(row.Slice) == 0}
		if found.StdError > 0 {
			tested[f]++
		}
		if m.shows(row) {
			of[f] = append(of[f], len(list))
			list = append(list, found)
		}
	}
	for f, members := range of {
		for _, i := range members {
			m.plan(&list[i], tested[f])
		}
	}
	slices.SortStableFunc(list, func(a, b plan.Row) int {
		return cmp.Or(a.Slice.Compare(b.Slice), cmp.Compare(slices.Index(names, a.Metric), slices.Index(names, b.Metric)))
	})
	return list
}

// shows reports whether the plan has a row.
func (m *maker) shows(row *report.Row) bool {
	columns := columnsOf(row.Slice)
	inSlice := len(columns) == 0 || len(m.o.Slice) == 0 || slices.Equal(columns, slices.Sorted(slices.Values(m.o.Slice)))
	return inSlice && (row.Label == nil || len(m.o.Metrics) > 0)
}

// checkSlice returns an error if the report has no slices by the columns that are asked for.
func (m *maker) checkSlice() error {
	if len(m.o.Slice) == 0 {
		return nil
	}
	var has []string
	for i := range m.r.Metrics {
		if columns := columnsOf(m.r.Metrics[i].Slice); len(columns) > 0 && !slices.Contains(has, strings.Join(columns, ",")) {
			has = append(has, strings.Join(columns, ","))
		}
	}
	asked := strings.Join(slices.Sorted(slices.Values(m.o.Slice)), ",")
	switch {
	case slices.Contains(has, asked):
		return nil
	case len(has) == 0:
		return fmt.Errorf("the report has no slices: evaluate it with slices: [[%s]]", asked)
	}
	return fmt.Errorf("the report has no slices by %s: it has slices by %s", quote.Value(asked), quote.List(has, 10, "%d more"))
}

func columnsOf(key slice.Key) []string {
	return collections.Map(key, func(p slice.Pair) string { return p.Column })
}

// plan completes a row of a family with so many tested differences.
func (m *maker) plan(row *plan.Row, tested int) {
	if math.IsNaN(row.StdError) {
		return
	}
	row.Level = 1 - (1-m.Level)/float64(max(tested, 1))
	if row.StdError > 0 {
		m.bySpread(row)
	} else {
		m.byNone(row)
	}
	if room := m.room(row); m.Drop > room {
		row.Needed, row.ClustersNeeded, row.Power = math.NaN(), math.NaN(), math.NaN()
		row.Reason = fmt.Sprintf("it can become worse by %.4g at most", room)
	} else if row.VisibleDrop > room {
		row.Reason = fmt.Sprintf("it can become worse by %.4g at most, so nothing would show", room)
	}
}

// bySpread plans a difference with a standard error.
func (m *maker) bySpread(row *plan.Row) {
	test := power.Test{Level: row.Level, DOF: row.DOF}
	row.VisibleDrop = test.Effect(row.StdError, m.Power)
	if m.Given() {
		row.Power = test.Power(m.Drop, row.StdError)
		row.Needed = test.Examples(float64(row.Examples), row.StdError, m.Drop, m.Power)
		row.ClustersNeeded = row.Clusters * (row.Needed / float64(row.Examples))
	}
}

// byNone plans a rate at its bound: nothing of what counts against the model was seen.
func (m *maker) byNone(row *plan.Row) {
	trials := m.trials(row)
	if math.IsNaN(trials) {
		return
	}
	row.VisibleDrop = power.NoneSeen(trials, row.Level)
	row.Reason = fmt.Sprintf("none seen in %.0f: rule of three", trials)
	if m.Given() {
		times := power.ExamplesWithNone(m.Drop, row.Level) / trials
		row.Needed, row.ClustersNeeded = times*float64(row.Examples), times*row.Clusters
	}
}

// room returns how much worse a value can become.
func (m *maker) room(row *plan.Row) float64 {
	least, greatest := metrics.Bounds(row.Metric)
	switch row.Direction {
	case differences.Drop:
		return row.Value - least
	case differences.Rise:
		return greatest - row.Value
	}
	return math.Inf(1)
}

// directionOf returns which values of a metric are better.
func (m *maker) directionOf(name string) metrics.Better {
	better, met := m.better[name]
	if !met {
		better = comparison.Direction(name, m.r, m.r)
		m.better[name] = better
	}
	return better
}
