package report

import (
	"maps"
	"slices"

	"github.com/beameval/beameval/io/slice"
)

// Suffixes of the names of metrics that compare groups.
const (
	DifferenceToReference = "_difference_to_reference"
	groupMin              = "_group_min"
	groupMax              = "_group_max"
)

// SmallGroup is the support below which a group says little about its people.
const SmallGroup = 30

// Group holds the results of a group of people.
type Group struct {
	Slice   slice.Key
	Support int64           // the largest of the rows
	Rows    map[string]*Row // by name; of all labels together
}

// ComparedMetrics returns the names of the metrics that a report compares between groups, sorted.
func (r *Report) ComparedMetrics() []string {
	names, found := map[string]bool{}, map[string]bool{}
	for i := range r.Metrics {
		if row := &r.Metrics[i]; len(row.Slice) == 0 && row.Label == nil {
			names[row.Name] = true
		}
	}
	for name := range names {
		if names[name+groupMin] && names[name+groupMax] {
			found[name] = true
		}
	}
	return slices.SortedFunc(maps.Keys(found), CompareNames)
}

// Groups returns the groups that the values of a column form, sorted. Null forms none: rest is the
// support of the examples that are in no group.
func (r *Report) Groups(by string) (groups []*Group, rest int64) {
	found := map[slice.Value]*Group{}
	for i := range r.Metrics {
		row := &r.Metrics[i]
		switch {
		case row.Label != nil || len(row.Slice) != 1 || row.Slice[0].Column != by:
			continue
		case row.Slice[0].Value == slice.Null():
			rest = max(rest, row.Support)
			continue
		}
		g := found[row.Slice[0].Value]
		if g == nil {
			g = &Group{Slice: row.Slice, Rows: map[string]*Row{}}
			found[row.Slice[0].Value] = g
		}
		g.Rows[row.Name], g.Support = row, max(g.Support, row.Support)
	}
	return slices.SortedFunc(maps.Values(found), func(a, b *Group) int { return a.Slice.Compare(b.Slice) }), rest
}
