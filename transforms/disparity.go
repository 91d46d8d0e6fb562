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
	"github.com/beameval/beameval/metrics/disparity"
)

// grouping is a set of columns that form groups.
type grouping struct {
	columns   []string  // sorted, as in slices
	reference slice.Key // as it is written; nil if there is none
	suffix    string    // of the names of disparities of all groups
	metrics   []string
	least     int64 // support of a group that is compared
}

// groupings returns the sets of columns that form groups.
func groupings(g *Groups) (list []grouping) {
	for _, columns := range slice.Crossed(g.By) {
		one := grouping{columns: slices.Sorted(slices.Values(columns)), metrics: g.Metrics, least: g.MinSupport}
		if len(g.By) > 1 {
			one.suffix = metrics.GroupsBy(columns)
		}
		for _, c := range one.columns {
			if group, ok := g.Reference[c]; ok {
				one.reference = append(one.reference, slice.Pair{Column: c, Value: slice.String(group)})
			}
		}
		if len(one.reference) < len(columns) {
			one.reference = nil
		}
		list = append(list, one)
	}
	return list
}

// groupValues holds the values of one metric by group.
type groupValues struct {
	disparity.Values
	overall   *report.Row
	rows      []*report.Row // of the groups that are compared, as Groups
	reference *report.Row   // nil if the metric is undefined in it
}

// GroupMetrics returns the names of the metrics that compare groups. Names of comparisons among all
// groups follow Fairlearn. g may be nil.
func GroupMetrics(g *Groups) (names []string) {
	if g == nil {
		return nil
	}
	for _, one := range groupings(g) {
		for _, c := range disparity.Combinations(g.Metrics) {
			names = append(names, c.Name+one.suffix)
		}
	}
	for _, name := range g.Metrics {
		if len(g.Reference) > 0 {
			names = append(names, name+metrics.DifferenceToReference, name+metrics.RatioToReference)
		}
	}
	return names
}

// disparities returns the rows that compare groups, and warnings. c is nil without confidence
// intervals.
func disparities(g *Groups, rows []report.Row, c *report.Folding) (list []report.Row, warnings []string, err error) {
	if g == nil {
		return nil, nil, nil
	}
	for _, one := range groupings(g) {
		more, others, err := one.disparities(rows, c)
		if err != nil {
			return nil, nil, err
		}
		list, warnings = append(list, more...), append(warnings, others...)
	}
	return list, warnings, nil
}

func (g *grouping) disparities(rows []report.Row, c *report.Folding) (list []report.Row, warnings []string, err error) {
	found, names, warnings := g.find(rows)
	isReference := func(r report.Row) bool { return r.Slice.AreWritten(g.reference) }
	if asked := nameOf(g.reference); g.reference != nil && !slices.ContainsFunc(rows, isReference) {
		reference := asked
		if len(g.columns) == 1 {
			reference = quote.Visible(g.columns[0]) + "=" + quote.Value(asked)
		}
		return nil, nil, fmt.Errorf("groups: no row is in the reference group %s: the groups are %s%s", reference, listLabels(names), meant(asked, names))
	}
	for _, combined := range disparity.Combinations(g.metrics) {
		row := combinedRow(&combined, found, c)
		row.Name += g.suffix
		list = append(list, row)
	}
	for _, values := range found {
		list = append(list, values.toReference(c)...)
	}
	return list, warnings, nil
}

// has reports whether a slice is a group: a slice without nulls.
func (g *grouping) has(key slice.Key) bool {
	return slices.EqualFunc(key, g.columns, func(p slice.Pair, column string) bool { return p.Column == column && p.Value != slice.Null() })
}

// textOf returns a slice with its values as text.
func textOf(key slice.Key) slice.Key {
	text := slices.Clone(key)
	for i := range text {
		text[i].Value = text[i].Value.AsText()
	}
	return text
}

// nameOf returns the name of a group: the value of its column if there is only one.
func nameOf(key slice.Key) string {
	if len(key) == 1 {
		return key[0].Value.AsText().Text()
	}
	return textOf(key).String()
}

// find returns the values of the metrics by group, and the names of the groups.
func (g *grouping) find(rows []report.Row) (found []*groupValues, names, warnings []string) {
	for _, name := range g.metrics {
		found = append(found, &groupValues{Values: disparity.Values{Metric: name}})
	}
	for i := range rows {
		row := &rows[i]
		at := slices.Index(g.metrics, row.Name)
		if at < 0 || row.Label != nil {
			continue
		}
		values := found[at]
		switch {
		case len(row.Slice) == 0:
			values.overall = row
			continue
		case !g.has(row.Slice):
			continue
		}
		if g.reference != nil && !math.IsNaN(row.Value) && row.Slice.AreWritten(g.reference) {
			values.reference = row
		}
		switch {
		case math.IsNaN(row.Value):
			values.Left++
		case row.Support < g.least:
			values.Small++
		default:
			values.rows, values.Groups = append(values.rows, row), append(values.Groups, groupValue(row))
		}
		if at > 0 { // list the groups only once
			continue
		}
		names = append(names, nameOf(row.Slice))
		switch {
		case row.Support < g.least:
			warnings = append(warnings, fmt.Sprintf("groups: %s has a support of %d, below min_support: %d: it is not compared", row.Slice, row.Support, g.least))
		case row.Support < report.SmallGroup:
			warnings = append(warnings, fmt.Sprintf("groups: %s has a support of %d, below %d: comparisons with it say little", row.Slice, row.Support, report.SmallGroup))
		}
	}
	if len(names) < 2 {
		warnings = append(warnings, fmt.Sprintf("groups: column %q has fewer than two groups: there is nothing to compare", strings.Join(g.columns, ", ")))
	}
	slices.Sort(names)
	return found, names, warnings
}

// groupValue returns the value of a group.
func groupValue(row *report.Row) disparity.Group {
	g := disparity.Group{Value: row.Value, Replicates: row.Replicates, Folds: row.Folds}
	if c := row.Confidence; c != nil {
		g.Interval = &confidence.Interval{NoInterval: confidence.Untestable(c.Method, c.NoInterval), Warning: c.Warning}
	}
	return g
}

// combinedRow returns the row of a combination of metrics.
func combinedRow(c *disparity.Combination, found []*groupValues, g *report.Folding) report.Row {
	var of []*disparity.Values
	for _, at := range c.Of {
		of = append(of, &found[at].Values)
	}
	row := report.Row{Name: c.Name, Support: found[c.Of[0]].overall.Support}
	fill(&row, c.Kind, of, g)
	return row
}

// fill sets the fields of a row that compare values.
func fill(row *report.Row, k *disparity.Kind, of []*disparity.Values, g *report.Folding) {
	d := k.Compare(of)
	if g != nil {
		k.Assess(&d, of, g.Level)
	}
	row.Value, row.Undefined, row.Folds, row.Replicates = d.Value, d.Undefined, d.Folds, d.Replicates
	if d.Interval != nil {
		row.Confidence = confidenceOf(*d.Interval)
	}
}

// toReference returns one row for each other group, compared with the reference.
func (v *groupValues) toReference(g *report.Folding) (list []report.Row) {
	if v.reference == nil {
		return nil
	}
	reference := groupValue(v.reference)
	for i, r := range v.rows {
		if r == v.reference {
			continue
		}
		two := &disparity.Values{Metric: v.Metric, Groups: []disparity.Group{reference, v.Groups[i]}}
		for _, k := range disparity.ToReference {
			row := report.Row{Name: v.Metric + k.Suffix, Slice: r.Slice, Support: r.Support}
			fill(&row, k, []*disparity.Values{two}, g)
			list = append(list, row)
		}
	}
	return list
}
