package transforms

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/confidence"
)

// Groups asks how metrics differ between groups of examples, such as people.
type Groups struct {
	// By is the column that says of which group an example is. Slices have its values alone.
	By string
	// Reference is the group that the others are compared with, as text; "" is none.
	Reference string
	// Metrics are names of Params.Metrics, of all labels together.
	Metrics []string
}

// smallGroup is the support below which a report warns of a group.
const smallGroup = 30

// groupValues are the values of a metric by group.
type groupValues struct {
	name     string
	overall  *report.Row
	rows     []*report.Row // of the groups, where the metric is defined
	replaced [][]int32     // by row: the groups of examples that its replicates leave out
	left     int           // groups in which the metric is undefined
}

// combination is a number that is made of the values of some metrics by group, with their
// greatest and least values in mind.
type combination struct {
	name  string
	of    []int // places of metrics
	scale confidence.Scale
	value func(values [][]float64) float64
}

// What follows the name of a metric in the comparison of a group with the reference.
const (
	differenceToReference = "_difference_to_reference"
	ratioToReference      = "_ratio_to_reference"
)

// Names returns the names of the metrics that compare groups. Those of all examples are Fairlearn's.
func (g *Groups) Names() (names []string) {
	if g == nil {
		return nil
	}
	for _, c := range combinations(g.Metrics) {
		names = append(names, c.name)
	}
	for _, name := range g.Metrics {
		if g.Reference != "" {
			names = append(names, name+differenceToReference, name+ratioToReference)
		}
	}
	return names
}

func difference(values [][]float64) float64 {
	most := math.Inf(-1)
	for _, v := range values {
		most = max(most, slices.Max(v)-slices.Min(v))
	}
	return most
}

func ratio(values [][]float64) float64 {
	least := math.Inf(1)
	for _, v := range values {
		least = min(least, slices.Min(v)/slices.Max(v)) // NaN if both are 0
	}
	return least
}

// combinations returns what is reported of metrics with these names.
func combinations(base []string) (list []combination) {
	add := func(name string, of ...int) {
		if !slices.Contains(of, -1) {
			list = append(list, combination{name + "_difference", of, confidence.Identity, difference},
				combination{name + "_ratio", of, confidence.Log, ratio})
		}
	}
	place := func(name string) int { return slices.Index(base, name) }
	add("demographic_parity", place("predicted_positive_rate"))
	add("equalized_odds", place("recall"), place("fpr"))
	add("equal_opportunity", place("recall"))
	for i, name := range base {
		add(name, i)
		list = append(list,
			combination{name + "_group_max", []int{i}, confidence.Identity, func(v [][]float64) float64 { return slices.Max(v[0]) }},
			combination{name + "_group_min", []int{i}, confidence.Identity, func(v [][]float64) float64 { return slices.Min(v[0]) }})
	}
	return list
}

// disparities returns the rows that compare groups, and warnings. c is nil without confidence.
func (g *Groups) disparities(rows []report.Row, c *report.Grouping) (list []report.Row, warnings []string, err error) {
	if g == nil {
		return nil, nil, nil
	}
	found, names, warnings := g.find(rows, c)
	if g.Reference != "" && !slices.Contains(names, g.Reference) {
		return nil, nil, fmt.Errorf("groups: no row is in the reference group %s=%s: the groups are %s%s", quote.Visible(g.By), quote.Value(g.Reference), listLabels(names), meant(g.Reference, names))
	}
	for _, combined := range combinations(g.Metrics) {
		of := make([]*groupValues, len(combined.of))
		for i, at := range combined.of {
			of[i] = found[at]
		}
		list = append(list, combined.row(of, c))
	}
	for _, values := range found {
		list = append(list, values.toReference(g.Reference, c)...)
	}
	return list, warnings, nil
}

// find returns the values of the metrics by group, and the names of the groups.
func (g *Groups) find(rows []report.Row, c *report.Grouping) (found []*groupValues, names, warnings []string) {
	leftOut := map[string][]int32{}
	if c != nil {
		for _, s := range c.Slices {
			leftOut[string(s.Slice.AppendBinary(nil))] = s.Groups
		}
	}
	for _, name := range g.Metrics {
		found = append(found, &groupValues{name: name})
	}
	for i := range rows {
		row := &rows[i]
		at := slices.Index(g.Metrics, row.Name)
		if at < 0 || row.Label != nil {
			continue
		}
		values := found[at]
		switch {
		case len(row.Slice) == 0:
			values.overall = row
		case len(row.Slice) != 1 || row.Slice[0].Column != g.By || row.Slice[0].Value == slice.Null():
		case math.IsNaN(row.Value):
			values.left++
		default:
			values.rows = append(values.rows, row)
			values.replaced = append(values.replaced, leftOut[string(row.Slice.AppendBinary(nil))])
		}
		if at > 0 || len(row.Slice) != 1 || row.Slice[0].Column != g.By || row.Slice[0].Value == slice.Null() {
			continue
		}
		names = append(names, row.Slice[0].Value.AsText().Text())
		if row.Support < smallGroup {
			warnings = append(warnings, fmt.Sprintf("groups: %s has a support of %d, below %d: comparisons with it say little", row.Slice, row.Support, smallGroup))
		}
	}
	if len(names) < 2 {
		warnings = append(warnings, fmt.Sprintf("groups: column %q has %d groups: there is nothing to compare", g.By, len(names)))
	}
	slices.Sort(names)
	return found, names, warnings
}

// row returns the row of a combination.
func (c *combination) row(of []*groupValues, g *report.Grouping) report.Row {
	row := report.Row{Name: c.name, Value: math.NaN(), Support: of[0].overall.Support}
	values := make([][]float64, len(of))
	for i, v := range of {
		if len(v.rows) == 0 {
			row.Undefined = fmt.Sprintf("%s is undefined in all groups", v.name)
			return row
		}
		if v.left > 0 {
			row.Undefined = fmt.Sprintf("%s is undefined in %d groups", v.name, v.left)
		}
		for _, r := range v.rows {
			values[i] = append(values[i], r.Value)
		}
	}
	if row.Value = c.value(values); math.IsNaN(row.Value) || math.IsInf(row.Value, 0) {
		row.Value, row.Undefined = math.NaN(), "the greatest value is 0"
	}
	assessed(&row, of, g, c.scale, c.value)
	return row
}

// toReference returns the rows of each other group, compared with the reference.
func (v *groupValues) toReference(reference string, g *report.Grouping) (list []report.Row) {
	at := slices.IndexFunc(v.rows, func(r *report.Row) bool { return r.Slice[0].Value.AsText() == slice.String(reference) })
	if reference == "" || at < 0 {
		return nil
	}
	for i, r := range v.rows {
		if i == at {
			continue
		}
		two := []*groupValues{{name: v.name, rows: []*report.Row{v.rows[at], r}, replaced: [][]int32{v.replaced[at], v.replaced[i]}}}
		add := func(suffix string, scale confidence.Scale, value func(of, reference float64) float64) {
			of := func(values [][]float64) float64 { return value(values[0][1], values[0][0]) }
			row := report.Row{Name: v.name + suffix, Slice: r.Slice, Support: r.Support, Value: value(r.Value, v.rows[at].Value)}
			if math.IsNaN(row.Value) || math.IsInf(row.Value, 0) {
				row.Value, row.Undefined = math.NaN(), "the value of the reference is 0"
			}
			assessed(&row, two, g, scale, of)
			list = append(list, row)
		}
		add(differenceToReference, confidence.Identity, func(x, reference float64) float64 { return x - reference })
		add(ratioToReference, confidence.Log, func(x, reference float64) float64 { return x / reference })
	}
	return list
}

// assessed adds replicates and confidence to a row: without the examples of a group of the
// jackknife, it is made of the values without them.
func assessed(row *report.Row, of []*groupValues, g *report.Grouping, scale confidence.Scale, value func([][]float64) float64) {
	if g == nil || slices.ContainsFunc(of, (*groupValues).unassessed) {
		return
	}
	at := slices.IndexFunc(g.Slices, func(s report.SliceGroups) bool { return slices.Equal(s.Slice, row.Slice) })
	if at < 0 {
		return
	}
	groups := g.Slices[at].Groups
	e := confidence.Estimate{Value: row.Value, Scale: scale, Rarer: confidence.MinGroups}
	if row.Slice != nil { // the examples of the reference vary, too
		groups = union(slices.Clone(of[0].replaced[0]), of[0].replaced[1])
	}
	for _, group := range groups {
		values := make([][]float64, len(of))
		for i, v := range of {
			values[i] = v.without(group)
		}
		x := value(values)
		if math.IsInf(x, 0) {
			x = math.NaN()
		}
		e.Replicates = append(e.Replicates, x)
	}
	for _, v := range of {
		for i, r := range v.rows {
			if changing(r) < confidence.MinGroups {
				e.Rarer = 0
			}
			if len(v.replaced[i]) < confidence.MinGroups {
				e.Replicates = e.Replicates[:min(len(e.Replicates), len(v.replaced[i]))]
			}
		}
	}
	found := e.Interval(g.Level)
	row.Confidence = &report.Confidence{
		Low: found.Low, High: found.High, StdError: found.StdError, DOF: found.DOF,
		Groups: found.Groups, Method: found.Method, NoInterval: found.NoInterval,
	}
	if row.Slice == nil && len(e.Replicates) == len(groups) { // those of a slice have the groups of the slice
		row.Replicates = e.Replicates
	}
}

// unassessed says whether some values have no replicates.
func (v *groupValues) unassessed() bool {
	return slices.ContainsFunc(v.rows, func(r *report.Row) bool { return r.Confidence == nil })
}

// without returns the values without the examples of a group of the jackknife: those of groups of
// people that have none there are what they are.
func (v *groupValues) without(group int32) []float64 {
	values := make([]float64, len(v.rows))
	for i, r := range v.rows {
		values[i] = r.Value
		if at, has := slices.BinarySearch(v.replaced[i], group); has && at < len(r.Replicates) {
			values[i] = r.Replicates[at]
		}
	}
	return values
}

// changing returns how many replicates of a row differ from its value: a group without examples
// of a class does not change a rate of that class.
func changing(r *report.Row) (n int) {
	for _, x := range r.Replicates {
		if x != r.Value {
			n++
		}
	}
	return n
}

// defaultGroupMetrics are the metrics by which groups are compared in a binary task.
var defaultGroupMetrics = []string{"accuracy", "fnr", "fpr", "predicted_positive_rate", "recall"}

// GroupMetrics returns the names of the metrics by which groups are compared: those that are
// asked for besides the usual ones of binary tasks.
func GroupMetrics(task metrics.Task, asked []string) []string {
	names := slices.Clone(asked)
	if task == metrics.Binary {
		names = append(names, defaultGroupMetrics...)
	}
	slices.SortFunc(names, strings.Compare)
	return slices.Compact(names)
}
