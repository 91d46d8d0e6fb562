package transforms

import (
	"fmt"
	"math"
	"slices"

	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/disparity"
)

// Groups asks how metrics differ between groups of examples, such as groups of people.
type Groups struct {
	// By is the column that says which group an example belongs to. Some slices must have its
	// values alone.
	By string
	// Reference is the group, as text, that the others are compared with; "" means none.
	Reference string
	// Metrics are names from Params.Metrics, of metrics of all labels together.
	Metrics []string
}

// groupValues holds the values of one metric by group.
type groupValues struct {
	disparity.Values
	overall *report.Row
	rows    []*report.Row // of the groups in which the metric is defined
}

// Names returns the names of the metrics that compare groups. Those of all groups follow Fairlearn.
func (g *Groups) Names() (names []string) {
	if g == nil {
		return nil
	}
	for _, c := range disparity.Combinations(g.Metrics) {
		names = append(names, c.Name)
	}
	for _, name := range g.Metrics {
		if g.Reference != "" {
			names = append(names, name+metrics.DifferenceToReference, name+metrics.RatioToReference)
		}
	}
	return names
}

// disparities returns the rows that compare groups, and warnings. c is nil without confidence
// intervals.
func (g *Groups) disparities(rows []report.Row, c *report.Grouping) (list []report.Row, warnings []string, err error) {
	if g == nil {
		return nil, nil, nil
	}
	found, names, warnings := g.find(rows)
	if g.Reference != "" && !slices.Contains(names, g.Reference) {
		return nil, nil, fmt.Errorf("groups: no row is in the reference group %s=%s: the groups are %s%s", quote.Visible(g.By), quote.Value(g.Reference), listLabels(names), meant(g.Reference, names))
	}
	for _, combined := range disparity.Combinations(g.Metrics) {
		list = append(list, combinedRow(&combined, found, c))
	}
	for _, values := range found {
		list = append(list, values.toReference(g.Reference, c)...)
	}
	return list, warnings, nil
}

// find returns the values of the metrics by group, and the names of the groups.
func (g *Groups) find(rows []report.Row) (found []*groupValues, names, warnings []string) {
	for _, name := range g.Metrics {
		found = append(found, &groupValues{Values: disparity.Values{Metric: name}})
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
			continue
		case len(row.Slice) != 1 || row.Slice[0].Column != g.By || row.Slice[0].Value == slice.Null():
			continue
		case math.IsNaN(row.Value):
			values.Left++
		default:
			values.rows, values.Groups = append(values.rows, row), append(values.Groups, groupValue(row))
		}
		if at > 0 { // list the groups only once
			continue
		}
		names = append(names, row.Slice[0].Value.AsText().Text())
		if row.Support < report.SmallGroup {
			warnings = append(warnings, fmt.Sprintf("groups: %s has a support of %d, below %d: comparisons with it say little", row.Slice, row.Support, report.SmallGroup))
		}
	}
	if len(names) < 2 {
		warnings = append(warnings, fmt.Sprintf("groups: column %q has fewer than two groups: there is nothing to compare", g.By))
	}
	slices.Sort(names)
	return found, names, warnings
}

// groupValue returns the value of a group.
func groupValue(row *report.Row) disparity.Group {
	g := disparity.Group{Value: row.Value, Replicates: row.Replicates, Folds: row.Groups}
	if c := row.Confidence; c != nil {
		g.Interval = &confidence.Interval{NoInterval: c.NoInterval, Warning: c.Warning}
	}
	return g
}

// combinedRow returns the row of a combination of metrics.
func combinedRow(c *disparity.Combination, found []*groupValues, g *report.Grouping) report.Row {
	var of []*disparity.Values
	for _, at := range c.Of {
		of = append(of, &found[at].Values)
	}
	row := report.Row{Name: c.Name, Support: found[c.Of[0]].overall.Support}
	fill(&row, c.Kind, of, g)
	return row
}

// fill sets the fields of a row that compare values.
func fill(row *report.Row, k *disparity.Kind, of []*disparity.Values, g *report.Grouping) {
	d := k.Compare(of)
	if g != nil {
		k.Assess(&d, of, g.Level)
	}
	row.Value, row.Undefined, row.Groups, row.Replicates = d.Value, d.Undefined, d.Folds, d.Replicates
	if d.Interval != nil {
		row.Confidence = confidenceOf(*d.Interval)
	}
}

// toReference returns one row for each other group, compared with the reference.
func (v *groupValues) toReference(reference string, g *report.Grouping) (list []report.Row) {
	at := slices.IndexFunc(v.rows, func(r *report.Row) bool { return r.Slice[0].Value.AsText() == slice.String(reference) })
	if reference == "" || at < 0 {
		return nil
	}
	for i, r := range v.rows {
		if i == at {
			continue
		}
		two := &disparity.Values{Metric: v.Metric, Groups: []disparity.Group{v.Groups[at], v.Groups[i]}}
		for _, k := range disparity.ToReference {
			row := report.Row{Name: v.Metric + k.Suffix, Slice: r.Slice, Support: r.Support}
			fill(&row, k, []*disparity.Values{two}, g)
			list = append(list, row)
		}
	}
	return list
}
